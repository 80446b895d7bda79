package llmtest

import (
	"encoding/json"
	"fmt"
)

// inputItem is an item of the input of a request to the Responses API.
type inputItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Summary   []piece         `json:"summary"` // nil: it is missing
	Encrypted string          `json:"encrypted_content"`
}

// kind returns the type of an item, which a message may leave out.
func (i inputItem) kind() string {
	if i.Type == "" && i.Role != "" {
		return "message"
	}
	return i.Type
}

// responsesBody is the part of a request to the Responses API that is read.
type responsesBody struct {
	Model        string          `json:"model"`
	Stream       bool            `json:"stream"`
	Store        *bool           `json:"store"`
	MaxTokens    *int            `json:"max_output_tokens"`
	Instructions string          `json:"instructions"`
	Include      []string        `json:"include"`
	Input        json.RawMessage `json:"input"`
	Tools        []struct {
		Tool
		Type   string `json:"type"`
		Strict *bool  `json:"strict"`
	} `json:"tools"`
}

// items returns the input, which may be a string.
func (b responsesBody) items() ([]inputItem, error) {
	var text string
	if json.Unmarshal(b.Input, &text) == nil {
		return []inputItem{{Role: "user", Content: b.Input}}, nil
	}
	var items []inputItem
	if err := json.Unmarshal(b.Input, &items); err != nil {
		return nil, fmt.Errorf("parse the input: %w", err)
	}
	return items, nil
}

func parseResponses(raw []byte) (Request, error) {
	var body responsesBody
	if err := json.Unmarshal(raw, &body); err != nil {
		return Request{}, fmt.Errorf("parse the request: %w", err)
	}
	req := Request{Dialect: Responses, Model: body.Model, Stream: body.Stream, System: body.Instructions}
	if body.MaxTokens != nil {
		req.MaxTokens = *body.MaxTokens
	}
	for _, include := range body.Include {
		req.encrypted = req.encrypted || include == "reasoning.encrypted_content"
	}
	for i, tool := range body.Tools {
		switch tool.Type {
		case "web_search", "image_generation", "code_interpreter", "tool_search", "namespace", "local_shell":
			continue // the provider's own, and shapes that a script calls by no name
		}
		if tool.Type != "function" && tool.Type != "custom" || tool.Name == "" {
			return Request{}, fmt.Errorf("missing required parameter: 'tools[%d].name'", i)
		}
		req.Tools = append(req.Tools, tool.Tool)
	}
	items, err := body.items()
	if err != nil {
		return Request{}, err
	}
	for i, item := range items {
		if err := req.addItem(item); err != nil {
			return Request{}, fmt.Errorf("input[%d]: %w", i, err)
		}
	}
	req.place()
	return req, nil
}

// addItem makes messages of items: those of one answer, which follow each other, are one.
func (r *Request) addItem(item inputItem) error {
	switch item.kind() {
	case "message":
		text, pictures, err := flatten(item.Content)
		switch {
		case err != nil:
			return err
		case item.Role == "system" || item.Role == "developer":
			r.System += text
		case item.Role == "assistant":
			r.lastAnswer().Content += text
		case item.Role == "user":
			r.Messages = append(r.Messages, Message{Role: item.Role, Content: text, Pictures: pictures})
		default:
			return fmt.Errorf("invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'", item.Role)
		}
	case "reasoning":
		m := r.lastAnswer()
		m.Signature += item.Encrypted
		for _, part := range item.Summary {
			m.Reasoning += part.Text
		}
	case "function_call":
		m := r.lastAnswer()
		m.Calls = append(m.Calls, Call{ID: item.CallID, Name: item.Name, Arguments: item.Arguments})
	case "function_call_output":
		text, pictures, err := flatten(item.Output)
		if err != nil {
			return err
		}
		r.Messages = append(r.Messages, Message{Role: "tool", Content: text, Pictures: pictures, ToolCallID: item.CallID})
	default:
		return fmt.Errorf("invalid value: '%s'", item.Type)
	}
	return nil
}

// lastAnswer returns the answer that the newest items belong to.
func (r *Request) lastAnswer() *Message {
	if last := len(r.Messages) - 1; last < 0 || r.Messages[last].Role != "assistant" {
		r.Messages = append(r.Messages, Message{Role: "assistant"})
	}
	return &r.Messages[len(r.Messages)-1]
}
