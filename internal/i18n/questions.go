package i18n

import (
	"strings"

	"xbot/internal/chat"
)

// Questions to users on platforms before a call runs, and texts about their answers.
const (
	AskTitle    ID = "ask_title"     // %s tool
	AskFolder   ID = "ask_folder"    // %s the folder that it runs in
	AskCut      ID = "ask_cut"       // %d characters that are not shown
	AskNote     ID = "ask_note"      // label of the field
	AskAllow    ID = "ask_allow"     // label of a button
	AskAlways   ID = "ask_always"    // label of a button
	AskMeans    ID = "ask_means"     // the rules that it sets
	AskDeny     ID = "ask_deny"      // label of a button
	AskHow      ID = "ask_how"       // how it is answered in words
	AskHowGroup ID = "ask_how_group" // the same in a group
	AskUnknown  ID = "ask_unknown"   // the question may not have arrived
	AskRefused  ID = "ask_refused"   // the platform has refused the question
	SentRefused ID = "sent_refused"  // the platform has refused an answer
	SentExpired ID = "sent_expired"  // answers could not be delivered for so long that they were given up
	AskAllowed  ID = "ask_allowed"   // %s who
	AskDenied   ID = "ask_denied"    // %s who
	AskLate     ID = "ask_late"      // not answered in time
	AskVoid     ID = "ask_void"      // the turn ended first
	AskNotYours ID = "ask_notyours"  // another user has to answer
	AskRetry    ID = "ask_retry"     // an answer was not recorded
	AskForm     ID = "ask_form"      // title above questions of the model
	AskSend     ID = "ask_send"      // label of a button
	AskDecline  ID = "ask_decline"   // label of a button
	AskDeclineH ID = "ask_declineh"  // how questions are declined in words
	AskTaken    ID = "ask_taken"     // answers were recorded
	AskAnswered ID = "ask_answered"  // %s who
	AskDeclined ID = "ask_declined"  // %s who
)

var asks = map[ID]map[Lang]string{
	AskTitle:    {English: "May %s run?", Chinese: "是否允许运行 %s?"},
	AskFolder:   {English: "Folder: %s", Chinese: "目录：%s"},
	AskCut:      {English: "(%d more characters are not shown here; the page shows them.)", Chinese: "(还有 %d 个字符未在此显示，可在网页上查看。)"},
	AskNote:     {English: "Note (optional)", Chinese: "备注(可选)"},
	AskAllow:    {English: "Allow once", Chinese: "允许一次"},
	AskMeans:    {English: "Always allows: %s", Chinese: "“总是允许”适用于：%s"},
	AskAlways:   {English: "Always", Chinese: "总是允许"},
	AskDeny:     {English: "Deny", Chinese: "拒绝"},
	AskHowGroup: {English: "An administrator replies `/approve`, or `/deny` and why.", Chinese: "请管理员回复 `/approve` 允许，或 `/deny 原因` 拒绝。"},
	AskHow:      {English: "Reply `/approve`, or `/deny` and why.", Chinese: "请回复 `/approve` 允许，或 `/deny 原因` 拒绝。"},
	AskRefused:  {English: "The platform refused my question. A tool call waits for your permission: reply `/approve`, or `/deny` and why; the page shows the call.", Chinese: "平台未接受我的询问。有操作正在等待你的许可：请回复 `/approve` 允许，或 `/deny 原因` 拒绝；具体内容可在网页上查看。"},
	SentRefused: {English: "The platform refused my last answer. The page shows it; or ask me to say it in other words.", Chinese: "平台未接受我的上一条回答。可在网页上查看，或让我换一种说法。"},
	SentExpired: {English: "What I answered could not be delivered here in time, so I gave it up. The page shows it; or ask me again.", Chinese: "之前的回答未能及时送达，已不再发送。可在网页上查看，或再问我一次。"},
	AskUnknown:  {English: "I do not know whether my question arrived: the connection broke while I sent it. A tool call waits for your permission: reply `/approve`, or `/deny` and why; the page shows the call.", Chinese: "不确定上一条询问是否送达：发送时连接中断。有操作正在等待你的许可：请回复 `/approve` 允许，或 `/deny 原因` 拒绝；具体内容可在网页上查看。"},
	AskAllowed:  {English: "Allowed by %s", Chinese: "%s 已允许"},
	AskDenied:   {English: "Denied by %s", Chinese: "%s 已拒绝"},
	AskLate:     {English: "Nobody answered in time, so it was not run.", Chinese: "无人及时答复，未运行。"},
	AskVoid:     {English: "Not needed any more: the turn ended before anybody answered.", Chinese: "已不再需要：答复之前本轮已结束。"},
	AskNotYours: {English: "Only the person who was asked can answer this; in a group, an administrator.", Chinese: "只有被询问的人可以答复；在群聊中由管理员答复。"},
	AskForm:     {English: "A question for you", Chinese: "有问题想请教你"},
	AskSend:     {English: "Send", Chinese: "提交"},
	AskDecline:  {English: "Decline", Chinese: "不回答"},
	AskDeclineH: {English: "`/deny` declines.", Chinese: "不想回答请回复 `/deny`。"},
	AskTaken:    {English: "Thank you, your answer is recorded.", Chinese: "已收到你的答复。"},
	AskAnswered: {English: "Answered by %s", Chinese: "%s 已答复"},
	AskDeclined: {English: "Declined by %s", Chinese: "%s 不作答复"},
	AskRetry:    {English: "Your answer was not recorded. Press again in a moment.", Chinese: "答复未能记录，请稍后再按一次。"},
}

