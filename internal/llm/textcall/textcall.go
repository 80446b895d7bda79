// Package textcall parses tool calls in the text of an answer. Models write them there if their server does not
// know the format of their chat template.
package textcall

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/llm"
)

// Parser limits.
const (
	maxText  = 1 << 20 // bytes of an answer
	maxCalls = 64
)

// Result is a parsed answer.
type Result struct {
	Text  string // text before the calls
	Calls []llm.ToolCall
	// Broken: the answer ends with a call that is malformed or names a tool that was not offered.
	Broken bool
}

// marks begin a call at the beginning of a line, in the formats of Hermes, Qwen and GLM, of Llama, of Mistral, and of Claude.
var marks = []string{"<tool_call>", "<tool_calls>", "<function=", "[TOOL_CALLS]", "<function_calls>", "<invoke name=", "commentary to=functions."}

// tokens begin a call anywhere in a line: those of Kimi, DeepSeek, MiniMax and of OpenAI's open models, which are in no prose.
var tokens = []string{
	"<|tool_calls_section_begin|>", "<|tool_call_section_begin|>", "<|tool_call_begin|>", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜DSML｜",
	"<minimax:tool_call>", "<|start|>assistant<|channel|>commentary", "<|channel|>commentary", "assistantcommentary to=functions.",
}

// Read looks for calls at the end of an answer. Text within a code block, or with more text after it, is no call: people and
// models write about the formats, too. The only block that counts is a whole answer of JSON with the name and the arguments of an offered tool.
func Read(text string, offered func(name string) bool) Result {
	plain := Result{Text: text}
	if len(text) > maxText {
		return plain
	}
	if call, ok := block(text); ok && offered(call.Name) {
		return Result{Calls: []llm.ToolCall{call}}
	}
	at, within := start(text)
	if at < 0 {
		return plain
	}
	calls, readable, tail := parse(text[at:])
	known := !slices.ContainsFunc(calls, func(c llm.ToolCall) bool { return !offered(c.Name) })
	switch {
	case strings.TrimSpace(tail) != "" || len(calls) > maxCalls:
		return plain // a sample within prose
	case within && !(readable && known):
		return plain // prose that names the token
	case !readable || !known:
		return Result{Text: text, Broken: true}
	}
	return Result{Text: strings.TrimSpace(analysis.ReplaceAllString(text[:at], "")), Calls: calls}
}

// start returns the offset of the first mark or token outside of code blocks, or -1. within reports that other text of its line is before it.
func start(text string) (at int, within bool) {
	fenced := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t")
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
		}
		if !fenced {
			if slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(trimmed, mark) }) {
				return at + len(line) - len(trimmed), false
			}
			if i := first(trimmed); i >= 0 {
				return at + len(line) - len(trimmed) + i, i > 0
			}
		}
		at += len(line)
	}
	return -1, false
}

// first returns the offset of the first token of a line, or -1.
func first(line string) int {
	found := -1
	for _, token := range tokens {
		if i := strings.Index(line, token); i >= 0 && (found < 0 || i < found) {
			found = i
		}
	}
	return found
}

var (
	tagged   = regexp.MustCompile(`(?s)^<tool_call>(.*?)</tool_call>`)
	function = regexp.MustCompile(`(?s)^<function=([\w.:-]+)>(.*?)</function>`)
	kimi     = regexp.MustCompile(`(?s)^<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>(.*?)<\|tool_call_end\|>`)
	mistral  = regexp.MustCompile(`(?s)^\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*\w+\s*)?\[ARGS\]`)
	pair     = regexp.MustCompile(`(?s)<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>`)
	fence    = regexp.MustCompile("(?s)^\\s*```(?:json|tool_call)?[ \t]*\n(.*?)\n[ \t]*```\\s*$")
)

