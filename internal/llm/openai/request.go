package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"

	sdk "github.com/sashabaranov/go-openai"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// message is a message of a request. The SDK's own leaves out a content or reasoning that is empty, without which
// DeepSeek, TGI and others refuse a message.
type message struct {
	Role             string  `json:"role"`
	Content          any     `json:"content"` // a string, parts where there are pictures, null where an assistant only calls tools
	ReasoningContent *string `json:"reasoning_content,omitempty"`
	ToolCalls        []any   `json:"tool_calls,omitempty"`
	ToolCallID       string  `json:"tool_call_id,omitempty"`

	state fields
}

// MarshalJSON writes the message, with the extra fields that its provider wants back.
func (m message) MarshalJSON() ([]byte, error) {
	type plain message
	raw, err := json.Marshal(plain(m))
	if err != nil || len(m.state) == 0 {
		return raw, err
	}
	var all fields
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	for name, value := range m.state {
		if _, ours := all[name]; !ours {
			all[name] = value
		}
	}
	return json.Marshal(all)
}

// encodeRequest returns the request but for what encodeFields adds.
func encodeRequest(model string, req llm.Request, d dialect) sdk.ChatCompletionRequest {
	out := sdk.ChatCompletionRequest{Model: model, Stream: true}
	if !d.noUsage {
		out.StreamOptions = &sdk.StreamOptions{IncludeUsage: true}
	}
	for _, tool := range req.Tools {
		out.Tools = append(out.Tools, sdk.Tool{Type: sdk.ToolTypeFunction, Function: &sdk.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: parameters(tool.Parameters), Strict: tool.Strict,
		}})
	}
	if req.Forced && len(req.Tools) > 0 && !d.noChoice {
		out.ToolChoice = "required"
	}
	if req.Single && len(req.Tools) > 0 && !d.noSingle {
		out.ParallelToolCalls = false
	}
	if d.withoutThought(model, req) {
		out.ReasoningEffort = sdk.ReasoningEffortNone
	}
	return out
}

// withoutThought reports whether a model takes the tools of a request only without reasoning here.
func (d dialect) withoutThought(model string, req llm.Request) bool {
	return len(req.Tools) > 0 && (d.toolsOnly || model == sdk.GPT6Sol || model == sdk.GPT6Luna)
}

// parameters returns a schema that is never null, which providers refuse.
func parameters(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return schema
}

// encodeFields returns the fields of the request that the SDK would encode in its own way or refuse: the messages, and
// the limit and the effort, which it allows or not by the first letters of the model's name.
func (c *Client) encodeFields(req llm.Request, d dialect) (map[string]json.RawMessage, error) {
	messages, err := json.Marshal(encodeMessages(req, c.origin(), d))
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "encode the messages for the model: %w", err)
	}
	fields := map[string]json.RawMessage{"messages": messages}
	if name := d.limit.name(); name != "" && req.MaxTokens > 0 {
		fields[name] = json.RawMessage(strconv.Itoa(req.MaxTokens))
	}
	if req.Format != nil && !d.noFormat {
		if fields["response_format"], err = json.Marshal(responseFormat(req.Format)); err != nil {
			return nil, fault.Errorf(fault.Internal, "encode the form of the answer: %w", err)
		}
	}
	if level := d.effort.of(req.Effort); level != "" && !d.withoutThought(c.model, req) {
		fields["reasoning_effort"] = json.RawMessage(strconv.Quote(level))
	}
	return fields, nil
}

func encodeMessages(req llm.Request, origin string, d dialect) []message {
	tidy := wire.Tidy(req.Messages)
	if d.blind {
		tidy = wire.Unseen(tidy)
	}
	tidy = wire.LiftPictures(tidy)
	if d.attach {
		tidy = wire.Attach(tidy)
	}
	tidy = withIDs(tidy, d.named)
	thinks := d.reasoning == giveAlways || hasThoughts(tidy, origin)
	var messages []message
	if req.System != "" {
		messages = append(messages, message{Role: "system", Content: req.System})
	}
	for _, m := range tidy {
		out := message{Role: m.Role, Content: encodeContent(m)}
		switch m.Role {
		case "tool":
			out.ToolCallID = m.ToolCallID
		case "assistant":
			recall(&out, m, origin, d, thinks)
		}
		messages = append(messages, out)
	}
	return messages
}

// withIDs returns messages with the ids of calls as they are sent: short ones, or, if named is true, those of Kimi, functions.NAME:N. Its chat
// template has the name of a called function in the id and nowhere else; with other ids the model writes its next calls as text
// (https://github.com/vllm-project/vllm/issues/50768).
func withIDs(tidy []llm.Message, named bool) []llm.Message {
	sent, count := map[string]string{}, 0
	out := slices.Clone(tidy)
	for i, m := range out {
		out[i].ToolCalls = slices.Clone(m.ToolCalls)
		for n, call := range m.ToolCalls {
			id := wire.ShortID(call.ID)
			if named {
				id = fmt.Sprintf("functions.%s:%d", wire.Name(call.Name), count)
			}
			count++
			sent[call.ID], out[i].ToolCalls[n].ID = id, id
		}
		if m.Role == "tool" {
			out[i].ToolCallID = sent[m.ToolCallID] // tidy results have their call before them
		}
	}
	return out
}

