package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

// contents is the content of a message: a text, or blocks.
type contents []block

// block is a part of a message.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Thinking  string          `json:"thinking,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	MimeType  string          `json:"mimeType,omitempty"`
}

// UnmarshalJSON accepts a text as one block.
func (c *contents) UnmarshalJSON(data []byte) error {
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		*c = contents{{Type: "text", Text: text}}
		return nil
	}
	var blocks []block
	if err := json.Unmarshal(data, &blocks); err != nil {
		return err
	}
	*c = blocks
	return nil
}

// texts joins the texts. Other content that users sent is named in brackets, since only its data is lost.
func (c contents) texts() string {
	var out []string
	for _, b := range c {
		switch b.Type {
		case "text":
			out = append(out, b.Text)
		case "image":
			out = append(out, "[image"+strings.TrimRight(" "+b.MimeType, " ")+"]")
		}
	}
	return strings.Join(out, "\n")
}

func (c contents) thoughts() string {
	var out []string
	for _, b := range c {
		if b.Type == "thinking" && b.Thinking != "" {
			out = append(out, b.Thinking)
		}
	}
	return strings.Join(out, "\n")
}

// argumentsOf returns arguments as the object that the format requires. Model output that is no object is wrapped in one.
func argumentsOf(text string) json.RawMessage {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) == nil && object != nil {
		return json.RawMessage(text)
	}
	out, err := json.Marshal(map[string]string{"_raw": text})
	if err != nil {
		return json.RawMessage("{}") // a string always encodes
	}
	return out
}

// textOf is the inverse of argumentsOf.
func textOf(arguments json.RawMessage) string {
	var raw struct {
		Raw *string `json:"_raw"`
	}
	if json.Unmarshal(arguments, &raw) == nil && raw.Raw != nil {
		return *raw.Raw
	}
	var out bytes.Buffer
	if json.Compact(&out, arguments) != nil || out.Len() == 0 {
		return "{}"
	}
	return out.String()
}
