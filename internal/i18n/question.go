package i18n

// What is said about the questions of the model (tool AskUser).
const (
	InquiryOption   ID = "inquiry_option"    // %s question, %s what was chosen, %s what can be
	InquiryOne      ID = "inquiry_one"       // %s question
	InquiryMissing  ID = "inquiry_missing"   // %s question
	InquiryUnknown  ID = "inquiry_unknown"   // %q name, %s names that there are
	InquiryTooLong  ID = "inquiry_too_long"  // %d bytes
	InquiryLines    ID = "inquiry_lines"     // %d questions
	InquiryOpen     ID = "inquiry_open"      // a permission was given where an answer is needed
	InquiryNone     ID = "inquiry_none"      // answers to a call that asks for permission
	InquiryAlways   ID = "inquiry_always"    // a question is asked each time
	InquiryLeave    ID = "inquiry_leave"     // how a question is left without an answer
	InquiryAnswered ID = "inquiry_answered"  // %s answers
	InquiryHowOne   ID = "inquiry_how_one"   // how a question is answered: with options
	InquiryHowMany  ID = "inquiry_how_many"  // the same, several of them
	InquiryHowOther ID = "inquiry_how_other" // the same, options or words
	InquiryHowBoth  ID = "inquiry_how_both"  // the same, several options or words
	InquiryHowText  ID = "inquiry_how_text"  // the same, words alone
	InquiryHowLines ID = "inquiry_how_lines" // the same, several questions
	InquiryDeclined ID = "inquiry_declined"  // result of a question that a person declined; %s note
	InquiryLate     ID = "inquiry_late"      // result of a question that nobody answered in time
	InquiryStopped  ID = "inquiry_stopped"   // result of a question of a turn that was stopped
	InquiryTogether ID = "inquiry_together"  // result of questions that were answered in one text; %s text
)

var inquiries = map[ID]map[Lang]string{
	InquiryOption:   {English: "%q is no answer to %q, which can be answered with: %s.", Chinese: "%q 不是 %q 的可选答案，可选：%s。"},
	InquiryOne:      {English: "%q takes one answer.", Chinese: "%q 只能选一个答案。"},
	InquiryMissing:  {English: "%q has no answer.", Chinese: "%q 还没有答案。"},
	InquiryUnknown:  {English: "There is no question %q; there are: %s.", Chinese: "没有名为 %q 的问题，现有：%s。"},
	InquiryTooLong:  {English: "The answers have more than %d bytes together. Write a shorter one, or put the text into a file.", Chinese: "答案合计超过 %d 字节。请缩短，或把文字放进文件。"},
	InquiryLines:    {English: "There are %d questions. Answer each on a line of its own, in their order.", Chinese: "共有 %d 个问题。请按顺序逐行作答，每题一行。"},
	InquiryOpen:     {English: "A question waits here, and needs an answer rather than a permission: answer it in a message, or decline with `/deny`.", Chinese: "这里等待的是一个问题，需要作答而不是许可：请直接发消息回答，或用 `/deny` 拒绝回答。"},
	InquiryNone:     {English: "This call asks for permission: allow or deny it.", Chinese: "此调用需要的是许可：请允许或拒绝。"},
	InquiryAlways:   {English: "A question is asked each time; always goes with permissions.", Chinese: "问题每次都要单独回答；always 只用于许可。"},
	InquiryLeave:    {English: "`/deny` declines to answer.", Chinese: "不想回答可发送 `/deny`。"},
	InquiryAnswered: {English: "Answered: %s", Chinese: "已回答：%s"},
	InquiryHowOne:   {English: "Answer with a number.", Chinese: "请回复编号。"},
	InquiryHowMany:  {English: "Answer with numbers, separated by commas.", Chinese: "请回复编号，可多选，用逗号分隔。"},
	InquiryHowOther: {English: "Answer with a number, or in your own words.", Chinese: "请回复编号，或直接写下你的回答。"},
	InquiryHowBoth:  {English: "Answer with numbers, separated by commas, or in your own words.", Chinese: "请回复编号，可多选，用逗号分隔；也可直接写下你的回答。"},
	InquiryHowText:  {English: "Answer in your own words.", Chinese: "请直接写下你的回答。"},
	InquiryHowLines: {English: "Answer each question on a line of its own.", Chinese: "请逐行作答，每题一行。"},
	InquiryDeclined: {English: "The user declined to answer%s. Do not ask the same again: go on without the answer where that is safe, or say what you would need.", Chinese: ""},
	InquiryLate:     {English: "Nobody answered within the time that questions stay open. Go on without the answer where that is safe, or say what you would need.", Chinese: ""},
	InquiryStopped:  {English: "Not answered: the user stopped the turn while the question was open.", Chinese: ""},
	InquiryTogether: {English: "The user answered all of them together:\n%s", Chinese: ""},
}
