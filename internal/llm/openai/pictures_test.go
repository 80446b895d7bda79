package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
)

// shown is a picture of two bytes.
var shown = llm.Picture{MediaType: "image/png", Data: []byte("p1")}

func TestGenerate_ShowsPicturesInPartsAndElsewhereSendsStrings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.client.Generate(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "what is this?", Pictures: []llm.Picture{shown, {MediaType: "image/jpeg", Data: []byte("p2")}}},
		{Role: "assistant", Content: "a cat"},
		{Role: "user", Content: "thanks"},
	}}, nil)
	require.NoError(t, err)
	messages, err := json.Marshal(b.body(0)["messages"])
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"role": "user", "content": [
			{"type": "text", "text": "what is this?"},
			{"type": "image_url", "image_url": {"url": "data:image/png;base64,cDE="}},
			{"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,cDI="}}]},
		{"role": "assistant", "content": "a cat"},
		{"role": "user", "content": "thanks"}]`, string(messages))
}

func TestGenerate_ShowsPicturesOfResultsInAMessageOfTheUser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.client.Generate(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "look"},
		{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "z", Name: "Read", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "z", Content: "a picture", Pictures: []llm.Picture{shown}},
	}}, nil)
	require.NoError(t, err)
	require.Len(t, b.Requests()[0].Messages[3].Pictures, 1, "also where the results come last")
	call := func(id string) llm.ToolCall { return llm.ToolCall{ID: id, Name: "Read", Arguments: "{}"} }
	_, err = b.client.Generate(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "look"},
		{Role: "assistant", ToolCalls: []llm.ToolCall{call("a"), call("b")}},
		{Role: "tool", ToolCallID: "a", Content: "a picture", Pictures: []llm.Picture{shown}},
		{Role: "tool", ToolCallID: "b", Content: "a text"},
		{Role: "user", Content: "remember the list", Volatile: true},
	}}, nil)
	require.NoError(t, err)
	var messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	all, err := json.Marshal(b.body(1)["messages"])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(all, &messages))
	require.Len(t, messages, 6)
	require.JSONEq(t, `"a picture"`, string(messages[2].Content), "providers take text only there")
	require.JSONEq(t, `"a text"`, string(messages[3].Content))
	require.Equal(t, "user", messages[4].Role)
	require.JSONEq(t, `[{"type": "text", "text": "(What the tools returned as pictures.)"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,cDE="}}]`, string(messages[4].Content))
	require.JSONEq(t, `"remember the list"`, string(messages[5].Content), "what is sent once stays apart")
}

// blind are refusals of models that read no pictures.
var blind = map[string]struct {
	status int
	text   string
}{
	// https://github.com/github/app/issues/2163, https://github.com/sipeed/picoclaw/pull/2525
	"OpenRouter": {404, "No endpoints found that support image input"},
	// https://github.com/JohnnyZ93/oai-compatible-copilot/issues/230, https://github.com/Mangi-11/Eta/issues/62
	"DeepSeek": {400, "Failed to deserialize the JSON body into the target type: messages[94]: unknown variant `image_url`, expected `text` at line 1 column 802043"},
	// https://github.com/anomalyco/opencode/issues/40811
	"llama.cpp": {500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"},
	// https://github.com/OpenCoworkAI/open-cowork/issues/251, https://github.com/cloudflare/cloudflare-os/issues/97
	"Ollama": {400, "this model does not support image input (ref: b8bd630e-4a39-4b57-82af-9158ee9d5703)"},
	// https://github.com/valentinfrlch/ha-llmvision/issues/691
	"Ollama, without a projector": {500, "Failed to create new sequence: failed to process inputs: this model is missing data required for image input"},
	// https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/473
	"LM Studio": {400, "Model does not support images. Please use a model that does."},
	// https://github.com/zai-org/feedback/issues/570, https://github.com/anomalyco/opencode/issues/47994
	"Volcengine": {400, "Model do not support image input. Request id: 021788846573420402c3547e09b7409e300241a04980e228ce7ce"},
	// https://github.com/proma-ai/Proma/issues/1794
	"OpenCode": {400, "Error from provider (Console Go): Upstream request failed: [400] Model only supports text input; received unsupported content type 'image_url'."},
	// https://github.com/roboflow/awesome-openai-vision-api-experiments/issues/11
	"OpenAI": {400, "Invalid content type. image_url is only supported by certain models."},
	// https://github.com/can1357/oh-my-pi/issues/1859
	"DashScope": {400, "<400> InternalError.Algo.InvalidParameter: The provided messages input is invalid. The error info is [Unexpected item type in content.]"},
	// https://github.com/vercel/ai/issues/2837
	"Groq": {400, "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)] message[0].content must be a string"},
	// https://github.com/vllm-project/vllm/issues/23402
	"vLLM": {400, "Intern-S1 is not a multimodal model"},
	// https://github.com/BerriAI/litellm/issues/7908
	"a gateway": {400, "The provided model is not a vision model. Please provide a vision model."},
	// https://github.com/BigPizzaV3/CodexPlusPlus/issues/1760
	"Zhipu": {400, "messages.content.type 参数非法，取值范围 ['text']"},
}

// seen is a request that shows a picture of a person and one of a tool.
func seen() llm.Request {
	return llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "what is this?", Pictures: []llm.Picture{shown}},
		{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "a", Name: "Read", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "a", Content: "a file", Pictures: []llm.Picture{shown}},
	}}
}

func TestGenerate_LearnsThatTheModelReadsNoPictures(t *testing.T) {
	t.Parallel()
	for name, c := range blind {
		for _, responses := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := setupWith(t, openai.Config{Model: "m", Responses: responses})
				b.Strict()
				b.Handle(func(r llmtest.Request) llmtest.Reply {
					if strings.Contains(string(r.Raw), "base64") {
						return llmtest.Reply{Status: c.status, Error: c.text}
					}
					return llmtest.Reply{Text: "ok"}
				})
				for range 2 {
					answer, err := b.client.Generate(t.Context(), seen(), nil)
					require.NoError(t, err)
					require.Equal(t, "ok", answer.Text)
				}
				require.Equal(t, 3, b.Count(), "it is learned once")
				messages := b.Requests()[2].Messages
				require.Len(t, messages, 3)
				require.Equal(t, "what is this?\n(A picture, which this model cannot read.)", messages[0].Content)
				require.Equal(t, "a file\n(A picture, which this model cannot read.)", messages[2].Content)
			})
		}
	}
}

func TestGenerate_DoesNotTakeTheRefusalOfOneRequestForThatOfAllPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		req  llm.Request
		text string
	}{
		"a broken picture":       {seen(), "Invalid 'image_url': unsupported image"},
		"a form":                 {seen(), "we only support image formats png and jpeg"},
		"another form":           {seen(), "This model does not support image format webp"},
		"no picture in the form": {ask("x"), "messages[2].content must be a string"},
		"no picture":             {ask("x"), "this model does not support image input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.replies(llmtest.Reply{Status: http.StatusBadRequest, Error: c.text}, llmtest.Reply{Text: "ok"})
			_, err := b.client.Generate(t.Context(), c.req, nil)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			_, err = b.client.Generate(t.Context(), seen(), nil)
			require.NoError(t, err)
			require.Equal(t, 2, b.Count())
			require.Contains(t, string(b.Requests()[1].Raw), "base64")
		})
	}
}
