package i18n

// Texts about restarting, continuing and searching conversations.
const (
	ResetNew   ID = "reset_new"   // a user asked
	ResetIdle  ID = "reset_idle"  // %s time of the last message
	ResetDaily ID = "reset_daily" // %s time of the last message
	ResetGreet ID = "reset_greet" // %s model

	NewAsk       ID = "new_ask"       // a user wrote a word for a new conversation
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

	NewAsk:       {English: "In a new conversation I no longer know what was said here. Write `/new` to begin one.", Chinese: "开始新对话后，我将不再记得这里之前的内容。确定的话，请发送 `/new`（或 `/新对话`）。"},
	ContinueNone: {English: "There is nothing to continue: the last answer is complete.", Chinese: "没有可继续的内容：上一个回答已经完成。"},
	SearchUsage:  {English: "Write `/search WORDS`: messages that hold all of the words, in all your conversations.", Chinese: "用法：`/search 词语`，在你的所有对话中查找包含全部词语的消息。"},
	SearchNone:   {English: "No message holds “%s”.", Chinese: "没有包含“%s”的消息。"},
	SearchFound:  {English: "Messages with “%s”, the newest first:", Chinese: "包含“%s”的消息(最新的在前)："},
	SearchMore:   {English: "These are the newest %d; more words find fewer.", Chinese: "以上是最新的 %d 条；增加词语可缩小范围。"},

	HelpNew:      {English: "begins the conversation anew, with another model if the first word names one; the rest is your first message", Chinese: "开始新对话；若首个词是模型名则换用该模型，其余文字作为第一条消息"},
	HelpReset:    {English: "begins the conversation anew; what follows is your first message", Chinese: "开始新对话；后面的文字作为第一条消息"},
	HelpContinue: {English: "continues an answer that was stopped or failed", Chinese: "继续被停止或失败的回答"},
	HelpSearch:   {English: "finds messages in all your conversations", Chinese: "在你的所有对话中查找消息"},
}

// Errors about reached limits.
const (
	RoomSessions ID = "room_sessions" // %d how many
	RoomRunners  ID = "room_runners"  // %d how many
	RoomTokens   ID = "room_tokens"   // %d how many
)

var rooms = map[ID]map[Lang]string{
	RoomSessions: {English: "you have %d sessions, as many as a person may have here (limits.person.sessions of the policy); give one up first", Chinese: "你已有 %d 个对话，达到了每人可拥有的上限(策略的 limits.person.sessions)；请先删除一个。"},
	RoomRunners:  {English: "you have %d runners, as many as a person may have here (limits.person.runners of the policy); give one up first", Chinese: "你已有 %d 个运行器，达到了每人可拥有的上限(策略的 limits.person.runners)；请先撤销一个。"},
	RoomTokens:   {English: "you have %d tokens, as many as a person may have here (limits.person.tokens of the policy); give one up first", Chinese: "你已有 %d 个令牌，达到了每人可拥有的上限(策略的 limits.person.tokens)；请先撤销一个。"},
}

// Texts about rewinding or copying a conversation.
const (
	Rewound      ID = "rewound"       // %d messages of the user, %s first words of the oldest one
	RewindNone   ID = "rewind_none"   // nothing was written yet
	RewindChoose ID = "rewind_choose" // %d messages there are; a list follows
	RewindGone   ID = "rewind_gone"   // %d id
	RewindTwice  ID = "rewind_twice"  // %d id
	RewindNotOne ID = "rewind_not"    // %d id of a message that no user wrote
	RewindUsage  ID = "rewind_usage"
	AskedAgain   ID = "asked_again" // %s first words
	AskedNone    ID = "asked_none"  // nothing was written yet
	AskedUsage   ID = "asked_usage"
	EditUsage    ID = "edit_usage"
	BranchBusy   ID = "branch_busy"
	BranchUsage  ID = "branch_usage"
	BranchNone   ID = "branch_none"
	BranchList   ID = "branch_list"   // a list follows
	BranchHere   ID = "branch_here"   // added to the version that is in the conversation
	BranchIn     ID = "branch_in"     // %d id of the message
	BranchLong   ID = "branch_long"   // %d bytes that a message may have
	OrderUnknown ID = "order_unknown" // %s name
	Forked       ID = "forked"        // %s title, %s key
	ForkUsage    ID = "fork_usage"
	ForkTitle    ID = "fork_title" // %s title of the original
	ArchivedNow  ID = "archived_now"
	ArchivedOff  ID = "archived_off"
	ArchiveUsage ID = "archive_usage"
	HelpArchive  ID = "help_archive"
)

