package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
)

// asked are the members by which a request says how tools are called and which form the answer has.
func asked(body map[string]any) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"tool_choice", "parallel_tool_calls", "response_format", "text"} {
		if value, there := body[name]; there {
			out[name] = value
		}
	}
	return out
}

// lenient is a client of the Responses API before a server that takes strict tools, too.
func lenient(t *testing.T) bundle {
	t.Helper()
	return setupWith(t, openai.Config{Model: "m", Responses: true})
}

func TestGenerate_SaysHowToolsAreCalledAndWhichFormTheAnswerHas(t *testing.T) {
	t.Parallel()
	tools := []llm.Tool{{Name: "A", Parameters: json.RawMessage(`{"type":"object"}`), Strict: true}}
	schema := &chat.AnswerFormat{Name: "city", Description: "A city.", Schema: json.RawMessage(`{"type":"object"}`), Strict: true}
	for name, c := range map[string]struct {
		req             llm.Request
		chat, responses string
	}{
		"nothing":            {llm.Request{Tools: tools}, `{}`, `{}`},
		"a tool is forced":   {llm.Request{Tools: tools, Forced: true}, `{"tool_choice":"required"}`, `{"tool_choice":"required"}`},
		"one call at a time": {llm.Request{Tools: tools, Single: true}, `{"parallel_tool_calls":false}`, `{"parallel_tool_calls":false}`},
		"both":               {llm.Request{Tools: tools, Forced: true, Single: true}, `{"tool_choice":"required","parallel_tool_calls":false}`, `{"tool_choice":"required","parallel_tool_calls":false}`},
		"no tools":           {llm.Request{Forced: true, Single: true}, `{}`, `{}`},
		"JSON": {
			llm.Request{Format: &chat.AnswerFormat{}}, `{"response_format":{"type":"json_object"}}`, `{"text":{"format":{"type":"json_object"}}}`,
		},
		"a schema": {
			llm.Request{Format: schema},
			`{"response_format":{"type":"json_schema","json_schema":{"name":"city","description":"A city.","schema":{"type":"object"},"strict":true}}}`,
			`{"text":{"format":{"type":"json_schema","name":"city","description":"A city.","schema":{"type":"object"},"strict":true}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.req.Messages = ask("say {}").Messages
			for want, b := range map[*string]bundle{&c.chat: setup(t), &c.responses: lenient(t)} {
				_, err := b.client.Generate(t.Context(), c.req, nil)
				require.NoError(t, err)
				got, err := json.Marshal(asked(b.body(0)))
				require.NoError(t, err)
				require.JSONEq(t, *want, string(got))
			}
		})
	}
}

func TestGenerate_MarksStrictToolsInBothAPIs(t *testing.T) {
	t.Parallel()
	req := ask("say x")
	req.Tools = []llm.Tool{{Name: "A", Strict: true}, {Name: "B"}}
	for _, b := range []bundle{setup(t), lenient(t)} {
		_, err := b.client.Generate(t.Context(), req, nil)
		require.NoError(t, err)
		strict := func(n int) any {
			tool := b.body(0)["tools"].([]any)[n].(map[string]any)
			if function, nested := tool["function"].(map[string]any); nested {
				tool = function
			}
			return tool["strict"]
		}
		require.Equal(t, true, strict(0))
		require.NotEqual(t, true, strict(1))
	}
}

func TestGenerate_LearnsWhatAProviderRefusesOfAnAsk(t *testing.T) {
	t.Parallel()
	without := func(names ...string) func(map[string]any) bool {
		return func(body map[string]any) bool {
			got := asked(body)
			for _, name := range names {
				if got[name] != nil {
					return false
				}
			}
			return true
		}
	}
	req := ask("say x")
	req.Tools, req.Forced, req.Single, req.Format = []llm.Tool{{Name: "A"}}, true, true, &chat.AnswerFormat{Name: "a", Schema: json.RawMessage(`{"type":"object"}`)}
	for text, ok := range map[string]func(map[string]any) bool{
		"Thinking mode does not support this tool_choice":                                  without("tool_choice"),
		"tool_choice 'specified' is incompatible with thinking enabled":                    without("tool_choice"),
		"Unknown parameter: 'parallel_tool_calls'.":                                        without("parallel_tool_calls"),
		"This response_format type is unavailable now":                                     without("response_format", "text"),
		"Invalid parameter: 'text.format' of type 'json_schema' is not supported with m":   without("response_format", "text"),
		"extra fields not permitted: response_format, json_schema":                         without("response_format", "text"),
		"parallel_tool_calls and tool_choice and response_format are all not allowed here": without("tool_choice", "parallel_tool_calls", "response_format", "text"),
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			for _, b := range []bundle{setup(t), lenient(t)} {
				b.refuseUnless(400, text, ok)
				for range 2 {
					_, err := b.client.Generate(t.Context(), req, nil)
					require.NoError(t, err)
				}
				require.LessOrEqual(t, b.Count(), 5)
				require.True(t, ok(b.body(b.Count()-2)) && ok(b.body(b.Count()-1)), "it is learned once")
			}
		})
	}
}

// A schema that one program gets wrong says nothing of the schemas of others.
func TestGenerate_LeavesOutARefusedSchemaOnce(t *testing.T) {
	t.Parallel()
	formed := func(schema string) llm.Request {
		req := ask("say x")
		req.Format = &chat.AnswerFormat{Name: "a", Schema: json.RawMessage(schema), Strict: true}
		return req
	}
	for _, b := range []bundle{setup(t), lenient(t)} {
		b.Handle(func(r llmtest.Request) llmtest.Reply {
			if raw, err := json.Marshal(asked(b.body(r.N))); err != nil || strings.Contains(string(raw), `"bad"`) {
				return llmtest.Reply{Status: 400, Error: "Invalid schema for response_format 'a': In context=(), 'additionalProperties' is required to be supplied and to be false."}
			}
			return llmtest.Reply{Text: "ok"}
		})
		for _, schema := range []string{`{"type":"object","title":"bad"}`, `{"type":"object","title":"good"}`} {
			answer, err := b.client.Generate(t.Context(), formed(schema), nil)
			require.NoError(t, err)
			require.Equal(t, "ok", answer.Text)
		}
		require.Equal(t, 3, b.Count())
		require.Empty(t, asked(b.body(1)), "the message has the schema in words")
		require.NotEmpty(t, asked(b.body(2)))
	}
}
