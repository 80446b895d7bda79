package i18n

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
