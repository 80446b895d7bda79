package textcall_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm"
	"xbot/internal/llm/textcall"
)

func offered(name string) bool { return name == "Shell" || name == "Read" }

func TestRead_ReadsTheFormatsOfChatTemplates(t *testing.T) {
	shell := llm.ToolCall{Name: "Shell", Arguments: `{"command":"ls"}`}
	for name, c := range map[string]struct {
		text, before string
		calls        []llm.ToolCall
	}{
		"Hermes":                 {text: "<tool_call>\n{\"name\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}\n</tool_call>", calls: []llm.ToolCall{shell}},
		"Hermes with words":      {text: "I look.\n\n<tool_call>{\"name\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}</tool_call>\n", before: "I look.", calls: []llm.ToolCall{shell}},
		"two calls":              {text: "<tool_call>{\"name\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}</tool_call>\n<tool_call>{\"name\":\"Read\",\"arguments\":{}}</tool_call>", calls: []llm.ToolCall{shell, {Name: "Read", Arguments: "{}"}}},
		"arguments as a text":    {text: `<tool_call>{"name":"Shell","arguments":"{\"command\":\"ls\"}"}</tool_call>`, calls: []llm.ToolCall{shell}},
		"parameters":             {text: `<tool_call>{"name":"Shell","parameters":{"command":"ls"}}</tool_call>`, calls: []llm.ToolCall{shell}},
		"Llama":                  {text: `<function=Shell>{"command":"ls"}</function>`, calls: []llm.ToolCall{shell}},
		"Qwen3-Coder":            {text: "<tool_call>\n<function=Shell>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>", calls: []llm.ToolCall{shell}},
		"Mistral":                {text: `[TOOL_CALLS] [{"name":"Shell","arguments":{"command":"ls"}}]`, calls: []llm.ToolCall{shell}},
		"Mistral with ARGS":      {text: `[TOOL_CALLS]Shell[ARGS]{"command":"ls"}`, calls: []llm.ToolCall{shell}},
		"Kimi":                   {text: `<|tool_calls_section_begin|><|tool_call_begin|>functions.Shell:0<|tool_call_argument_begin|>{"command":"ls"}<|tool_call_end|><|tool_calls_section_end|>`, calls: []llm.ToolCall{shell}},
		"a whole block of JSON":  {text: "```json\n{\"name\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}\n```", calls: []llm.ToolCall{shell}},
		"a call without a value": {text: "<function=Read></function>", calls: []llm.ToolCall{{Name: "Read", Arguments: "{}"}}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, textcall.Result{Text: c.before, Calls: c.calls}, textcall.Read(c.text, offered))
		})
	}
}

func TestRead_LeavesProseAndSamplesAlone(t *testing.T) {
	for name, text := range map[string]string{
		"prose":                     "Use <tool_call> to call a tool.",
		"a sample in a code block":  "It looks so:\n```\n<tool_call>{\"name\":\"Shell\",\"arguments\":{}}</tool_call>\n```",
		"a sample with words after": "<tool_call>{\"name\":\"Shell\",\"arguments\":{}}</tool_call>\nis what Hermes writes.",
		"within a line":             "Write `<function=Shell>{}</function>`.",
		"JSON of something else":    "```json\n{\"name\":\"xbot\",\"version\":\"1\"}\n```",
		"JSON of an unknown tool":   "```json\n{\"name\":\"Other\",\"arguments\":{}}\n```",
		"JSON with words":           "Like this:\n```json\n{\"name\":\"Shell\",\"arguments\":{}}\n```",
		"JSON without a block":      `{"name":"Shell","arguments":{}}`,
		"nothing":                   "",
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, textcall.Result{Text: text}, textcall.Read(text, offered))
		})
	}
}

func TestRead_SaysThatACallCannotBeRead(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":         "<tool_call>{\"name\":\"Shell\",</tool_call>",
		"no end":          "<tool_call>{\"name\":\"Shell\"",
		"an unknown tool": `<tool_call>{"name":"Other","arguments":{}}</tool_call>`,
		"no arguments":    `[TOOL_CALLS] [{"name":"Shell"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, textcall.Result{Text: text, Broken: true}, textcall.Read(text, offered))
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"<tool_call>{}</tool_call>", "[TOOL_CALLS]Shell[ARGS]{}", "<function=a><parameter=b>c</parameter></function>", "```json\n{}\n```"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range textcall.Read(text, offered).Calls {
			require.True(t, offered(c.Name))
			require.True(t, json.Valid([]byte(c.Arguments)))
		}
	})
}
