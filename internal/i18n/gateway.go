package i18n

// Texts about access, identities and places.
const (
	PairAsk      ID = "pair_ask"  // code
	PairFull     ID = "pair_full" // too many wait
	PairDisabled ID = "pair_disabled"
	PairWelcome  ID = "pair_welcome"
	PairNone     ID = "pair_none"
	PairApproved ID = "pair_approved" // who, channel
	PairRefused  ID = "pair_refused"  // who, channel
	PairUsage    ID = "pair_usage"
	PairWaits    ID = "pair_waits" // code, who, channel, minutes left

	GroupUnlisted ID = "group_unlisted"  // to an administrator; the group, the command that lists it
	GroupNoRunner ID = "group_no_runner" // the same; the group, its conversation
	GroupNoModel  ID = "group_no_model"  // the same; the group, the model, why it cannot be called

	LinkCode    ID = "link_code" // code
	LinkUnknown ID = "link_unknown"
	LinkAdmin   ID = "link_admin"
	LinkTold    ID = "link_told" // who
	LinkHere    ID = "link_here"
	LinkDone    ID = "link_done" // name, number of conversations
	LinkAgain   ID = "link_again"
	LinkGroup   ID = "link_group"

	UnlinkDone      ID = "unlink_done" // name, number of conversations
	UnlinkNone      ID = "unlink_none"
	UnlinkAlone     ID = "unlink_alone"
	UnlinkAppointed ID = "unlink_appointed"
	UnlinkPolicy    ID = "unlink_policy" // name in the policy

	SendSet   ID = "send_set" // on or off
	SendAuto  ID = "send_auto"
	SendUsage ID = "send_usage"

	ActivationSet    ID = "activation_set" // mention or always
	ActivationAuto   ID = "activation_auto"
	ActivationUsage  ID = "activation_usage"
	ActivationDirect ID = "activation_direct"

	SessionIs      ID = "session_is"   // key
	SessionUsed    ID = "session_used" // key
	SessionMade    ID = "session_made" // key
	SessionBack    ID = "session_back"
	SessionUsage   ID = "session_usage"
	SessionUnknown ID = "session_unknown" // key
	SessionOther   ID = "session_other"
	SessionNoChat  ID = "session_no_chat"
	ThreadUsed     ID = "thread_used"    // %s agent, %s thread
	ThreadUnknown  ID = "thread_unknown" // %s thread
	ThreadBusy     ID = "thread_busy"
	ThreadOwner    ID = "thread_owner"
	WorkMade       ID = "work_made" // key
	NoWords        ID = "no_words"

	HelpPair       ID = "help_pair"
	HelpLink       ID = "help_link"
	HelpUnlink     ID = "help_unlink"
	HelpSend       ID = "help_send"
	HelpActivation ID = "help_activation"
	HelpSession    ID = "help_session"
)

