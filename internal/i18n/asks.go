package i18n

import "xbot/internal/chat"

// What people on platforms are asked before a call runs, and what they are told of their answers.
const (
	AskTitle    ID = "ask_title"    // %s tool
	AskFolder   ID = "ask_folder"   // %s the folder that it runs in
	AskCut      ID = "ask_cut"      // %d characters that are not shown
	AskNote     ID = "ask_note"     // label of the field
	AskAllow    ID = "ask_allow"    // label of a button
	AskAlways   ID = "ask_always"   // label of a button
	AskDeny     ID = "ask_deny"     // label of a button
	AskHow      ID = "ask_how"      // how it is answered in words
	AskUnknown  ID = "ask_unknown"  // the question may not have arrived
	AskRefused  ID = "ask_refused"  // the platform has refused the question
	SentRefused ID = "sent_refused" // the platform has refused an answer
	AskAllowed  ID = "ask_allowed"  // %s who
	AskDenied   ID = "ask_denied"   // %s who
	AskLate     ID = "ask_late"     // nobody answered in time
	AskVoid     ID = "ask_void"     // the turn ended first
	AskNotYours ID = "ask_notyours" // somebody else has to answer
	AskRetry    ID = "ask_retry"    // an answer was not recorded
	AskForm     ID = "ask_form"     // title above questions of the model
	AskSend     ID = "ask_send"     // label of a button
	AskDecline  ID = "ask_decline"  // label of a button
	AskDeclineH ID = "ask_declineh" // how questions are declined in words
	AskTaken    ID = "ask_taken"    // answers were recorded
	AskAnswered ID = "ask_answered" // %s who
	AskDeclined ID = "ask_declined" // %s who
)

var asks = map[ID]map[Lang]string{
	AskTitle:    {English: "May %s run?", Chinese: "是否允许运行 %s?"},
	AskFolder:   {English: "Folder: %s", Chinese: "目录：%s"},
	AskCut:      {English: "(%d more characters are not shown here; the page shows them.)", Chinese: "(还有 %d 个字符未在此显示，可在网页上查看。)"},
	AskNote:     {English: "Note (optional)", Chinese: "备注(可选)"},
	AskAllow:    {English: "Allow once", Chinese: "允许一次"},
	AskAlways:   {English: "Always", Chinese: "总是允许"},
	AskDeny:     {English: "Deny", Chinese: "拒绝"},
	AskHow:      {English: "Reply `/approve`, or `/deny` and why.", Chinese: "请回复 `/approve` 允许，或 `/deny 原因` 拒绝。"},
	AskRefused:  {English: "The platform did not take my question. Something waits for your permission: reply `/approve`, or `/deny` and why; the page shows what it is.", Chinese: "平台未接受我的询问。有操作正在等待你的许可：请回复 `/approve` 允许，或 `/deny 原因` 拒绝；具体内容可在网页上查看。"},
	SentRefused: {English: "The platform did not take my last answer. The page shows it; or ask me to put it in other words.", Chinese: "平台未接受我的上一条回答。可在网页上查看，或让我换一种说法。"},
	AskUnknown:  {English: "It is not known whether my question arrived: the connection broke while it was sent. Something waits for your permission: reply `/approve`, or `/deny` and why; the page shows what it is.", Chinese: "不确定上一条询问是否送达：发送时连接中断。有操作正在等待你的许可：请回复 `/approve` 允许，或 `/deny 原因` 拒绝；具体内容可在网页上查看。"},
	AskAllowed:  {English: "Allowed by %s", Chinese: "%s 已允许"},
	AskDenied:   {English: "Denied by %s", Chinese: "%s 已拒绝"},
	AskLate:     {English: "Nobody answered in time, so it was not run.", Chinese: "无人及时答复，未运行。"},
	AskVoid:     {English: "Not needed any more: the turn ended before anybody answered.", Chinese: "已不再需要：答复之前本轮已结束。"},
	AskNotYours: {English: "Only the person who was asked can answer this; in a group, an administrator.", Chinese: "只有被询问的人可以答复；在群聊中由管理员答复。"},
	AskForm:     {English: "A question for you", Chinese: "有问题想请教你"},
	AskSend:     {English: "Send", Chinese: "提交"},
	AskDecline:  {English: "Decline", Chinese: "不回答"},
	AskDeclineH: {English: "`/deny` declines.", Chinese: "不想回答请回复 `/deny`。"},
	AskTaken:    {English: "Thank you, your answer was taken.", Chinese: "已收到你的答复。"},
	AskAnswered: {English: "Answered by %s", Chinese: "%s 已答复"},
	AskDeclined: {English: "Declined by %s", Chinese: "%s 不作答复"},
	AskRetry:    {English: "Your answer was not recorded. Press again in a moment.", Chinese: "答复未能记录，请稍后再按一次。"},
}

// Outcome says how a question to a person ended.
func Outcome(lang Lang, a chat.Approval) string {
	allowed, denied := AskAllowed, AskDenied
	if len(a.Questions) > 0 {
		allowed, denied = AskAnswered, AskDeclined
	}
	switch {
	case a.State == chat.ApprovalAllowed:
		return Say(lang, allowed, a.AnsweredBy)
	case a.State == chat.ApprovalDenied && a.AnsweredBy == chat.AnsweredByNobody:
		return Say(lang, AskLate)
	case a.State == chat.ApprovalDenied:
		return Say(lang, denied, a.AnsweredBy)
	default:
		return Say(lang, AskVoid)
	}
}
