package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/client/cli/markdown"
	"xbot/internal/client/cli/story"
	"xbot/internal/client/cli/text"
	"xbot/internal/turn/question"
)

// call draws a tool call: one line, below it what its command prints while it runs or why it failed, and everything
// when details are unfolded.
func (c *column) call(call *story.Call) []string {
	lines := []string{"  " + c.callHead(call)}
	bar := "    " + c.theme.dim.Render("│") + " "
	width := c.full() - 4
	switch {
	case call.Asking():
		lines = append(lines, c.question(call, bar, width)...)
	case c.details:
		lines = append(lines, c.block(arguments(call.ToolCall), bar, width)...)
		lines = append(lines, c.block(c.printed(call), bar, width)...)
	case call.State == chat.CallRunning:
		lines = append(lines, c.lastLines(call, bar, width)...)
	case text.Skipped(call.ToolCall):
		lines = append(lines, "    "+c.theme.dim.Render("skipped for your message"))
	case call.State == chat.CallDone && call.IsError:
		lines = append(lines, "    "+c.theme.bad.Render(cut(failure(call.Result), width+2)))
	}
	if call.Approval != nil && !call.Asking() {
		if said := text.ApprovalState(*call.Approval); said != "" {
			lines = append(lines, "    "+c.theme.dim.Render(cut(said, width+2)))
		}
	}
	if call.Offload != "" && c.details {
		lines = append(lines, "    "+c.theme.dim.Render(cut("the model saw this summary; the whole result is in the page", width+2)))
	}
	if call.Task != "" {
		lines = append(lines, "    "+c.theme.dim.Render("goes on in the background as "+text.Line(call.Task)))
	}
	return lines
}

// question draws what wants to run, the whole of it, and why.
func (c *column) question(call *story.Call, bar string, width int) []string {
	lines := each(markdown.Wrap(strings.TrimRight(text.Plain(Wanted(call.ToolCall)), "\n"), width), func(line string) string { return bar + line })
	if reason := text.Line(call.Approval.Reason); reason != "" {
		lines = append(lines, c.behind(bar, markdown.Wrap("why: "+reason, width))...)
	}
	return lines
}

// Wanted returns all that a user has to see before a call may run: every argument, a command in full, its questions with their
// options.
func Wanted(call chat.ToolCall) string {
	if call.Approval != nil && len(call.Approval.Questions) > 0 {
		return question.List(call.Approval.Questions)
	}
	if call.Approval != nil && call.Approval.Plan != nil {
		return question.ShowPlan(*call.Approval.Plan)
	}
	if call.Approval != nil && call.Approval.Preview != "" {
		return call.Approval.Preview
	}
	var command struct {
		Command string `json:"command"`
	}
	if err := json.Unmarshal([]byte(call.Arguments), &command); err == nil && command.Command != "" {
		return command.Command
	}
	call.Summary = "" // the arguments leave it out
	return arguments(call)
}

// callHead returns the mark, the tool, its argument and how long it took.
func (c *column) callHead(call *story.Call) string {
	mark, took := c.theme.dim.Render("○"), ""
	switch {
	case call.Asking():
		mark = c.theme.warn.Render("?")
	case call.State == chat.CallRunning:
		mark = c.theme.accent.Render("●")
		if call.StartedAt != nil {
			took = seconds(c.now.Sub(*call.StartedAt))
		}
	case text.Skipped(call.ToolCall):
		mark = c.theme.dim.Render("–")
	case call.State == chat.CallDone && call.IsError:
		mark = c.theme.bad.Render("✗")
	case call.State == chat.CallDone:
		mark = c.theme.good.Render("✓")
	}
	if call.StartedAt != nil && call.FinishedAt != nil {
		took = text.Lasted(call.FinishedAt.Sub(*call.StartedAt))
	}
	head := mark + " " + text.Line(call.Name) + " " + c.theme.dim.Render(text.Line(call.Summary))
	return spread(head, c.theme.dim.Render(took), c.inner())
}

// printed returns the result of a call, or what it has printed so far.
func (c *column) printed(call *story.Call) string {
	if call.State == chat.CallDone {
		return call.Result
	}
	if call.Cut {
		return "…\n" + call.Output
	}
	return call.Output
}

func (c *column) lastLines(call *story.Call, bar string, width int) []string {
	printed := strings.TrimRight(text.Plain(call.Output), "\n")
	if printed == "" {
		return nil
	}
	all := strings.Split(printed, "\n")
	return c.behind(bar, each(all[max(0, len(all)-runningLines):], func(line string) string { return cut(line, width) }))
}

// block draws a text behind a bar; of a long one, its head and its tail.
func (c *column) block(content, bar string, width int) []string {
	content = strings.TrimRight(text.Plain(content), "\n")
	if content == "" {
		return nil
	}
	all := markdown.Wrap(content, width)
	if left := len(all) - detailLines; left > 1 {
		middle := fmt.Sprintf("… %d lines …", left)
		all = append(append(append([]string{}, all[:detailLines/2]...), middle), all[len(all)-detailLines/2:]...)
	}
	return c.behind(bar, all)
}

// behind draws dim lines behind a bar.
func (c *column) behind(bar string, lines []string) []string {
	return each(lines, func(line string) string { return bar + c.theme.dim.Render(line) })
}

// failure returns the most informative line of a failed result: the last one that is no hint for the model, since commands print their errors last and
// tools return one sentence.
func failure(result string) string {
	best := ""
	for line := range strings.Lines(text.Plain(result)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "Please fix the issue"), strings.HasPrefix(line, "Do NOT retry"):
		case strings.HasPrefix(line, "[") && best != "":
			return best + " " + line // how the command ended
		default:
			best = line
		}
	}
	return strings.TrimPrefix(best, "Error: ")
}

// arguments shows the arguments of a call by name, unless the line above has them all.
func arguments(call chat.ToolCall) string {
	decoder := json.NewDecoder(bytes.NewReader([]byte(call.Arguments)))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return call.Arguments
	}
	var out strings.Builder
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return call.Arguments
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return call.Arguments
		}
		if shown, ok := value.(string); ok {
			if text.Line(shown) == call.Summary {
				continue
			}
			if strings.Contains(shown, "\n") {
				shown = "\n" + shown
			}
			fmt.Fprintf(&out, "%s: %s\n", name, shown)
			continue
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return call.Arguments
		}
		fmt.Fprintf(&out, "%s: %s\n", name, encoded)
	}
	return out.String()
}
