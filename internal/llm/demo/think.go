package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/llm"
)

// think decides the answer: calls for requests that nobody has acted on yet, otherwise a text that covers everything
// since the last answer. Several messages may wait for one answer, and none of them may go unmentioned.
func think(req llm.Request) llm.Answer {
	earlier := slices.ContainsFunc(req.Messages, isSummary) // an answer stands behind it
	req.Messages = spoken(req.Messages)
	t := turn{req: req}
	t.read()
	t.first = t.first && !earlier
	w := t.words()
	if len(t.calls) > 0 {
		text := w.calling(t.calls)
		if t.first {
			text = w.intro + "\n\n" + text
		}
		return llm.Answer{Text: text, Reasoning: w.reasoning(t.calls), ToolCalls: encode(t.calls), Finish: llm.FinishToolCalls}
	}
	var parts []string
	if t.first {
		parts = append(parts, w.intro)
	}
	for _, result := range t.results {
		parts = append(parts, w.report(result))
	}
	for _, message := range t.talk {
		parts = append(parts, t.reply(w, message))
	}
	if len(parts) == 0 {
		parts = append(parts, w.nothing)
	}
	return llm.Answer{Text: strings.Join(parts, "\n\n"), Finish: llm.FinishStop}
}

// preface is the line that xbot writes before what a person wrote: the time and the folder.
var preface = regexp.MustCompile(`^\[\d{4}-\d\d-\d\d [^\]\n]*\]\n`)

// isSummary reports whether a message is the summary of what came before.
func isSummary(m llm.Message) bool {
	return m.Role == "user" && strings.HasPrefix(m.Content, "[Compacted context]")
}

// spoken returns the messages with what people wrote, and that alone: no reminders, no summaries, no prefaces.
func spoken(messages []llm.Message) []llm.Message {
	out := slices.DeleteFunc(slices.Clone(messages), func(m llm.Message) bool {
		return m.Volatile || isSummary(m)
	})
	for i, m := range out {
		if m.Role == "user" {
			out[i].Content = preface.ReplaceAllString(m.Content, "")
		}
	}
	return out
}

// turn is what the demo makes of a request.
type turn struct {
	req     llm.Request
	first   bool   // no answer was given yet
	chinese bool   // the newest message is Chinese
	calls   []call // requests after the last assistant message
	results []done // results since the last answer
	talk    []string
}

// done is a call with its result.
type done struct {
	llm.ToolCall
	result llm.Message
}

func (t *turn) read() {
	start, acted := 0, 0 // the first message after the last answer, and after the last assistant message
	t.first = true
	for i, m := range t.req.Messages {
		switch {
		case m.Role == "assistant" && len(m.ToolCalls) > 0:
			acted, t.first = i+1, false
		case m.Role == "assistant":
			start, acted, t.first = i+1, i+1, false
		case m.Role == "user" && !ended.MatchString(m.Content):
			t.chinese = isChinese(m.Content)
		}
	}
	for i, m := range t.req.Messages[start:] {
		switch m.Role {
		case "assistant":
			t.collect(m.ToolCalls)
		case "user":
			t.hear(m.Content, start+i >= acted)
		}
	}
}

// collect finds the results of calls.
func (t *turn) collect(calls []llm.ToolCall) {
	for _, asked := range calls {
		for _, m := range t.req.Messages {
			if m.Role == "tool" && m.ToolCallID == asked.ID {
				t.results = append(t.results, done{asked, m})
				break
			}
		}
	}
}

// hear sorts a message into calls to make, and talk to answer. Requests that were acted on need no more.
func (t *turn) hear(message string, fresh bool) {
	calls := understand(message)
	if len(calls) == 0 || ended.MatchString(message) {
		t.talk = append(t.talk, message)
		return
	}
	for _, c := range calls {
		switch {
		case !t.offered(c.tool):
			t.talk = append(t.talk, message)
			return
		case fresh:
			t.calls = append(t.calls, c)
		}
	}
}

func (t *turn) offered(tool string) bool {
	return slices.ContainsFunc(t.req.Tools, func(o llm.Tool) bool { return o.Name == tool })
}

// reply answers a message that asks for no tool, or for one that is missing.
func (t *turn) reply(w phrases, message string) string {
	if task := ended.FindStringSubmatch(message); task != nil {
		return fmt.Sprintf(w.taskEnded, task[1], task[2])
	}
	if calls := understand(message); len(calls) > 0 {
		return w.missing(calls[0].tool)
	}
	for _, topic := range topics {
		if topic.heard.MatchString(strings.TrimSpace(message)) {
			return topic.answer(t, w)
		}
	}
	if t.first {
		return w.echo(message) + "\n\n" + w.help
	}
	return w.echo(message) + " " + w.hint
}

// said returns what the person wrote, oldest first, without the newest message.
func (t *turn) said() []string {
	var all []string
	for _, m := range t.req.Messages {
		if m.Role == "user" {
			all = append(all, m.Content)
		}
	}
	return all[:max(0, len(all)-1)]
}

func encode(calls []call) []llm.ToolCall {
	var all []llm.ToolCall
	for i, c := range calls {
		all = append(all, llm.ToolCall{ID: fmt.Sprintf("demo_%d", i), Name: c.tool, Arguments: c.arguments()})
	}
	return all
}

// isChinese reports whether a text has a Han character, and few others: a file's Chinese name does not make an
// English request Chinese.
func isChinese(text string) bool {
	han, latin := 0, 0
	for _, r := range text {
		switch {
		case r >= 0x4e00 && r <= 0x9fff:
			han++
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			latin++
		}
	}
	return han > 0 && 6*han >= latin
}