// hasThoughts reports whether this provider and model have given thoughts with one of the messages.
func hasThoughts(messages []llm.Message, origin string) bool {
	return slices.ContainsFunc(messages, func(m llm.Message) bool {
		_, own := stateOf(m, origin)
		return own && m.Reasoning != ""
	})
}

// recall adds to a message what belongs to an earlier answer: its calls, and, where this provider and model gave it, its thoughts and their state.
func recall(out *message, m llm.Message, origin string, d dialect, thinks bool) {
	kept, own := stateOf(m, origin)
	if d.noReturn {
		kept.Fields, kept.Calls = nil, nil
	}
	out.state = kept.Fields
	out.ToolCalls = encodeCalls(m.ToolCalls, kept.Calls, d)
	if m.Content == "" {
		out.Content = nil
	}
	reasoning := ""
	if own {
		reasoning = m.Reasoning
	}
	switch {
	case d.reasoning == withhold || d.reasoning == giveBack && kept.thinks():
	// A model that thinks wants the field on each of its calls, were it empty; elsewhere only where there is some.
	case reasoning != "" || thinks && len(m.ToolCalls) > 0:
		out.ReasoningContent = &reasoning
	}
}

// encodeContent returns the content of a message: a string, which all providers take, or its text and its pictures.
func encodeContent(m llm.Message) any {
	if len(m.Pictures) == 0 {
		return m.Content
	}
	var parts []sdk.ChatMessagePart
	if m.Content != "" {
		parts = append(parts, sdk.ChatMessagePart{Type: sdk.ChatMessagePartTypeText, Text: m.Content})
	}
	for _, p := range m.Pictures {
		url := "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
		parts = append(parts, sdk.ChatMessagePart{Type: sdk.ChatMessagePartTypeImageURL, ImageURL: &sdk.ChatMessageImageURL{URL: url}})
	}
	return parts
}

func encodeCalls(calls []llm.ToolCall, states []fields, d dialect) []any {
	var out []any
	for i, call := range calls {
		encoded := sdk.ToolCall{
			ID: call.ID, Type: sdk.ToolTypeFunction,
			Function: sdk.FunctionCall{Name: wire.Name(call.Name), Arguments: wire.Object(call.Arguments)},
		}
		var state fields
		if i < len(states) {
			state = states[i]
		}
		if state == nil && d.sign && i == 0 {
			state = unsigned
		}
		if state == nil {
			out = append(out, encoded)
			continue
		}
		all := map[string]any{"id": encoded.ID, "type": encoded.Type, "function": encoded.Function}
		for name, value := range state {
			if _, ours := all[name]; !ours {
				all[name] = value
			}
		}
		out = append(out, all)
	}
	return out
}

// unsigned is what Gemini takes in place of the signature of a call that another model made
// (https://ai.google.dev/gemini-api/docs/thought-signatures).
var unsigned = fields{"extra_content": json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)}

// exchange is the SDK's HTTP client for one call: it puts our fields into the request, and keeps the stream, which the SDK's own reader
// would take for less than it is.
type exchange struct {
	*wire.Call
	fields map[string]json.RawMessage
	whole  bool // the answer is not to be streamed
	events *wire.Events
}

// Do sends the request.
func (x *exchange) Do(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "read the request for the model: %w", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fault.Errorf(fault.Internal, "read the request for the model: %w", err)
	}
	maps.Copy(fields, x.fields)
	if x.whole {
		x.Whole()
		fields["stream"] = json.RawMessage("false")
		delete(fields, "stream_options")
	}
	if body, err = json.Marshal(fields); err != nil {
		return nil, fault.Errorf(fault.Internal, "encode the request for the model: %w", err)
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	request.ContentLength = int64(len(body))
	response, err := x.Call.Do(request)
	if err != nil {
		return nil, err
	}
	x.events = x.Events(response.Body)
	return response, nil
}

// responseFormat returns the form of an answer as chat completions want it.
func responseFormat(f *chat.AnswerFormat) map[string]any {
	if f.Schema == nil {
		return map[string]any{"type": "json_object"}
	}
	return map[string]any{"type": "json_schema", "json_schema": formatFields(f)}
}

// formatFields returns the name, the schema and the other properties of a form.
func formatFields(f *chat.AnswerFormat) map[string]any {
	out := map[string]any{"name": f.Name, "schema": f.Schema, "strict": f.Strict}
	if f.Description != "" {
		out["description"] = f.Description
	}
	return out
}