// Outcome returns how a question to a user ended.
func Outcome(lang Lang, a chat.Approval) string {
	allowed, denied, late := AskAllowed, AskDenied, AskLate
	switch {
	case a.Plan != nil && a.Asked != "":
		allowed, denied, late = PlanByEdit, PlanBackBy, PlanNobody
	case a.Plan != nil:
		allowed, denied, late = PlanByPerson, PlanBackBy, PlanNobody
	case len(a.Questions) > 0:
		allowed, denied = AskAnswered, AskDeclined
	}
	switch {
	case a.State == chat.ApprovalAllowed:
		return Say(lang, allowed, a.AnsweredBy)
	case a.State == chat.ApprovalDenied && a.AnsweredBy == chat.AnsweredByNobody:
		return Say(lang, late)
	case a.AgentEnded():
		return Say(lang, AgentEndedNote, strings.TrimPrefix(a.AnsweredBy, chat.AgentAnswerer))
	case a.State == chat.ApprovalDenied:
		return Say(lang, denied, a.AnsweredBy)
	default:
		return Say(lang, AskVoid)
	}
}

// Texts about the questions of the model (tool AskUser).
const (
	InquiryOption    ID = "inquiry_option"    // %s question, %s what was chosen, %s what can be
	InquiryOne       ID = "inquiry_one"       // %s question
	InquiryMissing   ID = "inquiry_missing"   // %s question
	InquiryUnknown   ID = "inquiry_unknown"   // %q name, %s names that there are
	InquiryTooLong   ID = "inquiry_too_long"  // %d bytes
	InquiryLines     ID = "inquiry_lines"     // %d questions
	InquiryOpen      ID = "inquiry_open"      // a permission was given where an answer is needed
	InquiryNone      ID = "inquiry_none"      // answers to a call that asks for permission
	InquiryAlways    ID = "inquiry_always"    // a question is asked each time
	AlwaysNone       ID = "always_none"       // no rule fits the call
	InquiryLeave     ID = "inquiry_leave"     // how a question is left without an answer
	InquiryElsewhere ID = "inquiry_elsewhere" // before what was asked in another chat
	InquiryAnswered  ID = "inquiry_answered"  // %s answers
	ConfigChange     ID = "config_change"     // %s the command that changes a setting
	ConfigShow       ID = "config_show"       // %s the command that shows a part of the policy
	ConfigReason     ID = "config_reason"     // %s the model's reason
	InquiryHowOne    ID = "inquiry_how_one"   // how a question is answered: with options
	InquiryHowMany   ID = "inquiry_how_many"  // the same, several of them
	InquiryHowOther  ID = "inquiry_how_other" // the same, options or words
	InquiryHowBoth   ID = "inquiry_how_both"  // the same, several options or words
	InquiryHowText   ID = "inquiry_how_text"  // the same, words alone
	InquiryHowLines  ID = "inquiry_how_lines" // the same, several questions
	InquiryHowDash   ID = "inquiry_how_dash"  // how one of several is left out
	InquiryHowSkip   ID = "inquiry_how_skip"  // how the only one is left out
	InquiryButton    ID = "inquiry_button"    // the question which button of a card
	InquiryDeclined  ID = "inquiry_declined"  // result of a question that a user declined; %s note
	InquiryLate      ID = "inquiry_late"      // result of a question that was not answered in time
	InquiryStopped   ID = "inquiry_stopped"   // result of a question of a turn that was stopped
	MCPSecret        ID = "mcp_secret"        // a server asks for what looks like a secret
	MCPAddress       ID = "mcp_address"       // a server sends the user to a web page; %s host
	MCPSampling      ID = "mcp_sampling"      // a server asks the model; %s server, %d requests, %d tokens
	InquiryTogether  ID = "inquiry_together"  // result of questions that were answered in one text; %s text
)

