package i18n

// Texts about triggers: the addresses at which other programs call conversations.
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

// Texts about the questions of consumers, for administrators, and about handovers, for consumers.
const (
	HelpInbox     ID = "help_inbox"
	InboxTitle    ID = "inbox_title"    // of the conversation; %s service
	InboxWrote    ID = "inbox_wrote"    // %s title, %s service, %s conversation
	InboxUsage    ID = "inbox_usage"    // of /inbox
	InboxNone     ID = "inbox_none"     // nothing waits
	InboxLine     ID = "inbox_line"     // %s id, %s status, %s service, %s conversation, %s first words
	InboxMore     ID = "inbox_more"     // %d items that are not listed
	InboxShown    ID = "inbox_shown"    // %s id, %s service, %s conversation, %s title, %s status
	InboxHow      ID = "inbox_how"      // %s id: how it is answered
	InboxAnswered ID = "inbox_answered" // %s title, %s service, %s conversation
	InboxTaken    ID = "inbox_taken"    // %s title, %s service, %s conversation
	InboxGiven    ID = "inbox_given"    // the same
	InboxNotTaken ID = "inbox_not_taken"
	InboxAlone    ID = "inbox_alone"    // in a group
	InboxPlain    ID = "inbox_plain"    // a reply without a text
	InboxTakenBy  ID = "inbox_taken_by" // %s name
	InboxUnread   ID = "inbox_unread"   // a status
	InboxRead     ID = "inbox_read"     // a status
	InboxHandled  ID = "inbox_handled"  // a status
	InboxNameless ID = "inbox_nameless" // a conversation without a title
	ServiceTaken  ID = "service_taken"  // to a consumer whose conversation an administrator has taken over
)

var serviceInbox = map[ID]map[Lang]string{
	HelpInbox:  {English: "what consumers of services ask; answers them, and takes a conversation from the agent", Chinese: "查看服务用户的请求并回复，或从智能体接手对话"},
	InboxTitle: {English: "Inbox of %s", Chinese: "%s 的收件箱"},
	InboxWrote: {
		English: "**%s** (%s, conversation `%s`) wrote. Reply to this message to answer:",
		Chinese: "**%s**(%s，对话 `%s`)来信。回复本条消息即可答复：",
	},
	InboxUsage: {
		English: "Write `/inbox`, `/inbox ID`, `/inbox ID TEXT`, `/inbox take ID` or `/inbox give ID`.",
		Chinese: "用法：`/inbox`、`/inbox 编号`、`/inbox 编号 回复内容`、`/inbox take 编号` 或 `/inbox give 编号`。",
	},
	InboxNone:  {English: "Nobody asks for a person.", Chinese: "目前没有人请求人工。"},
	InboxLine:  {English: "`%s` · %s · %s · conversation `%s` · %s", Chinese: "`%s` · %s · %s · 对话 `%s` · %s"},
	InboxMore:  {English: "%d more are on the page: Settings, Inbox.", Chinese: "另有 %d 条，请在网页查看：设置 → 收件箱。"},
	InboxShown: {English: "`%s` · %s · conversation `%s` **%s** · %s", Chinese: "`%s` · %s · 对话 `%s` **%s** · %s"},
	InboxHow: {
		English: "`/inbox %[1]s TEXT` answers. `/inbox take %[1]s` has you answer in place of the agent, `/inbox give %[1]s` gives the conversation back.",
		Chinese: "`/inbox %[1]s 回复内容` 可回复；`/inbox take %[1]s` 由你接手，`/inbox give %[1]s` 交还给智能体。",
	},
	InboxAnswered: {English: "Your answer is in **%s** (%s, conversation `%s`).", Chinese: "已回复到 **%s**(%s，对话 `%s`)。"},
	InboxTaken: {
		English: "**%s** (%s, conversation `%s`) is yours: the agent is silent there until you give it back.",
		Chinese: "你已接手 **%s**(%s，对话 `%s`)：交还之前智能体不会回复。",
	},
	InboxGiven:    {English: "The agent answers again in **%s** (%s, conversation `%s`).", Chinese: "**%s**(%s，对话 `%s`)已交还给智能体。"},
	InboxNotTaken: {English: "Nobody has taken this conversation: the agent answers there.", Chinese: "没有人接手这个对话，由智能体回复。"},
	InboxAlone:    {English: "What consumers write is for administrators alone: write `/inbox` to me in a direct chat, or on the page.", Chinese: "服务用户的内容只供管理员查看：请在私聊或网页中使用 `/inbox`。"},
	InboxPlain:    {English: "Only text can be sent to the consumer. Nothing was sent.", Chinese: "只能向服务用户发送文字。未发送任何内容。"},
	InboxTakenBy:  {English: "taken by %s", Chinese: "由 %s 接手"},
	InboxUnread:   {English: "unread", Chinese: "未读"},
	InboxRead:     {English: "read", Chinese: "已读"},
	InboxHandled:  {English: "handled", Chinese: "已处理"},
	InboxNameless: {English: "untitled", Chinese: "未命名"},
	ServiceTaken:  {English: "A person reads this conversation and answers you here.", Chinese: "已转人工，客服会在这里回复你。"},
}
