package cli

import (
	"bufio"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/story"
	"xbot/internal/client/cli/text"
	"xbot/internal/client/cli/tui"
	"xbot/internal/i18n"
	"xbot/internal/turn/question"
)

// answerAll gives the same answer to every question. To those of the model it knows none, and declines if it is to deny.
func answerAll(allow bool) func(*story.Call) (apiclient.Answer, bool) {
	answer := apiclient.Answer{Decision: apiclient.Deny}
	if allow {
		answer.Decision = apiclient.Allow
	}
	return func(call *story.Call) (apiclient.Answer, bool) {
		return answer, !allow || len(call.Approval.Questions) == 0
	}
}

// askPerson asks the user at a terminal that can only print. At the end of the input there is no answer.
func (p Program) askPerson(lines *bufio.Scanner) func(*story.Call) (apiclient.Answer, bool) {
	return func(call *story.Call) (apiclient.Answer, bool) {
		if asked := call.Approval.Questions; len(asked) > 0 {
			return p.askEach(lines, asked)
		}
		head, read := "May "+text.Line(call.Name)+" run?", tui.ReadAnswer
		if plan := call.Approval.Plan; plan != nil {
			head = "May this be done?"
			read = func(typed string) (apiclient.Answer, bool) { return tui.ReadPlanAnswer(*plan, typed) }
		}
		fmt.Fprintf(p.Out, "\n? %s\n%s\n", head, text.Plain(tui.Wanted(call.ToolCall)))
		if reason := text.Line(call.Approval.Reason); reason != "" {
			fmt.Fprintf(p.Out, "why: %s\n", reason)
		}
		for {
			fmt.Fprintf(p.Out, "%s: ", tui.HowToAnswer(call, ", "))
			if !lines.Scan() {
				return apiclient.Answer{}, false
			}
			if answer, ok := read(lines.Text()); ok {
				return answer, true
			}
		}
	}
}

// askEach asks the user one question of the model after the other. A line that begins with /deny declines to answer all.
func (p Program) askEach(lines *bufio.Scanner, questions []chat.Inquiry) (apiclient.Answer, bool) {
	answers := chat.Answers{}
	for _, q := range questions {
		if q.Default != "" && len(questions) > 1 {
			continue
		}
		one := []chat.Inquiry{q}
		fmt.Fprintf(p.Out, "\n? %s (/deny declines)\n", text.Plain(question.Show(i18n.English, one)))
		for read := false; !read; {
			fmt.Fprint(p.Out, "> ")
			if !lines.Scan() {
				return apiclient.Answer{}, false
			}
			if note, declined := strings.CutPrefix(lines.Text(), "/deny"); declined {
				return apiclient.Answer{Decision: apiclient.Deny, Note: strings.TrimSpace(note)}, true
			}
			answer, err := question.Read(one, lines.Text())
			if err != nil {
				fmt.Fprintln(p.Out, text.Plain(err.Error()))
				continue
			}
			answers[q.Name], read = answer[q.Name], true
		}
	}
	return apiclient.Answer{Decision: apiclient.Allow, Answers: answers}, true
}
