package textcall

import (
	"encoding/json"
	"regexp"
	"strings"

	"xbot/internal/llm"
)

var (
	// section matches markers around calls, which have no content.
	section = regexp.MustCompile(`^(?:<\|tool_calls?_section_(?:begin|end)\|>|<｜tool▁calls▁(?:begin|end)｜>|<｜end▁of▁sentence｜>|</?(?:｜DSML｜|antml:)?function_calls>|` +
		`</?(?:｜DSML｜)?tool_calls>|</?minimax:tool_call>|<\|(?:call|end|return)\|>)`)
	// deepseek is a call of DeepSeek V3 and R1, with a block of code, and of V3.1, without one.
	deepseek = regexp.MustCompile("(?s)^<｜tool▁call▁begin｜>\\s*(?:function<｜tool▁sep｜>\\s*)?([\\w.-]+)\\s*(?:<｜tool▁sep｜>\\s*)?(?:```(?:json)?\\s*)?(\\{.*?\\})\\s*(?:```\\s*)?<｜tool▁call▁end｜>")
	// invoke is a call of Claude, of MiniMax and, with a prefix, of DeepSeek V3.2.
	invoke    = regexp.MustCompile(`(?s)^<(?:｜DSML｜|antml:)?invoke name="([^"]+)"\s*>(.*?)</(?:｜DSML｜|antml:)?invoke>`)
	attribute = regexp.MustCompile(`(?s)<(?:｜DSML｜|antml:)?parameter name="([^"]+)"(?:\s+string="(true|false)")?\s*>(.*?)</(?:｜DSML｜|antml:)?parameter>`)
	// harmony is the head of a call of OpenAI's open models, with its tokens or, from some servers, without.
	harmony = regexp.MustCompile(`^(?:<\|start\|>)?(?:assistant)?(?:<\|channel\|>)?commentary to=functions\.([\w.-]+)\s*(?:<\|channel\|>commentary\s*)?(?:<\|constrain\|>)?\s*(?:json)?\s*(?:<\|message\|>)?`)
	// analysis matches such a model's thinking before the call.
	analysis = regexp.MustCompile(`(?s)(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>.*?(?:<\|end\|>|$)|^analysis[A-Z"'].*$`)
	// argument is a named argument in the format of GLM.
	argument = regexp.MustCompile(`(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>`)
	bareName = regexp.MustCompile(`^[\w.-]+$`)
)

// listed reads calls that are JSON objects behind each other, as MiniMax-M1 writes them. rest is the text behind them.
func listed(text string) (calls []llm.ToolCall, rest string) {
	for {
		raw, after := value(text)
		call, ok := named([]byte(raw))
		if !ok {
			return calls, text
		}
		calls, text = append(calls, call), after
	}
}

// inTag reads the calls of a <tool_call> element: JSON, the format of Qwen3-Coder, or that of GLM.
func inTag(inner string) []llm.ToolCall {
	if strings.HasPrefix(inner, "<function=") {
		calls, _, _ := next(inner)
		return calls
	}
	if call, ok := named([]byte(inner)); ok {
		return []llm.ToolCall{call}
	}
	name, rest, _ := strings.Cut(inner, "<arg_key>")
	name = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(name), "<tool_sep>"))
	if !bareName.MatchString(name) {
		return nil
	}
	pairs := argument.FindAllStringSubmatch("<arg_key>"+rest, -1)
	if rest != "" && pairs == nil {
		return nil
	}
	return []llm.ToolCall{{Name: name, Arguments: parameters(pairs)}}
}

// attributes builds arguments from parameters that are named by an attribute. One not marked as a string is the JSON value that it is,
// or else a string.
func attributes(body string) string {
	arguments := map[string]any{}
	for _, m := range attribute.FindAllStringSubmatch(body, -1) {
		var v any = m[3]
		if m[2] != "true" && json.Unmarshal([]byte(m[3]), &v) != nil {
			v = m[3]
		}
		arguments[m[1]] = v
	}
	if len(arguments) == 0 && strings.TrimSpace(body) != "" {
		return ""
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return ""
	}
	return string(raw)
}
