package llmtest

import (
	"encoding/json"
	"fmt"
)

// block is a content block of an Anthropic message.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`

	piece piece // the same, where it is text or a picture
}

// UnmarshalJSON reads a block, and what it shows.
func (b *block) UnmarshalJSON(data []byte) error {
	type plain block
	if err := json.Unmarshal(data, (*plain)(b)); err != nil {
		return err
	}
	return json.Unmarshal(data, &b.piece)
}

func parseAnthropic(raw []byte) (Request, error) {
	var body struct {
		Model     string          `json:"model"`
		Stream    bool            `json:"stream"`
		MaxTokens int             `json:"max_tokens"`
		System    json.RawMessage `json:"system"`
		Messages  []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return Request{}, fmt.Errorf("parse the request: %w", err)
	}
	system, _, err := flatten(body.System)
	if err != nil {
		return Request{}, err
	}
	req := Request{Dialect: Anthropic, Model: body.Model, Stream: body.Stream, MaxTokens: body.MaxTokens, System: system}
	for _, tool := range body.Tools {
		req.Tools = append(req.Tools, Tool(tool))
	}
	for _, m := range body.Messages {
		messages, err := splitBlocks(m.Role, m.Content)
		if err != nil {
			return Request{}, err
		}
		req.Messages = append(req.Messages, messages...)
	}
	req.place()
	return req, nil
}

// splitBlocks makes messages of one Anthropic message: a tool message for each of its results, and one of the rest.
func splitBlocks(role string, content json.RawMessage) ([]Message, error) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []Message{{Role: role, Content: text}}, nil
	}
	var blocks []block
	if err := json.Unmarshal(content, &blocks); err != nil {
		return nil, fmt.Errorf("parse a message's content: %w", err)
	}
	var messages, last []Message
	rest, said := Message{Role: role}, false
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			result, pictures, err := flatten(b.Content)
			if err != nil {
				return nil, err
			}
			messages = append(messages, Message{Role: "tool", Content: result, Pictures: pictures, ToolCallID: b.ToolUseID, IsError: b.IsError})
			continue
		case "tool_use":
			rest.Calls = append(rest.Calls, Call{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
		case "thinking":
			rest.Reasoning += b.Thinking
			rest.Signature += b.Signature
		case "image":
			shown, _, err := b.piece.picture()
			if err != nil {
				return nil, err
			}
			rest.Pictures = append(rest.Pictures, shown)
		default:
			if m := (Message{Role: role, Content: b.Text}); m.IsReminder() {
				last = append(last, m)
				continue
			}
			rest.Content += b.Text
		}
		said = true
	}
	if said {
		messages = append(messages, rest)
	}
	return append(messages, last...), nil
}