var inquiries = map[ID]map[Lang]string{
	InquiryOption:    {English: "%q is no answer to %q, which can be answered with: %s.", Chinese: "%q 不是 %q 的可选答案，可选：%s。"},
	InquiryOne:       {English: "%q takes one answer.", Chinese: "%q 只能选一个答案。"},
	InquiryMissing:   {English: "%q has no answer.", Chinese: "%q 还没有答案。"},
	InquiryUnknown:   {English: "There is no question %q; there are: %s.", Chinese: "没有名为 %q 的问题，现有：%s。"},
	InquiryTooLong:   {English: "The answers have more than %d bytes together. Write a shorter one, or put the text into a file.", Chinese: "答案合计超过 %d 字节。请缩短，或把文字放进文件。"},
	InquiryLines:     {English: "There are %d questions. Answer each on a line of its own, in their order.", Chinese: "共有 %d 个问题。请按顺序逐行作答，每题一行。"},
	InquiryOpen:      {English: "The open question needs an answer, not a permission: answer it in a message, or decline with `/deny`.", Chinese: "这里等待的是一个问题，需要作答而不是许可：请直接发消息回答，或用 `/deny` 拒绝回答。"},
	InquiryNone:      {English: "This call asks for permission: allow or deny it.", Chinese: "此调用需要的是许可：请允许或拒绝。"},
	AlwaysNone:       {English: "No rule fits this call, so it cannot be allowed for always. Allow it once, or set a rule in the settings.", Chinese: "没有规则适用于此调用，无法设为总是允许。请仅允许这一次，或在设置中添加规则。"},
	InquiryAlways:    {English: "A question cannot be answered with always, which is for permissions.", Chinese: "问题每次都要单独回答；always 只用于许可。"},
	InquiryLeave:     {English: "`/deny` declines to answer.", Chinese: "不想回答可发送 `/deny`。"},
	InquiryElsewhere: {English: "Your message was not passed on: first, this waits for your answer. It was asked in another place, and can be answered here, too.", Chinese: "这条消息还没有转达：有一个问题在等您回答。它是在别处提出的，也可以在这里回答。"},
	InquiryAnswered:  {English: "Answered: %s", Chinese: "已回答：%s"},
	ConfigChange:     {English: "Change this setting: %s", Chinese: "更改此设置：%s"},
	ConfigShow:       {English: "Show this part of the policy to the model: %s", Chinese: "向模型显示策略的这一部分：%s"},
	ConfigReason:     {English: "Reason given by the model: %s", Chinese: "模型给出的理由：%s"},
	InquiryHowOne:    {English: "Answer with a number.", Chinese: "请回复编号。"},
	InquiryHowMany:   {English: "Answer with numbers, separated by commas.", Chinese: "请回复编号，可多选，用逗号分隔。"},
	InquiryHowOther:  {English: "Answer with a number, or in your own words.", Chinese: "请回复编号，或直接写下你的回答。"},
	InquiryHowBoth:   {English: "Answer with numbers, separated by commas, or in your own words.", Chinese: "请回复编号，可多选，用逗号分隔；也可直接写下你的回答。"},
	InquiryHowText:   {English: "Answer in your own words.", Chinese: "请直接写下你的回答。"},
	InquiryHowLines:  {English: "Answer each question on a line of its own.", Chinese: "请逐行作答，每题一行。"},
	InquiryHowDash:   {English: "A dash leaves one out.", Chinese: "可跳过的题用“-”作答。"},
	InquiryHowSkip:   {English: "A dash answers nothing.", Chinese: "跳过请回复“-”。"},
	InquiryButton:    {English: "Which button?", Chinese: "选择哪个按钮？"},
	InquiryDeclined:  {English: "The user declined to answer%s. Do not ask the same again: go on without the answer where that is safe, or say what you would need.", Chinese: ""},
	InquiryLate:      {English: "Nobody answered within the time that questions stay open. Go on without the answer where that is safe, or say what you would need.", Chinese: ""},
	InquiryStopped:   {English: "Not answered: the user stopped the turn while the question was open.", Chinese: ""},
	MCPAddress:       {English: "The MCP server wants you to open a page of %s. xbot does not open it. Check the host, open the page yourself, and answer when you are done there.", Chinese: "该 MCP 服务器希望你打开 %s 的网页。xbot 不会代你打开。请确认主机名，自行打开网页，完成后再回答。"},
	MCPSampling:      {English: "The MCP server %s wants to ask the model, and you pay for it: at most %d requests during this call, each with an answer of at most %d tokens. It gets the answers. The first request:", Chinese: "MCP 服务器 %s 想向模型提问，费用计入你的用量：本次调用最多 %d 次请求，每次回答最多 %d 个 token。回答会发送给该服务器。第一次请求："},
	MCPSecret:        {English: "Do not enter a secret here: the answer goes to the MCP server, and stays in this conversation.", Chinese: "请勿在此输入机密信息：回答会发送给该 MCP 服务器，并保留在本对话中。"},
	InquiryTogether:  {English: "The user answered all of them together:\n%s", Chinese: ""},
}