// parse reads calls from the beginning of text. tail is the text behind them.
func parse(text string) (calls []llm.ToolCall, readable bool, tail string) {
	readable = true
	for {
		text = strings.TrimSpace(text)
		if found := section.FindString(text); found != "" {
			some, rest := listed(text[len(found):])
			calls, text = append(calls, some...), rest
			continue
		}
		some, rest, found := next(text)
		if !found {
			break
		}
		readable = readable && len(some) > 0
		calls, text = append(calls, some...), rest
	}
	if len(calls) == 0 && readable {
		return nil, false, "" // it begins as a call and does not end as one
	}
	return calls, readable, text
}

// next reads the calls behind one mark. found without calls means that they are malformed.
func next(text string) (calls []llm.ToolCall, rest string, found bool) {
	one := func(name, arguments string, length int) ([]llm.ToolCall, string, bool) {
		if arguments, ok := object([]byte(arguments)); ok {
			calls = []llm.ToolCall{{Name: name, Arguments: arguments}}
		}
		return calls, text[length:], true
	}
	if m := tagged.FindStringSubmatch(text); m != nil {
		return inTag(strings.TrimSpace(m[1])), text[len(m[0]):], true
	}
	if m := function.FindStringSubmatch(text); m != nil {
		if pairs := pair.FindAllStringSubmatch(m[2], -1); pairs != nil || strings.TrimSpace(m[2]) == "" {
			return one(m[1], parameters(pairs), len(m[0]))
		}
		return one(m[1], m[2], len(m[0]))
	}
	if m := kimi.FindStringSubmatch(text); m != nil {
		return one(m[1], m[2], len(m[0]))
	}
	if m := mistral.FindStringSubmatch(text); m != nil {
		arguments, rest := value(text[len(m[0]):])
		return one(m[1], arguments, len(text)-len(rest))
	}
	if after, ok := strings.CutPrefix(text, "[TOOL_CALLS]"); ok {
		list, rest := value(after)
		return several(list), rest, true
	}
	if m := deepseek.FindStringSubmatch(text); m != nil {
		return one(m[1], m[2], len(m[0]))
	}
	if m := invoke.FindStringSubmatch(text); m != nil {
		return one(m[1], attributes(m[2]), len(m[0]))
	}
	if m := harmony.FindStringSubmatch(text); m != nil {
		arguments, rest := value(text[len(m[0]):])
		return one(m[1], arguments, len(text)-len(rest))
	}
	return nil, text, false
}

// value cuts one JSON value off the beginning of text.
func value(text string) (raw, rest string) {
	d := json.NewDecoder(strings.NewReader(text))
	var v json.RawMessage
	if d.Decode(&v) != nil {
		return "", ""
	}
	return string(v), text[d.InputOffset():]
}

func several(list string) (calls []llm.ToolCall) {
	var raw []json.RawMessage
	if json.Unmarshal([]byte(list), &raw) != nil {
		return nil
	}
	for _, r := range raw {
		call, ok := named(r)
		if !ok {
			return nil
		}
		calls = append(calls, call)
	}
	return calls
}

// parameters builds arguments from named texts. A text that is a JSON value other than a string becomes that value.
func parameters(pairs [][]string) string {
	arguments := map[string]any{}
	for _, p := range pairs {
		var v any
		if json.Unmarshal([]byte(p[2]), &v) != nil {
			v = p[2]
		}
		arguments[p[1]] = v
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return ""
	}
	return string(raw)
}

// block reads an answer that is one code block with a call.
func block(text string) (llm.ToolCall, bool) {
	m := fence.FindStringSubmatch(text)
	if m == nil {
		return llm.ToolCall{}, false
	}
	return named([]byte(m[1]))
}

// named reads an object with the name and the arguments of a call and nothing else.
func named(raw []byte) (call llm.ToolCall, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return call, false
	}
	seen := false
	for key, member := range members {
		switch key {
		case "name":
			if json.Unmarshal(member, &call.Name) != nil {
				return call, false
			}
		case "arguments", "parameters":
			if call.Arguments, seen = object(member); !seen {
				return call, false
			}
		case "id", "type":
		default:
			return call, false
		}
	}
	return call, seen && call.Name != ""
}

// object returns the JSON of an object, which may be written as a text.
func object(raw []byte) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = []byte(text)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return "", false
	}
	return strings.TrimSpace(string(raw)), true
}
