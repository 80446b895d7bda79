package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// OpenAI's Responses API: the conversation is a list of items, nothing is stored at the provider, and what a model thought comes back
// encrypted, to be given back. Shapes: the API reference (POST /v1/responses), openai-python's types/responses and the SDK's types.

// leastOutput is the smallest limit of an answer that the API takes, in tokens: below it fails with "integer_below_min_value".
const leastOutput = 16

// respond sends the request once, to the Responses API, as the dialect wants it. A partial answer is returned together with an error, without
// its tool calls, whose arguments may be cut.
func (c *Client) respond(ctx context.Context, req llm.Request, sink llm.Sink, d dialect) (llm.Answer, error) {
	call := c.endpoint.Begin(ctx, sink)
	defer call.End()
	config := sdk.DefaultConfig(c.endpoint.Key)
	config.BaseURL = c.base
	exchange := &exchange{Call: call, whole: d.whole}
	config.HTTPClient = exchange
	stream, err := sdk.NewClientWithConfig(config).CreateResponseStream(call.Context(), c.encodeResponse(req, d))
	if err != nil {
		return llm.Answer{}, c.explain(call, err)
	}
	defer func() { _ = stream.Close() }() // the answer is complete or its error known
	reader := newResponse(call, c.origin())
	err = reader.read(exchange.events)
	answer := reader.answer()
	if answer.Finish != "" {
		return answer, nil // it was whole before its stream broke
	}
	answer.ToolCalls = nil
	return answer, c.explain(call, err)
}

// origin names who encrypts the reasoning: that of another model or service means nothing here.
func (c *Client) origin() string { return c.endpoint.Host + " " + c.model }

func (c *Client) encodeResponse(req llm.Request, d dialect) sdk.CreateResponseRequest {
	out := sdk.CreateResponseRequest{
		Model: c.model, Instructions: req.System, Input: encodeItems(req, c.origin(), d), Tools: encodeTools(req.Tools), Store: new(false),
	}
	if !d.noReturn {
		out.Include = []sdk.ResponseInclude{sdk.ResponseIncludeReasoningEncryptedContent}
	}
	encodeOutputOptions(&out, req, d)
	if req.MaxTokens > 0 && d.limit != noLimit {
		out.MaxOutputTokens = max(req.MaxTokens, leastOutput)
	}
	think := sdk.ResponseReasoning{Effort: d.effort.of(req.Effort)}
	if !d.noSummary {
		think.Summary = "auto"
	}
	if think != (sdk.ResponseReasoning{}) {
		out.Reasoning = &think
	}
	return out
}

// encodeTools returns the tools as the API wants them, flat. It takes a tool without strict for a strict one and makes its optional
// parameters mandatory (guide to function calling, "strict mode"), and the SDK leaves out a false: so it is written here.
func encodeTools(tools []llm.Tool) []sdk.ResponseTool {
	var out []sdk.ResponseTool
	for _, tool := range tools {
		fields := map[string]any{"name": tool.Name, "parameters": parameters(tool.Parameters), "strict": tool.Strict}
		if tool.Description != "" {
			fields["description"] = tool.Description
		}
		out = append(out, sdk.ResponseTool{Type: sdk.ToolTypeFunction, Parameters: fields})
	}
	return out
}

func encodeItems(req llm.Request, origin string, d dialect) []any {
	tidy := wire.Tidy(req.Messages)
	if d.blind {
		tidy = wire.Unseen(tidy)
	}
	if d.lift {
		tidy = wire.LiftPictures(tidy)
	}
	if d.attach {
		tidy = wire.Attach(tidy)
	}
	items := []any{}
	for _, m := range withIDs(tidy, d.named) {
		switch m.Role {
		case "tool":
			items = append(items, sdk.ResponseFunctionCallOutput{Type: "function_call_output", CallID: m.ToolCallID, Output: encodeOutput(m)})
		case "assistant":
			items = append(items, encodeAnswer(m, origin, d)...)
		default:
			items = append(items, sdk.ResponseInputMessage{Type: "message", Role: m.Role, Content: encodeParts(m)})
		}
	}
	return items
}

