package i18n

// What people are told when a conversation begins anew or goes on.
const (
	ResetNew   ID = "reset_new"   // a person asked
	ResetIdle  ID = "reset_idle"  // %s time of the last message
	ResetDaily ID = "reset_daily" // %s time of the last message
	ResetGreet ID = "reset_greet" // %s model

	ContinueNone ID = "continue_none" // nothing was stopped
	SearchUsage  ID = "search_usage"
	SearchNone   ID = "search_none"  // %s words
	SearchFound  ID = "search_found" // %s words; a list follows
	SearchMore   ID = "search_more"  // %d messages that were listed

	HelpNew      ID = "help_new"
	HelpReset    ID = "help_reset"
	HelpContinue ID = "help_continue"
	HelpSearch   ID = "help_search"
)

var resets = map[ID]map[Lang]string{
	ResetNew:   {English: "New conversation.", Chinese: "新对话。"},
	ResetIdle:  {English: "New conversation: nobody had written here since %s.", Chinese: "新对话：自 %s 以来这里没有人发言。"},
	ResetDaily: {English: "New conversation: a new day has begun since the last message here, %s.", Chinese: "新对话：距上一条消息(%s)已是新的一天。"},
	ResetGreet: {English: "What shall we do? Answers come from %s.", Chinese: "我们从哪里开始？回答来自 %s。"},

	ContinueNone: {English: "There is nothing to go on with: the last answer was finished.", Chinese: "没有可继续的内容：上一个回答已经完成。"},
	SearchUsage:  {English: "Write `/search WORDS`: messages that hold all of the words, in all your conversations.", Chinese: "用法：`/search 词语`，在你的所有对话中查找包含全部词语的消息。"},
	SearchNone:   {English: "No message holds “%s”.", Chinese: "没有包含“%s”的消息。"},
	SearchFound:  {English: "Messages with “%s”, the newest first:", Chinese: "包含“%s”的消息(最新的在前)："},
	SearchMore:   {English: "These are the newest %d; more words find fewer.", Chinese: "以上是最新的 %d 条；增加词语可缩小范围。"},

	HelpNew:      {English: "begins the conversation anew, with another model if the first word names one; the rest is your first message", Chinese: "开始新对话；若首个词是模型名则换用该模型，其余文字作为第一条消息"},
	HelpReset:    {English: "begins the conversation anew; what follows is your first message", Chinese: "开始新对话；后面的文字作为第一条消息"},
	HelpContinue: {English: "goes on with an answer that was stopped or failed", Chinese: "继续被停止或失败的回答"},
	HelpSearch:   {English: "finds messages in all your conversations", Chinese: "在你的所有对话中查找消息"},
}
