// Package ask is the tool with which a model asks a user. The question is part of the call's row and the waiting is the
// turn's, as with permissions: a call runs once it is answered, and its result is the answer.
package ask

import (
	"context"
	_ "embed"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/turn/question"
)

//go:embed askuser.md
var doc string

type params struct {
	Questions []questionParams `json:"questions"`
}

type questionParams struct {
	Question    string   `json:"question"`
	Options     []option `json:"options,omitempty"`
	MultiSelect bool     `json:"multi_select,omitempty"`
	AllowOther  bool     `json:"allow_other,omitempty" jsonschema:"Free text, too."`
}

type option struct {
	Label string `json:"label"`
	About string `json:"about,omitempty"`
}

type handler struct{}

// New returns the tool AskUser.
func New() tool.Tool { return tool.DefineQuick("AskUser", chat.ClassRead, doc, handler{}) }

func (handler) Summary(p params) string {
	if len(p.Questions) == 0 {
		return ""
	}
	if more := len(p.Questions) - 1; more > 0 {
		return fmt.Sprintf("%s (+%d)", tool.OneLine(p.Questions[0].Question, 160), more) // users read it: the question is in their language
	}
	return p.Questions[0].Question
}

// Questions returns the questions for the user.
func (handler) Questions(p params) ([]chat.Inquiry, error) {
	out := make([]chat.Inquiry, len(p.Questions))
	for i, q := range p.Questions {
		out[i] = chat.Inquiry{Text: q.Question, Multi: q.MultiSelect, Other: q.AllowOther}
		for _, o := range q.Options {
			out[i].Options = append(out[i].Options, chat.InquiryOption(o))
		}
	}
	return question.Check(out)
}

// Run returns the answers. A call whose arguments cannot be asked was not, and learns why.
func (h handler) Run(_ context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	if a := call.Approval; a != nil && len(a.Answers) > 0 {
		return tool.Text(question.Result(a.Questions, a.Answers)), nil
	}
	if _, err := h.Questions(p); err != nil {
		return tool.FromError(err)
	}
	return tool.Fail("the question was not asked, because the rules changed meanwhile"), nil
}
