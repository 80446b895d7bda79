package chat

// Inquiry is one question of the model to a person, by the tool AskUser. It is answered with labels of its options, with
// words of the person's own where Other is set, or both where Multi is set.
type Inquiry struct {
	Name    string          `json:"name" doc:"Names the answer: q1, q2 ... in their order."`
	Text    string          `json:"text"`
	Options []InquiryOption `json:"options,omitempty" doc:"What can be chosen; none: the answer is free text."`
	Multi   bool            `json:"multi,omitempty" doc:"More than one answer may be given."`
	Other   bool            `json:"other,omitempty" doc:"Words of one's own are an answer, too; always so without options."`
}

// InquiryOption is something that can be chosen.
type InquiryOption struct {
	Label string `json:"label" doc:"What is sent as the answer; no two of a question are the same."`
	About string `json:"about,omitempty" doc:"What it means, one line."`
}

// Answers are what a person said to the questions of a call: by the name of a question, at least one answer each.
type Answers map[string][]string

// Bounds of the questions of one call.
const (
	MaxInquiries   = 4
	MaxOptions     = 8
	MaxInquiryText = 1000 // characters of a question
	MaxOptionLabel = 100  // characters
	MaxOptionAbout = 300  // characters
	// MaxAnswers bounds all answers to the questions of a call together, in bytes.
	MaxAnswers = 20_000
)
