package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strconv"

	sdk "github.com/sashabaranov/go-openai"

	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// message is a message of a request. The SDK's own leaves out a content or reasoning that is empty, without which
// DeepSeek, TGI and others refuse a message.
type message struct {
	Role             string         `json:"role"`
	Content          any            `json:"content"` // a string, parts where there are pictures, null where an assistant only calls tools
	ReasoningContent *string        `json:"reasoning_content,omitempty"`
	ToolCalls        []sdk.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID       string         `json:"tool_call_id,omitempty"`
}

// encodeRequest returns the request but for what encodeFields adds.
func encodeRequest(model string, req llm.Request, d dialect) sdk.ChatCompletionRequest {
	out := sdk.ChatCompletionRequest{Model: model, Stream: true}
	if !d.noUsage {
		out.StreamOptions = &sdk.StreamOptions{IncludeUsage: true}
	}
	for _, tool := range req.Tools {
		out.Tools = append(out.Tools, sdk.Tool{Type: sdk.ToolTypeFunction, Function: &sdk.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: parameters(tool.Parameters),
		}})
	}
	if withoutThought(model, req) {
		out.ReasoningEffort = sdk.ReasoningEffortNone
	}
	return out
}

// withoutThought reports whether a model takes tools only without reasoning here.
func withoutThought(model string, req llm.Request) bool {
	return len(req.Tools) > 0 && (model == sdk.GPT6Sol || model == sdk.GPT6Luna)
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
func encodeFields(model string, req llm.Request, d dialect) (map[string]json.RawMessage, error) {
	messages, err := json.Marshal(encodeMessages(req, d))
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "encode the messages for the model: %w", err)
	}
	fields := map[string]json.RawMessage{"messages": messages}
	if name := d.limit.name(); name != "" && req.MaxTokens > 0 {
		fields[name] = json.RawMessage(strconv.Itoa(req.MaxTokens))
	}
	if level := d.effort.of(req.Effort); level != "" && !withoutThought(model, req) {
		fields["reasoning_effort"] = json.RawMessage(strconv.Quote(level))
	}
	return fields, nil
}

func encodeMessages(req llm.Request, d dialect) []message {
	tidy := wire.LiftPictures(wire.Tidy(req.Messages))
	if d.attach {
		tidy = wire.Attach(tidy)
	}
	thinks := d.reasoning == giveAlways
	for _, m := range tidy {
		thinks = thinks || m.Reasoning != ""
	}
	var messages []message
	if req.System != "" {
		messages = append(messages, message{Role: "system", Content: req.System})
	}
	for _, m := range tidy {
		out := message{Role: m.Role, Content: encodeContent(m)}
		switch m.Role {
		case "tool":
			out.ToolCallID = wire.ShortID(m.ToolCallID)
		case "assistant":
			out.ToolCalls = encodeCalls(m.ToolCalls)
			if m.Content == "" {
				out.Content = nil
			}
			// A model that thinks wants the field on each of its calls, were it empty; elsewhere only where there is some.
			if d.reasoning != withhold && (m.Reasoning != "" || thinks && len(m.ToolCalls) > 0) {
				out.ReasoningContent = &m.Reasoning
			}
		}
		messages = append(messages, out)
	}
	return messages
}

// encodeContent returns what a message says: a string, which all providers take, or its text and its pictures.
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

func encodeCalls(calls []llm.ToolCall) []sdk.ToolCall {
	var out []sdk.ToolCall
	for _, call := range calls {
		out = append(out, sdk.ToolCall{
			ID: wire.ShortID(call.ID), Type: sdk.ToolTypeFunction,
			Function: sdk.FunctionCall{Name: wire.Name(call.Name), Arguments: wire.Object(call.Arguments)},
		})
	}
	return out
}

// exchange is the SDK's HTTP client for one call: it puts our fields into the request and cleans the stream.
type exchange struct {
	*wire.Call
	fields map[string]json.RawMessage
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
	response.Body = newLines(x.Call, response.Body)
	return response, nil
}
