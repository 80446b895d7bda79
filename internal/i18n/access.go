package i18n

// What people are told at the door.
const (
	DirectClosed  ID = "direct_closed"  // the bot takes no direct messages
	DirectRefused ID = "direct_refused" // the sender stands on no list
)

var access = map[ID]map[Lang]string{
	DirectClosed:  {English: "I do not take direct messages here. Write to me in a group, or ask an administrator.", Chinese: "我在这里不接收私信。请在群里找我，或联系管理员。"},
	DirectRefused: {English: "You are not on the list of those who may write to me here. Ask an administrator to add you.", Chinese: "你不在允许与我对话的名单里。请联系管理员添加。"},
}
