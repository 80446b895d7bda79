package cli

import (
	"bufio"
	"fmt"

	"xbot/internal/apiclient"
	"xbot/internal/cli/story"
	"xbot/internal/cli/text"
	"xbot/internal/cli/tui"
)

// answerAll gives the same answer to every question.
func answerAll(allow bool) func(*story.Call) (apiclient.Answer, bool) {
	return func(*story.Call) (apiclient.Answer, bool) { return apiclient.Answer{Allow: allow}, true }
}

// askPerson asks the person at a terminal that can only print. At the end of the input nobody can answer.
func (p Program) askPerson(lines *bufio.Scanner) func(*story.Call) (apiclient.Answer, bool) {
	return func(call *story.Call) (apiclient.Answer, bool) {
		name := text.Line(call.Name)
		fmt.Fprintf(p.Out, "\n? May %s run?\n%s\n", name, text.Plain(tui.Wanted(call.ToolCall)))
		if reason := text.Line(call.Approval.Reason); reason != "" {
			fmt.Fprintf(p.Out, "why: %s\n", reason)
		}
		for {
			fmt.Fprintf(p.Out, "y allows, n [why] denies, a always allows %s: ", name)
			if !lines.Scan() {
				return apiclient.Answer{}, false
			}
			if answer, ok := tui.ReadAnswer(lines.Text()); ok {
				return answer, true
			}
		}
	}
}
