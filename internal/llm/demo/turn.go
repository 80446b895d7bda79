package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/llm"
)

// turn is a conversation as the demo reads it.
type turn struct {
	tools    []llm.Tool
	messages []llm.Message // without reminders, summaries and prefaces
	first    bool          // the conversation has no answer yet
	chinese  bool          // the newest message is Chinese
	calls    []call        // requests after the last assistant message
	results  []result      // results since the last answer
	talk     []string      // messages since the last answer that a text answers
}

// result is a tool call with its result.
type result struct {
	llm.ToolCall
	output llm.Message
}

// think decides the answer: calls for requests without one, otherwise a text that covers every message and result since
// the last answer.
func think(req llm.Request) llm.Answer {
	t := read(req)
	var parts []string
	if t.first {
		parts = append(parts, t.intro())
	}
	if len(t.calls) > 0 {
		parts = append(parts, t.announce())
		return llm.Answer{Text: strings.Join(parts, "\n\n"), Reasoning: t.reasoning(), ToolCalls: encode(t.calls), Finish: llm.FinishToolCalls}
	}
	for _, r := range t.results {
		parts = append(parts, t.report(r))
	}
	for _, message := range t.talk {
		parts = append(parts, t.reply(message))
	}
	if len(parts) == 0 {
		parts = append(parts, t.say(nothing))
	}
	return llm.Answer{Text: strings.Join(parts, "\n\n"), Finish: llm.FinishStop}
}

var (
	// preface is the line that xbot writes before a user's message: the time and the folder.
	preface = regexp.MustCompile(`^\[\d{4}-\d\d-\d\d [^\]\n]*\]\n`)
	// ended is the notice that a background task has ended.
	ended = regexp.MustCompile(`^\[background task (\S+) ended: ([^\]\n]*)\]`)
)

func read(req llm.Request) *turn {
	t := &turn{tools: req.Tools, first: true}
	start := 0 // the first message after the last answer
	for _, m := range req.Messages {
		switch {
		case m.Role == "user" && strings.HasPrefix(m.Content, "[Compacted context]"):
			t.first = false // the summary covers an answer
			continue
		case m.Volatile:
			continue
		case m.Role == "user":
			m.Content = preface.ReplaceAllString(m.Content, "")
			if !ended.MatchString(m.Content) {
				t.chinese = isChinese(m.Content)
			}
		case m.Role == "assistant":
			t.first = false
			if len(m.ToolCalls) == 0 {
				start = len(t.messages) + 1
			}
		}
		t.messages = append(t.messages, m)
	}
	for _, m := range t.messages[start:] {
		switch m.Role {
		case "assistant":
			t.calls = nil // made
			t.collect(m.ToolCalls)
		case "user":
			t.classify(m.Content)
		}
	}
	return t
}

// collect finds the results of calls.
func (t *turn) collect(calls []llm.ToolCall) {
	for _, c := range calls {
		at := slices.IndexFunc(t.messages, func(m llm.Message) bool { return m.Role == "tool" && m.ToolCallID == c.ID })
		if at >= 0 {
			t.results = append(t.results, result{c, t.messages[at]})
		}
	}
}

// classify sorts a message into calls to make and talk to answer.
func (t *turn) classify(message string) {
	calls := understand(message)
	if len(calls) == 0 || ended.MatchString(message) {
		t.talk = append(t.talk, message)
		return
	}
	for _, c := range calls {
		if !t.offered(c.tool) {
			t.talk = append(t.talk, message)
			return
		}
		t.calls = append(t.calls, c)
	}
}

func (t *turn) offered(tool string) bool {
	return slices.ContainsFunc(t.tools, func(o llm.Tool) bool { return o.Name == tool })
}

// consumer reports whether the reader is a consumer of a service: tools are offered, and no commands among them.
func (t *turn) consumer() bool { return len(t.tools) > 0 && !t.offered("Shell") }

func encode(calls []call) []llm.ToolCall {
	var all []llm.ToolCall
	for i, c := range calls {
		all = append(all, llm.ToolCall{ID: fmt.Sprintf("demo_%d", i), Name: c.tool, Arguments: c.args.encode()})
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
