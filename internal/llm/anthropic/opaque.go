package anthropic

import (
	"encoding/json"

	"xbot/internal/llm"
)

// opaque is the content of Answer.Opaque: the order of an answer's blocks, and its thinking with the signatures, which the
// API wants back unchanged and in place. Text and calls are only referred to, since the answer has them.
type opaque struct {
	Origin string        `json:"origin"`
	Blocks []storedBlock `json:"blocks"`
}

// storedBlock is one stored block: thinking, a call, text, or a block of a tool that the service runs.
type storedBlock struct {
	Thinking  string          `json:"thinking,omitempty"`  // may be empty if there is a signature
	Signature string          `json:"signature,omitempty"` // empty: the service signs nothing, and yet wants its thinking back
	Redacted  string          `json:"redacted,omitempty"`
	Call      bool            `json:"call,omitempty"`  // the next tool call
	Text      int             `json:"text,omitempty"`  // the next so many bytes of the text
	Other     json.RawMessage `json:"other,omitempty"` // as it came
}

// private reports whether a block goes back only to the provider that sent it.
func (k storedBlock) private() bool {
	return k.Signature != "" || k.Redacted != "" || k.Thinking != "" || len(k.Other) > 0
}

// parseOpaque reads what encode wrote; ok is false for anything else.
func parseOpaque(raw json.RawMessage) (opaque, bool) {
	var o opaque
	if len(raw) == 0 || json.Unmarshal(raw, &o) != nil {
		return opaque{}, false
	}
	return o, true
}

// fits reports whether the blocks cover exactly the text and the calls of a message, which may have changed since.
func (o opaque) fits(m llm.Message) bool {
	text, calls := 0, 0
	for _, b := range o.Blocks {
		switch {
		case b.private():
		case b.Call:
			calls++
		case b.Text < 0:
			return false
		default:
			text += min(b.Text, len(m.Content)+1) // bounded, so that no sum overflows
		}
	}
	return text == len(m.Content) && calls == len(m.ToolCalls)
}

// encode returns nothing when there is no thinking to keep.
func (o opaque) encode() json.RawMessage {
	for _, b := range o.Blocks {
		if b.private() {
			raw, err := json.Marshal(o)
			if err != nil {
				panic(err) // strings, numbers and booleans always encode
			}
			return raw
		}
	}
	return nil
}