// callItem is a call that a model made before (types/responses/response_function_tool_call_param of openai-python).
type callItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// reasoningItem is reasoning that is given back. It goes without its id, which a service that stores nothing does not find: what is encrypted
// is enough (vercel/ai, convert-to-openai-responses-input; langchain-ai/langchain#38372). The summary must be there, were it empty.
type reasoningItem struct {
	Type      string    `json:"type"`
	Summary   []summary `json:"summary"`
	Encrypted string    `json:"encrypted_content,omitempty"`
}

// with returns an item with what its service added to it.
func with(item any, other fields) any {
	if len(other) == 0 {
		return item
	}
	var all fields
	_ = json.Unmarshal(encode(item), &all) // it was just written
	for name, value := range other {
		if _, ours := all[name]; !ours {
			all[name] = value
		}
	}
	return all
}

// encodeAnswer returns the items of an earlier answer in their order. Reasoning that another provider encrypted, or that no longer fits
// the text and the calls, is left out, and so is what nothing follows: the API refuses reasoning "without its required following item".
func encodeAnswer(m llm.Message, origin string, d dialect) []any {
	var items []any
	text, calls, leading := m.Content, m.ToolCalls, 0 // leading: how many items at the end are reasoning
	for _, k := range layout(m, origin) {
		switch {
		case k.reasons() && d.noReturn:
		case k.reasons():
			items = append(items, with(reasoningItem{"reasoning", append([]summary{}, k.Summary...), k.Encrypted}, k.Other))
			leading++
		case k.Call:
			if d.noReturn {
				k.Other = nil
			}
			items = append(items, with(callItem{"function_call", calls[0].ID, wire.Name(calls[0].Name), wire.Object(calls[0].Arguments)}, k.Other))
			calls, leading = calls[1:], 0
		default:
			words := strings.TrimPrefix(text[:k.Text], between)
			text = text[k.Text:]
			if strings.TrimSpace(words) == "" {
				continue
			}
			// An answer may be given back as a plain string (EasyInputMessage); models that name its phase want that back.
			items = append(items, sdk.ResponseInputMessage{Type: "message", Role: m.Role, Content: words, Phase: k.Phase})
			leading = 0
		}
	}
	return items[:len(items)-leading]
}

// encodeOutput returns the output of a tool: a string, or its text and its pictures (types/responses/response_function_call_output_item_param).
func encodeOutput(m llm.Message) any {
	if len(m.Pictures) == 0 {
		return m.Content
	}
	return encodeParts(m)
}

func encodeParts(m llm.Message) []any {
	var parts []any
	if m.Content != "" {
		parts = append(parts, sdk.ResponseInputText{Type: "input_text", Text: m.Content})
	}
	for _, p := range m.Pictures {
		parts = append(parts, sdk.ResponseInputImage{Type: "input_image", Detail: "auto", ImageURL: "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)})
	}
	return parts
}

// encodeOutputOptions adds how tools are to be called, and which form the answer is to have.
func encodeOutputOptions(out *sdk.CreateResponseRequest, req llm.Request, d dialect) {
	if req.Forced && len(req.Tools) > 0 && !d.noChoice {
		out.ToolChoice = "required"
	}
	if req.Single && len(req.Tools) > 0 && !d.noSingle {
		out.ParallelToolCalls = new(false)
	}
	if req.Format == nil || d.noFormat {
		return
	}
	out.Text = &sdk.ResponseTextConfig{Format: &sdk.ResponseTextFormat{Type: "json_object"}}
	if f := req.Format; f.Schema != nil {
		out.Text.Format = &sdk.ResponseTextFormat{Type: "json_schema", Name: f.Name, Description: f.Description, Schema: f.Schema, Strict: f.Strict}
	}
}