var gateway = map[ID]map[Lang]string{
	PairAsk:      {English: "I do not know you yet. Give this code to an administrator, who can give you access within a day: **%s**. I did not keep your message.", Chinese: "我还不认识你。请把这个配对码交给管理员，一天内由其批准：**%s**。你刚才的消息没有保存。"},
	PairFull:     {English: "I do not know you yet, and several people already wait for access. Ask an administrator, or write again tomorrow.", Chinese: "我还不认识你，而且已有多人在等待批准。请联系管理员，或明天再试。"},
	PairDisabled: {English: "An administrator has disabled your account, so I did not keep your message.", Chinese: "管理员已停用你的账号，你刚才的消息没有保存。"},
	PairWelcome:  {English: "An administrator has given you access.", Chinese: "管理员已允许你与我对话。"},
	PairNone:     {English: "Nobody waits for access.", Chinese: "没有人在等待批准。"},
	PairApproved: {English: "%s may write direct messages on %s from now on. They learn of it with their next message.", Chinese: "%s 现在可以在 %s 上与我私聊，对方会在下一条消息时得知。"},
	PairRefused:  {English: "%s got no access on %s. They may ask again.", Chinese: "已拒绝 %s(%s)。对方可以再次申请。"},
	PairUsage:    {English: "Write `/pair`, `/pair approve CODE` or `/pair refuse CODE`.", Chinese: "用法：`/pair`、`/pair approve 配对码` 或 `/pair refuse 配对码`。"},
	GroupUnlisted: {
		English: "I was mentioned in the group %s, which the policy does not list, so I keep silent there. To have me listen: `%s`. You are told this once a day at most.",
		Chinese: "有人在群 %s 中提到了我，但策略没有列出这个群，所以我没有回应。要让我在群里回应：`%s`。此通知每天最多发一次。",
	},
	GroupNoRunner: {
		English: "People write to me in the group %s now. It has no runner: I answer there, but run no commands and fetch no files. Containers give groups one (`XBOT_DOCKER_ENABLED`), and `xbot runner create NAME --session %s` makes one. You are told this once a day at most.",
		Chinese: "群 %s 里已有人向我提问。这个群没有运行器：我可以回答，但不能运行命令，也不能接收文件。启用容器后群就有运行器 (`XBOT_DOCKER_ENABLED`)，也可以用 `xbot runner create 名称 --session %s` 为它创建一个。此通知每天最多发一次。",
	},
	GroupNoModel: {
		English: "People write to me in the group %s now, and no model can answer there: %s cannot be called: %s\n\nThey read only that no model can answer. You are told this once, and again after a day or when the cause has changed.",
		Chinese: "群 %s 里已有人向我提问，但那里没有模型可以回答：无法调用模型 %s：%s\n\n群里的人只看到没有模型可以回答。此通知只发一次，一天后或原因改变时才会再次发送。",
	},
	PairWaits: {English: "`%s` · %s · %s · %d h left", Chinese: "`%s` · %s · %s · 剩余 %d 小时"},

	LinkCode:    {English: "On the other channel, write `/link %s` within 10 minutes. Whoever writes it acts as you from then on: show it to nobody.", Chinese: "请在 10 分钟内，于另一个渠道发送 `/link %s`。发送者从此就是你，请勿让他人看到。"},
	LinkUnknown: {English: "This code is unknown, was used, or is older than 10 minutes. For a new one, write /link on the channel where I know you.", Chinese: "此关联码不存在、已使用或已超过 10 分钟。请在已认识你的渠道发送 /link 获取新码。"},
	LinkAdmin:   {English: "You are an administrator here, so this code cannot make you somebody else. Make a code here, with /link, and write it on the other channel.", Chinese: "管理员不能通过关联码变成他人。请在这里用 /link 生成关联码，再到另一个渠道发送。"},
	LinkTold:    {English: "%s has used your code and acts as you from now on. If that was not you, tell an administrator at once.", Chinese: "%s 使用了你的关联码，从此就是你。如果不是你本人，请立即联系管理员。"},
	LinkHere:    {English: "There is nothing to link here. Make a code here, with /link, and write it on your other channel.", Chinese: "这里没有可关联的身份。请在这里用 /link 生成关联码，再到要关联的渠道发送。"},
	LinkDone:    {English: "You are **%s** here, too, from now on. Conversations that moved with you: %d.", Chinese: "你在这里也是 **%s** 了。一并转移的对话数：%d。"},
	LinkAgain:   {English: "You are already linked.", Chinese: "你之前已经关联过了。"},
	LinkGroup:   {English: "Codes are not for groups: write /link to me directly.", Chinese: "关联码不能在群里使用，请私聊发送 /link。"},

	UnlinkDone:      {English: "This chat is not linked any more: here you are **%s** from the next message on. Conversations that moved with it: %d. Memory and files stay with the former account.", Chinese: "已解除关联：从下一条消息起，你在这里是 **%s**。一并转移的对话数：%d。记忆和文件保留在原账号。"},
	UnlinkNone:      {English: "This identity is not linked to the account.", Chinese: "该身份未关联到此账号。"},
	UnlinkAlone:     {English: "This is the only way to reach the account, so there is nothing to unlink it from.", Chinese: "这是访问该账号的唯一途径，无法解除关联。"},
	UnlinkAppointed: {English: "The setting `ADMIN_CHAT_ID` makes this chat the administrator's. Change the setting to unlink it.", Chinese: "管理员聊天设置（`ADMIN_CHAT_ID`）将此聊天指定给管理员。如需解除关联，请修改该设置。"},
	UnlinkPolicy:    {English: "The policy links this chat to **%s** (`identityLinks`). Ask an administrator to remove it there.", Chinese: "策略（`identityLinks`）将此聊天关联到 **%s**。请联系管理员在策略中移除。"},

	SendSet:   {English: "Delivery of answers here: %s, until you change it.", Chinese: "此处回答的发送：%s，直到你更改。"},
	SendAuto:  {English: "Answers here are delivered as the policy says.", Chinese: "此处回答按策略发送。"},
	SendUsage: {English: "Write `/send on`, `/send off` or `/send inherit`.", Chinese: "用法：`/send on`、`/send off` 或 `/send inherit`。"},

	ActivationSet:    {English: "I answer here: %s.", Chinese: "我在此处的响应方式：%s。"},
	ActivationAuto:   {English: "I answer here as the policy says.", Chinese: "我在此处按策略响应。"},
	ActivationUsage:  {English: "Write `/activation mention`, `/activation always` or `/activation inherit`.", Chinese: "用法：`/activation mention`、`/activation always` 或 `/activation inherit`。"},
	ActivationDirect: {English: "This is for groups: in a direct conversation I read everything.", Chinese: "此命令用于群聊：私聊中我会读取所有消息。"},

	SessionIs:      {English: "This conversation is `%s`.", Chinese: "此对话是 `%s`。"},
	SessionUsed:    {English: "From the next message on, this chat continues `%s`. `/session default` undoes this.", Chinese: "从下一条消息起，此聊天继续 `%s`。`/session default` 可恢复。"},
	SessionMade:    {English: "From the next message on, this chat is a new conversation, `%s`. `/session default` undoes this.", Chinese: "从下一条消息起，此聊天是新对话 `%s`。`/session default` 可恢复。"},
	SessionBack:    {English: "From the next message on, this chat has its own conversation again.", Chinese: "从下一条消息起，此聊天恢复其自己的对话。"},
	SessionUsage:   {English: "Write `/session`, `/session list`, `/session use KEY`, `/session new NAME` or `/session default`; where a coding agent answers, `/session THREAD` goes on with a thread of it.", Chinese: "用法：`/session`、`/session list`、`/session use 会话键`、`/session new 名称` 或 `/session default`；由编程智能体回答的对话中，`/session 会话编号` 可接着它的某个会话继续。"},
	SessionUnknown: {English: "You have no conversation `%s`. `/session list` names those you have.", Chinese: "你没有对话 `%s`。`/session list` 会列出你的对话。"},
	SessionOther:   {English: "A group can only use conversations of the group.", Chinese: "群聊只能使用该群自己的对话。"},
	SessionNoChat:  {English: "This is for chats of other platforms. Here, open another conversation instead.", Chinese: "此命令用于其他平台的聊天。在这里请直接打开另一个对话。"},
	ThreadUsed:     {English: "From the next message on, %s goes on with its thread `%s`. `/new` begins another one.", Chinese: "从下一条消息起，%s 接着会话 `%s` 继续。`/new` 可另开一个会话。"},
	ThreadUnknown:  {English: "There is no thread `%s` that this conversation may go on with.", Chinese: "没有此对话可以接着继续的会话 `%s`。"},
	ThreadBusy:     {English: "A turn runs. Choose the thread once it has ended, or stop it with `/stop`.", Chinese: "当前有一轮正在进行。请等它结束，或用 `/stop` 停止后再选择会话。"},
	ThreadOwner:    {English: "Only the person whose conversation this is, or an administrator, chooses the thread.", Chinese: "只有此对话的所有者或管理员可以选择会话。"},
	NoWords:        {English: "Your message has no text that I can read. Write in one message what I can do for you.", Chinese: "你的消息里没有我能读取的文字。请在一条消息中写明需要我做什么。"},
	WorkMade:       {English: "I made a work thread: `%s`. Write there to begin.", Chinese: "工作话题已创建：`%s`。在话题中回复即可开始。"},

	HelpPair:       {English: "shows who waits for access, and gives or refuses it by a code", Chinese: "显示等待批准的人，按配对码批准或拒绝"},
	HelpLink:       {English: "gives a code that links you on another channel to this account; with a code: links you here", Chinese: "生成关联码，用于在另一个渠道证明是你本人；带上关联码则完成关联"},
	HelpUnlink:     {English: "unlinks this chat from your account", Chinese: "解除此聊天与你账号的关联"},
	HelpSend:       {English: "sets whether answers of this conversation are delivered to its channel", Chinese: "设置此对话的回答是否发送到渠道"},
	HelpActivation: {English: "sets when I answer in this group: when mentioned, or always", Chinese: "设置我在此群何时响应：被提及时，或始终"},
	HelpSession:    {English: "shows which conversation this chat continues, or chooses another one of yours; THREAD: has the coding agent that answers go on with that thread", Chinese: "显示此聊天对应的对话，或切换到你的另一个对话；写会话编号则让编程智能体接着该会话继续"},
}

// Refusals of direct messages.
const (
	DirectClosed  ID = "direct_closed"  // the bot takes no direct messages
	DirectRefused ID = "direct_refused" // the sender is on no list
)

var access = map[ID]map[Lang]string{
	DirectClosed:  {English: "I do not take direct messages here. Write to me in a group, or ask an administrator.", Chinese: "我在这里不接收私信。请在群里找我，或联系管理员。"},
	DirectRefused: {English: "You are not on the list of those who may write to me here. Ask an administrator to add you.", Chinese: "你不在允许与我对话的名单里。请联系管理员添加。"},
}

// Texts about messages of platforms.
const (
	LinksLeftOut ID = "links_left_out" // the platform blocks addresses
)

var channels = map[ID]map[Lang]string{
	LinksLeftOut: {English: "(Links are not permitted here: their addresses were left out.)", Chinese: "(此处不允许发送链接，网址已略去。)"},
}
