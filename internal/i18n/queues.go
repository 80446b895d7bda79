package i18n

// Texts about queued messages.
const (
	HelpQueue    ID = "help_queue"
	QueueUsage   ID = "queue_usage"   // %s how /queue is written
	QueueHolds   ID = "queue_holds"   // above a list of settings
	QueueHere    ID = "queue_here"    // why one holds: it was set for the conversation
	QueueChannel ID = "queue_channel" // for the channel; %s its name
	QueuePolicy  ID = "queue_policy"  // in general
	QueueDirect  ID = "queue_direct"  // not set: the default of direct chats
	QueueOther   ID = "queue_other"   // the default of all other places
	QueueDefault ID = "queue_default" // the default everywhere
	QueueCommand ID = "queue_command" // a message that waits was to become a command
)

var queues = map[ID]map[Lang]string{
	HelpQueue:    {English: "shows or sets how messages wait while a turn runs", Chinese: "任务运行时，消息如何等待"},
	QueueUsage:   {English: "Write `/queue %s`, or `/queue default`.", Chinese: "用法：`/queue %s`，或 `/queue default`。"},
	QueueHolds:   {English: "How messages wait here:", Chinese: "消息在这里如何等待："},
	QueueHere:    {English: "set for this conversation", Chinese: "为本对话设置"},
	QueueChannel: {English: "policy of the channel %s", Chinese: "渠道 %s 的策略"},
	QueuePolicy:  {English: "policy", Chinese: "策略"},
	QueueDirect:  {English: "default of direct chats", Chinese: "私聊的默认值"},
	QueueOther:   {English: "default of groups and other chats", Chinese: "群聊等场所的默认值"},
	QueueDefault: {English: "default", Chinese: "默认值"},
	QueueCommand: {English: "A waiting message cannot become a command. Take it back and send the command.", Chinese: "等待中的消息不能改成命令。请撤回它，再发送命令。"},
}