var history = map[ID]map[Lang]string{
	Rewound:      {English: "Taken back: %d of your messages, from “%s” on, with all that followed. Files, and what commands did, stay as they are.", Chinese: "已收回你的 %d 条消息(从“%s”开始)及其后的全部内容。文件以及命令产生的影响保持原样。"},
	RewindNone:   {English: "There is nothing to take back: you have written nothing in this conversation.", Chinese: "没有可收回的内容：你还没有在这个对话里写过消息。"},
	RewindChoose: {English: "Messages of yours that can be taken back: %d. Name one of these, such as `/rewind m12`, or how many:", Chinese: "可收回的消息只有 %d 条。请指定其中一条(例如 `/rewind m12`)或条数："},
	RewindGone:   {English: "There is no message m%d in this conversation.", Chinese: "这个对话里没有消息 m%d。"},
	RewindTwice:  {English: "Message m%d was taken back before.", Chinese: "消息 m%d 此前已被收回。"},
	RewindNotOne: {English: "Message m%d is not one that you wrote to the model. Name a message of yours.", Chinese: "消息 m%d 不是你写给模型的消息。请指定你自己的消息。"},
	AskedAgain:   {English: "Asking again: “%s”. What was there stays: `/branch` lists it. Files, and what commands did, stay as they are.", Chinese: "重新提问：“%s”。原来的内容会保留，`/branch` 可列出。文件以及命令产生的影响保持原样。"},
	AskedNone:    {English: "There is nothing to ask again: you have written nothing in this conversation.", Chinese: "没有可重新提问的内容：你还没有在这个对话里写过消息。"},
	AskedUsage:   {English: "Write `/retry` to ask your last message again, `/retry 3` the third last one, or `/retry m12` message 12.", Chinese: "用法：`/retry` 重新提问最后一条消息，`/retry 3` 倒数第三条，`/retry m12` 消息 12。"},
	EditUsage:    {English: "Write `/edit TEXT` to ask that in place of your last message, or `/edit m12 TEXT` in place of message 12.", Chinese: "用法：`/edit 文字` 用它代替最后一条消息重新提问，`/edit m12 文字` 代替消息 12。"},
	BranchBusy:   {English: "An answer is being written. Switch when it is done, or stop it first.", Chinese: "正在生成回答。请等它完成或先停止，再切换。"},
	BranchUsage:  {English: "Write `/branch` to see which versions of your messages there are, or `/branch m12` to go on from that one.", Chinese: "用法：`/branch` 列出消息的各个版本，`/branch m12` 切换到该版本继续。"},
	BranchNone:   {English: "No message here was asked again or changed. `/retry` asks again, and keeps what is there.", Chinese: "这里没有重新提问或修改过的消息。`/retry` 会重新提问并保留已有内容。"},
	BranchList:   {English: "Versions of your messages, the newest places first. Name one of these, such as `/branch m12`:", Chinese: "消息的各个版本(最新的位置在前)。请指定其中一个，例如 `/branch m12`："},
	BranchHere:   {English: " ← here", Chinese: " ← 当前"},
	BranchIn:     {English: "The conversation goes on from message m%d. Files, and what commands did, stay as they are.", Chinese: "对话从消息 m%d 继续。文件以及命令产生的影响保持原样。"},
	BranchLong:   {English: "What is to be asked again has more than %d bytes.", Chinese: "要重新提问的内容超过 %d 字节。"},
	RewindUsage:  {English: "Write `/rewind` for your last message, `/rewind 3` for the last three, or `/rewind m12` for everything from message 12 on.", Chinese: "用法：`/rewind` 收回最后一条消息，`/rewind 3` 收回最近三条，`/rewind m12` 收回从消息 12 起的全部内容。"},
	OrderUnknown: {English: "There is no command /%s here; /help lists what there is.", Chinese: "这里没有 /%s 命令；/help 会列出可用的命令。"},
	Forked:       {English: "Copied to a new conversation: **%s** (`%s`). This one goes on as it is.", Chinese: "已复制为新对话：**%s**(`%s`)。当前对话不受影响。"},
	ForkUsage:    {English: "Write `/fork` to copy the whole conversation, `/fork 2` to leave out your last two messages, or `/fork m12` to copy it up to the answer to message 12.", Chinese: "用法：`/fork` 复制整个对话，`/fork 2` 去掉你最近的两条消息，`/fork m12` 复制到消息 12 的回答为止。"},
	ForkTitle:    {English: "%s (fork)", Chinese: "%s(副本)"},
	ArchivedNow:  {English: "Archived: this conversation is no longer in the list. A new message here brings it back.", Chinese: "已归档：这个对话不再显示在列表中。在这里发送新消息即可恢复。"},
	ArchivedOff:  {English: "This conversation is in the list again.", Chinese: "这个对话已回到列表中。"},
	ArchiveUsage: {English: "Write `/archive` to take this conversation out of the list, or `/archive off` to bring it back.", Chinese: "用法：`/archive` 将这个对话移出列表，`/archive off` 将其恢复。"},
	HelpArchive:  {English: "takes this conversation out of the list until you write here again; off: brings it back", Chinese: "把这个对话移出列表，直到你再次在此发言；off：恢复"},
}
