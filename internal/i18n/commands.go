package i18n

// Slash commands in one line each, for /help and for the completion of a command while it is typed.
const (
	HelpStop    ID = "help_stop"
	HelpHelp    ID = "help_help"
	HelpApprove ID = "help_approve"
	HelpDeny    ID = "help_deny"
	HelpRunner  ID = "help_runner"
	HelpRewind  ID = "help_rewind"
	HelpRetry   ID = "help_retry"
	HelpEdit    ID = "help_edit"
	HelpBranch  ID = "help_branch"
	HelpFork    ID = "help_fork"
	HelpContext ID = "help_context"
	HelpUsage   ID = "help_usage"
	HelpCompact ID = "help_compact"

	CommandOwners  ID = "command_owners" // %s name of a command
	CommandAdmins  ID = "command_admins" // %s name of a command
	ResetRefused   ID = "reset_refused"  // %s name of a command
	StopRefused    ID = "stop_refused"
	CommandScope   ID = "command_scope"   // %s name of a command
	CommandUnknown ID = "command_unknown" // %s what was written
	CommandNear    ID = "command_near"    // %s commands
	CommandOr      ID = "command_or"      // between commands
	CommandEscape  ID = "command_escape"  // %s what was written
)

var commandHelp = map[ID]map[Lang]string{
	HelpStop:    {English: "stops the running turn and clears the queue", Chinese: "停止当前回合并清空队列"},
	HelpHelp:    {English: "lists the commands", Chinese: "列出所有命令"},
	HelpApprove: {English: "lets the tool call run that waits for permission, with other arguments if you give them; all: each that waits; turn: everything until this turn ends", Chinese: "允许正在等待许可的工具调用，可附上修改后的参数；all：全部等待中的调用；turn：本轮结束前的所有操作"},
	HelpDeny:    {English: "denies the tool call that waits for permission; the model reads the note; all: each that waits; turn: takes back that everything is allowed", Chinese: "拒绝正在等待许可的工具调用；附言会转告模型；all：全部等待中的调用；turn：收回本轮的全部允许"},
	HelpRunner:  {English: "lists the runners on which your commands can run, chooses one, makes or revokes one of yours", Chinese: "列出命令可以运行的位置，选择其一，或创建、吊销自己的运行器"},
	HelpRewind:  {English: "takes back your last N messages (default 1), or everything from one message on; files stay as they are", Chinese: "收回最近 N 条消息(默认 1)，或从某条消息起的全部内容；文件保持原样"},
	HelpRetry:   {English: "asks your last message again, the Nth last one, or a certain one; what was there is kept as another branch", Chinese: "重新提问最后一条消息、倒数第 N 条或指定的一条；原来的内容作为另一分支保留"},
	HelpEdit:    {English: "asks something else in place of your last message, or of a certain one; what was there is kept as another branch", Chinese: "改写最后一条(或指定的)消息并重新提问；原来的内容作为另一分支保留"},
	HelpBranch:  {English: "lists the branches of this conversation, or goes on from one of them", Chinese: "列出这个对话的分支，或切换到其中一个"},
	HelpFork:    {English: "copies this conversation into a new one, with N without your last N messages", Chinese: "把这个对话复制成一个新对话；可指定去掉最近 N 条消息"},
	HelpContext: {English: "shows what the model sees and how full its context is; list: part by part; detail: the last request; mode: how the context is kept small", Chinese: "显示模型看到的内容和上下文占用；list：逐项列出；detail：最近一次请求；mode：上下文的压缩方式"},
	HelpUsage:   {English: "shows how many tokens were used today, in the last 7 days and in this conversation", Chinese: "显示今天、最近 7 天和本对话的 token 用量"},
	CommandOwners: {
		English: "Only the person whose conversation this is, or an administrator, may use `/%s`.",
		Chinese: "只有这个对话的所有者或管理员可以使用 `/%s`。",
	},
	CommandUnknown: {English: "There is no command `/%s`.", Chinese: "没有 `/%s` 这个命令。"},
	CommandNear:    {English: "Did you mean %s?", Chinese: "你是想输入 %s 吗？"},
	CommandOr:      {English: " or ", Chinese: " 或 "},
	CommandEscape: {
		English: "`/commands` lists them all. To say it to the model, write `\\/%s`.",
		Chinese: "`/commands` 列出所有命令。如果要把这段文字发给模型，请写成 `\\/%s`。",
	},
	CommandScope: {English: "The scope of this token does not allow `/%s`. Use one that may all that you may.", Chinese: "此令牌的权限不允许使用 `/%s`，请改用权限与你相同的令牌。"},
	ResetRefused: {
		English: "Others write in this conversation, too, so only administrators may use `/%s` here. Ask one of them.",
		Chinese: "这个对话里还有其他人，只有管理员可以使用 `/%s`，请联系管理员。",
	},
	StopRefused: {
		English: "This is the answer to somebody else. Who asked for it, or an administrator, may stop it; send your message without a command, and it waits for its turn.",
		Chinese: "正在回答的是别人的问题，只有提问的人或管理员可以停止。直接发送你的消息即可，会依次处理。",
	},
	CommandAdmins: {English: "Only administrators may use `/%s`. Ask one of them.", Chinese: "只有管理员可以使用 `/%s`，请联系管理员。"},

	HelpCompact: {English: "summarizes the beginning of this conversation to make room; the focus says what the summary must keep", Chinese: "总结对话的开头以腾出空间；可说明需要特别保留的内容"},
}