// Texts about a call that a user changes before they permit it, and about answers for several at once.
const (
	CallEdited      ID = "call_edited"       // behind the result of a changed call, for the model
	EditQuestions   ID = "edit_questions"    // the call asks questions
	EditAlways      ID = "edit_always"       // a rule would mean the call as it was
	EditDenied      ID = "edit_denied"       // %s tool: a rule denies what it would be
	EditHooked      ID = "edit_hooked"       // %s tool: hooks were asked about the call as it was
	EditGone        ID = "edit_gone"         // %s tool, which is gone or is run in another way
	EditNoObject    ID = "edit_no_object"    // the arguments are no JSON object
	EditTooLong     ID = "edit_too_long"     // %d bytes
	EditWithout     ID = "edit_without"      // arguments without a permission
	TurnAllowed     ID = "turn_allowed"      // everything is allowed
	TurnAllowedOff  ID = "turn_allowed_off"  // nothing is any more
	TurnAllowedMany ID = "turn_allowed_many" // %d calls
	TurnAllowedNone ID = "turn_allowed_none" // no turn runs
	AnsweredMore    ID = "answered_more"     // %d calls that are not listed
)

var edits = map[ID]map[Lang]string{
	CallEdited:      {English: "[the user changed the arguments of this call before they allowed it; the call shows the changed ones]", Chinese: ""},
	EditQuestions:   {English: "This call asks you questions, so its arguments cannot be changed: answer them, or decline.", Chinese: "此调用是在向你提问，参数不可修改：请作答，或拒绝回答。"},
	EditAlways:      {English: "A changed call is allowed once: leave out always, or set a rule in the settings.", Chinese: "修改后的调用只能允许一次：请去掉 always，或在设置中添加规则。"},
	EditDenied:      {English: "The rules deny this call of %s as you changed it. Nothing was run: change it again, or deny the call.", Chinese: "规则不允许修改后的 %s 调用。未运行任何操作：请重新修改，或拒绝该调用。"},
	EditHooked:      {English: "Hooks of this installation look at calls of %s, and have seen this one as the model wrote it, so it cannot be changed. Deny it, and say in the note what to run instead.", Chinese: "本服务的钩子会检查 %s 调用，且只检查过模型所写的内容，因此不可修改。请拒绝，并在备注中说明应运行什么。"},
	EditGone:        {English: "%s has changed since it was called, so this call cannot be changed. Deny it; the model can call it again.", Chinese: "%s 在调用之后已有变化，此调用不可修改。请拒绝；模型可以重新调用。"},
	EditNoObject:    {English: "The changed arguments must be one JSON object, such as {\"command\": \"ls\"}. Nothing was allowed.", Chinese: "修改后的参数必须是一个 JSON 对象，例如 {\"command\": \"ls\"}。未允许任何操作。"},
	EditTooLong:     {English: "The changed arguments have more than %d bytes. Nothing was allowed.", Chinese: "修改后的参数超过 %d 字节。未允许任何操作。"},
	EditWithout:     {English: "Changed arguments go with allow.", Chinese: "修改后的参数只能与允许一起提交。"},
	TurnAllowed:     {English: "Everything is allowed until this turn ends, except what rules deny. `/deny turn` takes that back.", Chinese: "本轮结束前允许所有操作，规则禁止的除外。可用 `/deny turn` 收回。"},
	TurnAllowedOff:  {English: "Calls of this turn ask again.", Chinese: "本轮的操作将重新询问。"},
	TurnAllowedMany: {English: "Everything is allowed in this turn: %d calls have been permitted so. `/deny turn` makes the next ones ask again.", Chinese: "本轮允许所有操作：至今已自动允许 %d 次调用。可用 `/deny turn` 让后续操作重新询问。"},
	TurnAllowedNone: {English: "No turn runs here, so there is nothing to allow.", Chinese: "当前没有正在运行的轮次，无需允许。"},
	AnsweredMore:    {English: "and %d more", Chinese: "以及另外 %d 项"},
}

