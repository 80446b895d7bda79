package i18n

// What people are told of the addresses at which other programs call their conversations.
const (
	HelpTrigger     ID = "help_trigger"
	TriggerUsage    ID = "trigger_usage"
	TriggerNone     ID = "trigger_none"
	TriggerMade     ID = "trigger_made" // %s name, %s address, %s source
	TriggerEnabled  ID = "trigger_enabled"
	TriggerDisabled ID = "trigger_disabled"
	TriggerRemoved  ID = "trigger_removed"
	TriggerLine     ID = "trigger_line" // %s name, %s source, %s state, %d calls, %s address
	TriggerOn       ID = "trigger_on"
	TriggerOff      ID = "trigger_off"
	TriggerRefused  ID = "trigger_refused" // %s why
)

var triggers = map[ID]map[Lang]string{
	HelpTrigger: {English: "lists and makes triggers, by which other programs call this conversation", Chinese: "让其他程序呼叫本对话"},
	TriggerUsage: {
		English: "Write `/trigger`, `/trigger add NAME [github|gitlab|generic]`, or `/trigger enable|disable|remove NAME`.",
		Chinese: "用法：`/trigger`、`/trigger add 名称 [github|gitlab|generic]`，或 `/trigger enable|disable|remove 名称`。",
	},
	TriggerNone: {English: "You have no triggers. `/trigger add NAME` makes one.", Chinese: "你还没有触发器。`/trigger add 名称` 可新建一个。"},
	TriggerMade: {
		English: "**%s** calls this conversation: `POST %s`, signed as %s does. Take its secret from the page (Settings, Triggers, New secret): it is shown there once, and never here.",
		Chinese: "**%s** 会呼叫本对话：`POST %s`，按 %s 的方式签名。请在网页(设置 → 触发器 → 新密钥)获取密钥：它只在那里显示一次，不会出现在这里。",
	},
	TriggerEnabled:  {English: "**%s** accepts calls.", Chinese: "**%s** 已启用。"},
	TriggerDisabled: {English: "**%s** refuses calls from now on.", Chinese: "**%s** 已停用。"},
	TriggerRemoved:  {English: "**%s** is removed, with its history.", Chinese: "**%s** 及其记录已删除。"},
	TriggerLine:     {English: "**%s** · %s · %s · %d calls · `POST %s`", Chinese: "**%s** · %s · %s · %d 次呼叫 · `POST %s`"},
	TriggerOn:       {English: "on", Chinese: "已启用"},
	TriggerOff:      {English: "off", Chinese: "已停用"},
	TriggerRefused:  {English: "last refused: %s", Chinese: "最近一次拒绝：%s"},
}
