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
		"Hermes":                {text: "<tool_call>\n{\"name\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}\n</tool_call>", calls: []llm.ToolCall{shell}},
		"Hermes with words":     {text: "I look.\n\n<tool_call>{\"name\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}</tool_call>\n", before: "I look.", calls: []llm.ToolCall{shell}},
		"two calls":             {text: "<tool_call>{\"name\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}</tool_call>\n<tool_call>{\"name\":\"Read\",\"arguments\":{}}</tool_call>", calls: []llm.ToolCall{shell, {Name: "Read", Arguments: "{}"}}},
		"arguments as a text":   {text: `<tool_call>{"name":"Shell","arguments":"{\"command\":\"ls\"}"}</tool_call>`, calls: []llm.ToolCall{shell}},
		"parameters":            {text: `<tool_call>{"name":"Shell","parameters":{"command":"ls"}}</tool_call>`, calls: []llm.ToolCall{shell}},
		"Llama":                 {text: `<function=Shell>{"command":"ls"}</function>`, calls: []llm.ToolCall{shell}},
		"Qwen3-Coder":           {text: "<tool_call>\n<function=Shell>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>", calls: []llm.ToolCall{shell}},
		"Mistral":               {text: `[TOOL_CALLS] [{"name":"Shell","arguments":{"command":"ls"}}]`, calls: []llm.ToolCall{shell}},
		"Mistral with ARGS":     {text: `[TOOL_CALLS]Shell[ARGS]{"command":"ls"}`, calls: []llm.ToolCall{shell}},
		"Kimi":                  {text: `<|tool_calls_section_begin|><|tool_call_begin|>functions.Shell:0<|tool_call_argument_begin|>{"command":"ls"}<|tool_call_end|><|tool_calls_section_end|>`, calls: []llm.ToolCall{shell}},
		"a whole block of JSON": {text: "```json\n{\"name\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}\n```", calls: []llm.ToolCall{shell}},

		// https://github.com/XNet-NGO/aiope/issues/119, https://github.com/ochafik/minja/pull/11
		"DeepSeek V3.2": {
			text:   "I look.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"Shell\">\n<｜DSML｜parameter name=\"command\" string=\"true\">ls</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name=\"Read\">\n<｜DSML｜parameter name=\"n\" string=\"false\">10</｜DSML｜parameter>\n<｜DSML｜parameter name=\"path\" string=\"true\">42</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
			before: "I look.", calls: []llm.ToolCall{shell, {Name: "Read", Arguments: `{"n":10,"path":"42"}`}},
		},
		"DeepSeek V3.1, behind a text": {text: "I look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Shell<｜tool▁sep｜>{\"command\":\"ls\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", before: "I look.", calls: []llm.ToolCall{shell}},
		"DeepSeek R1":                  {text: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Shell\n```json\n{\"command\":\"ls\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>Read\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>", calls: []llm.ToolCall{shell, {Name: "Read", Arguments: "{}"}}},
		// https://github.com/MiniMax-AI/MiniMax-M2.5/issues/10, https://github.com/MiniMax-AI/MiniMax-M2/issues/14
		"MiniMax":    {text: "<minimax:tool_call>\n  <invoke name=\"Shell\">\n    <parameter name=\"command\">ls</parameter>\n  </invoke>\n</minimax:tool_call>", calls: []llm.ToolCall{shell}},
		"MiniMax-M1": {text: "<tool_calls>\n{\"name\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}\n{\"name\":\"Read\",\"arguments\":{}}\n</tool_calls>", calls: []llm.ToolCall{shell, {Name: "Read", Arguments: "{}"}}},
		// https://github.com/anthropics/claude-code/issues/65705
		"Claude": {text: "court\n<invoke name=\"Shell\">\n<parameter name=\"command\">ls</parameter>\n</invoke>\n</function_calls>", before: "court", calls: []llm.ToolCall{shell}},
		// https://github.com/vllm-project/vllm-ascend/issues/12398
		"GLM":                    {text: "<tool_call>Shell\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>", calls: []llm.ToolCall{shell}},
		"GLM, with a separator":  {text: "<tool_calls>\n<tool_call>Shell<tool_sep>\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>\n</tool_calls>", calls: []llm.ToolCall{shell}},
		"GLM, without arguments": {text: "<tool_call>Read</tool_call>", calls: []llm.ToolCall{{Name: "Read", Arguments: "{}"}}},
		"GLM, with other values": {text: "<tool_call>Read<arg_key>n</arg_key><arg_value>[2]</arg_value></tool_call>", calls: []llm.ToolCall{{Name: "Read", Arguments: `{"n":[2]}`}}},
		"Kimi, in the singular":  {text: `<|tool_call_section_begin|><|tool_call_begin|>functions.Shell:3<|tool_call_argument_begin|>{"command":"ls"}<|tool_call_end|><|tool_call_section_end|>`, calls: []llm.ToolCall{shell}},
		"Kimi, behind a text":    {text: `I look.<|tool_calls_section_begin|><|tool_call_begin|>functions.Shell:3<|tool_call_argument_begin|>{"command":"ls"}<|tool_call_end|><|tool_calls_section_end|>`, before: "I look.", calls: []llm.ToolCall{shell}},
		// https://github.com/lablup/mlxcel/issues/654, https://github.com/raullenchai/Rapid-MLX/issues/480
		"gpt-oss":                 {text: `<|channel|>analysis<|message|>I need the files.<|end|><|start|>assistant<|channel|>commentary to=functions.Shell <|constrain|>json<|message|>{"command":"ls"}<|call|>`, calls: []llm.ToolCall{shell}},
		"gpt-oss, without tokens": {text: `commentary to=functions.Shell json{"command":"ls"}`, calls: []llm.ToolCall{shell}},
		"gpt-oss, with its thoughts, without tokens": {text: `analysisWe need the files.assistantcommentary to=functions.Shell json{"command":"ls"}`, calls: []llm.ToolCall{shell}},

		"a call without a value": {text: "<function=Read></function>", calls: []llm.ToolCall{{Name: "Read", Arguments: "{}"}}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, textcall.Result{Text: c.before, Calls: c.calls}, textcall.Read(c.text, offered))
		})
	}
}

func TestRead_LeavesProseAndSamplesAlone(t *testing.T) {
	for name, text := range map[string]string{
		"prose":                                   "Use <tool_call> to call a tool.",
		"a sample in a code block":                "It looks so:\n```\n<tool_call>{\"name\":\"Shell\",\"arguments\":{}}</tool_call>\n```",
		"a sample with words after":               "<tool_call>{\"name\":\"Shell\",\"arguments\":{}}</tool_call>\nis what Hermes writes.",
		"within a line":                           "Write `<function=Shell>{}</function>`.",
		"JSON of something else":                  "```json\n{\"name\":\"xbot\",\"version\":\"1\"}\n```",
		"JSON of an unknown tool":                 "```json\n{\"name\":\"Other\",\"arguments\":{}}\n```",
		"JSON with words":                         "Like this:\n```json\n{\"name\":\"Shell\",\"arguments\":{}}\n```",
		"JSON without a block":                    `{"name":"Shell","arguments":{}}`,
		"nothing":                                 "",
		"a token in prose":                        "DeepSeek begins them with <｜tool▁calls▁begin｜> and Kimi with <|tool_calls_section_begin|>.",
		"a token in prose, at its end":            "DeepSeek begins them with <｜tool▁calls▁begin｜>",
		"a call of an unknown tool within a line": "It wrote <｜tool▁call▁begin｜>Other<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
		"an element of HTML":                      "<invoke>x</invoke>",
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

		"DeepSeek, cut":                 "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"Shell\">\n<｜DSML｜parameter name=\"command\" string=\"true\">ls",
		"MiniMax, no parameter":         "<minimax:tool_call>\n<invoke name=\"Shell\">ls</invoke>\n</minimax:tool_call>",
		"Kimi, an id without a name":    `<|tool_calls_section_begin|> <|tool_call_begin|> call_0 <|tool_call_argument_begin|> {"command":"ls"} <|tool_call_end|> <|tool_calls_section_end|>`, // https://github.com/Gitlawb/openclaude/issues/1508
		"gpt-oss, a call of no tool":    `<|channel|>commentary<|message|>{"path": "/"}<|end|>`,                                                                                               // https://github.com/NVIDIA/TensorRT-LLM/issues/9256
		"GLM, words in place of a call": "<tool_call>I will now read the file</tool_call>",
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, textcall.Result{Text: text, Broken: true}, textcall.Read(text, offered))
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"<tool_call>{}</tool_call>", "[TOOL_CALLS]Shell[ARGS]{}", "<function=a><parameter=b>c</parameter></function>", "```json\n{}\n```", "<tool_call>Read<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>", "<｜DSML｜invoke name=\"Read\"></｜DSML｜invoke>", "x<｜tool▁call▁begin｜>Read<｜tool▁sep｜>{}<｜tool▁call▁end｜>", "commentary to=functions.Read json{}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range textcall.Read(text, offered).Calls {
			require.True(t, offered(c.Name))
			require.True(t, json.Valid([]byte(c.Arguments)))
		}
	})
}