// How questions are answered where there are no buttons: the options are numbered.
const (
	NumberedOne     ID = "numbered_one"     // one question, one option
	NumberedSeveral ID = "numbered_several" // one question, several options
	NumberedForm    ID = "numbered_form"    // several questions
	NumberedFree    ID = "numbered_free"    // one question without options
)

var numbered = map[ID]map[Lang]string{
	NumberedOne:     {English: "Answer with a number or in your own words.", Chinese: "请回复编号，或直接用文字回答。"},
	NumberedSeveral: {English: "Answer with one or more numbers, such as 1 3, or in your own words.", Chinese: "可以回复一个或多个编号，例如 1 3，也可以直接用文字回答。"},
	NumberedForm:    {English: "Answer with one line for each question.", Chinese: "请逐行回答，每个问题一行。"},
	NumberedFree:    {English: "Answer in your own words.", Chinese: "请直接用文字回答。"},
}

// Texts about connecting external accounts.
const (
	OAuthAsk         ID = "oauth_ask"          // question; %s provider, %s reason
	OAuthScopes      ID = "oauth_scopes"       // %s scopes
	OAuthOpen        ID = "oauth_open"         // %s address
	OAuthNoAddress   ID = "oauth_no_address"   // the address of the page is unknown
	OAuthButton      ID = "oauth_button"       // label of a button; %s provider
	OAuthByLink      ID = "oauth_by_link"      // a text instead of the connection; %s provider
	OAuthConnected   ID = "oauth_connected"    // %s provider
	OAuthConnectedAs ID = "oauth_connected_as" // %s provider, %s account

	OAuthTitle     ID = "oauth_title"      // title of the page; %s provider
	OAuthWhose     ID = "oauth_whose"      // %s provider, %s name of the user here
	OAuthNotYou    ID = "oauth_not_you"    // instructions for another user
	OAuthForServer ID = "oauth_for_server" // what the account is for, and who asks
	OAuthGo        ID = "oauth_go"         // label of a button; %s provider
	OAuthClose     ID = "oauth_close"      // the page is not needed any more
	OAuthGoesOn    ID = "oauth_goes_on"    // the conversation continues
	OAuthFailed    ID = "oauth_failed"     // title of a page
	OAuthOver      ID = "oauth_over"       // a state or a ticket that was used, or is too old
	OAuthForged    ID = "oauth_forged"     // a ticket that is none
	OAuthOther     ID = "oauth_other"      // another user is signed in
	OAuthGone      ID = "oauth_gone"       // the provider is gone or switched off
	OAuthMixed     ID = "oauth_mixed"      // another provider has answered
	OAuthSays      ID = "oauth_says"       // %s provider, %s its message
	OAuthElsewhere ID = "oauth_elsewhere"  // the form was sent from another page
	OAuthDisabled  ID = "oauth_disabled"   // the user is disabled
	OAuthLater     ID = "oauth_later"      // %s what went wrong
	OAuthOurs      ID = "oauth_ours"       // a fault of this server
	OAuthToPage    ID = "oauth_to_page"    // link to the page
)

