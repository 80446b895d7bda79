package openai

import (
	"encoding/json"
	"slices"

	"xbot/internal/llm"
)

// between separates two messages of one answer, which are one text here.
const between = "\n\n"

// opaque is the content of Answer.Opaque for an answer of the Responses API: the order of its items, and its reasoning, which the API wants
// back in place. Text and calls are only referred to, since the answer has them.
type opaque struct {
	Origin string       `json:"origin"`
	Items  []storedItem `json:"items"`
}

// storedItem is one item: reasoning, a call or text.
type storedItem struct {
	Encrypted string    `json:"encrypted,omitempty"` // reasoning
	Summary   []summary `json:"summary,omitempty"`   // of the reasoning
	Call      bool      `json:"call,omitempty"`      // the next tool call
	Text      int       `json:"text,omitempty"`      // the next so many bytes of the text
	Phase     string    `json:"phase,omitempty"`     // of the text: commentary or final_answer
	Other     fields    `json:"other,omitempty"`     // of reasoning or a call: what the service added, such as a signature

	place int // in the output of the service
}

// reasons reports whether the item is reasoning.
func (k storedItem) reasons() bool { return k.Encrypted != "" || !k.Call && len(k.Other) > 0 }

// summary is a part of a summary of reasoning.
type summary struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// encode returns nothing when the plain order has the same content.
func (o opaque) encode() json.RawMessage {
	if !slices.ContainsFunc(o.Items, func(k storedItem) bool { return k.Encrypted != "" || k.Phase != "" || len(k.Other) > 0 }) {
		return nil
	}
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings, numbers and booleans always encode
	}
	return raw
}

// layout returns the items of an earlier answer as they came, or its text and then its calls: where another model or service made it,
// and where it was changed since.
func layout(m llm.Message, origin string) []storedItem {
	var o opaque
	if len(m.Opaque) > 0 && json.Unmarshal(m.Opaque, &o) == nil && o.Origin == origin && o.fits(m) {
		return o.Items
	}
	return append([]storedItem{{Text: len(m.Content)}}, slices.Repeat([]storedItem{{Call: true}}, len(m.ToolCalls))...)
}

// fits reports whether the items cover exactly the text and the calls of a message.
func (o opaque) fits(m llm.Message) bool {
	text, calls := 0, 0
	for _, k := range o.Items {
		switch {
		case k.reasons():
		case k.Call:
			calls++
		case k.Text < 0:
			return false
		default:
			text += min(k.Text, len(m.Content)+1) // bounded, so that no sum overflows
		}
	}
	return text == len(m.Content) && calls == len(m.ToolCalls)
}