var oauths = map[ID]map[Lang]string{
	OAuthAsk:         {English: "May I use your account at %s? %s", Chinese: "是否允许我使用你在 %s 的账号？%s"},
	OAuthScopes:      {English: "It asks for: %s", Chinese: "请求的权限：%s"},
	OAuthOpen:        {English: "Connect it here: %s", Chinese: "请在此完成授权：%s"},
	OAuthNoAddress:   {English: "To connect it, open the page, Settings → Connected accounts.", Chinese: "请在网页的“设置 → 已连接的账号”中完成授权。"},
	OAuthButton:      {English: "Connect %s", Chinese: "连接 %s"},
	OAuthByLink:      {English: "This is answered by connecting the account at %s, not in words.", Chinese: "此处需要连接你在 %s 的账号，无法用文字回答。"},
	OAuthConnected:   {English: "connected: %s", Chinese: "已连接：%s"},
	OAuthConnectedAs: {English: "connected: %s as %s", Chinese: "已连接：%s（%s）"},

	OAuthTitle:     {English: "Connect %s", Chinese: "连接 %s"},
	OAuthWhose:     {English: "xbot will be able to use your account at %s for %s, who is asked for it.", Chinese: "授权后，xbot 可代表 %[2]s 使用你在 %[1]s 的账号。"},
	OAuthForServer: {English: "The account at %[2]s will be used by xbot at the MCP server %[1]s, which is sent the tokens. Go on only if you trust this server with that account.", Chinese: "xbot 将在 MCP 服务器 %[1]s 上使用你在 %[2]s 的账号，令牌会发送给该服务器。仅当你信任该服务器时才继续。"},
	OAuthNotYou:    {English: "If you are somebody else, or have not asked for this, close this page: it would give your account to them.", Chinese: "如果你不是此人，或并未请求此操作，请关闭此页面：否则对方将能使用你的账号。"},
	OAuthGo:        {English: "Continue to %s", Chinese: "前往 %s"},
	OAuthClose:     {English: "You can close this page.", Chinese: "可以关闭此页面。"},
	OAuthGoesOn:    {English: "The conversation that asked goes on.", Chinese: "请求授权的对话会继续进行。"},
	OAuthFailed:    {English: "The account was not connected", Chinese: "账号未连接"},
	OAuthOver:      {English: "This link is too old, was used, or belongs to another browser. Nothing was stored. Open the link of the question once more, or begin in the settings.", Chinese: "此链接已过期、已被使用，或属于另一个浏览器。未保存任何内容。请重新打开询问中的链接，或在设置中重新开始。"},
	OAuthForged:    {English: "This link is not valid: check that it was copied whole.", Chinese: "此链接无效：请检查是否完整复制。"},
	OAuthOther:     {English: "Somebody else than the person whom this link is for is signed in here, or nobody is. Nothing was stored. Sign in as that person, or open the link in another browser.", Chinese: "此处登录的并非该链接所属的人，或尚未登录。未保存任何内容。请以本人身份登录，或在其他浏览器中打开。"},
	OAuthGone:      {English: "This provider was removed or is switched off. Ask an administrator.", Chinese: "此服务已被移除或停用，请联系管理员。"},
	OAuthMixed:     {English: "Another provider has answered than the one that was asked. Nothing was stored.", Chinese: "作出答复的并非所请求的服务。未保存任何内容。"},
	OAuthSays:      {English: "%s says: %s. Nothing was stored.", Chinese: "%s 的答复：%s。未保存任何内容。"},
	OAuthElsewhere: {English: "This has to be begun with the button of this page.", Chinese: "请使用此页面上的按钮开始。"},
	OAuthDisabled:  {English: "This account of xbot is disabled.", Chinese: "此 xbot 账号已停用。"},
	OAuthLater:     {English: "%s. Nothing was stored; open the link once more to try again.", Chinese: "%s。未保存任何内容；请重新打开链接再试。"},
	OAuthOurs:      {English: "Something went wrong here; the log of the server says what. Open the link once more to try again.", Chinese: "服务器出错，详情见日志。请重新打开链接再试。"},
	OAuthToPage:    {English: "Connected accounts", Chinese: "已连接的账号"},
}
