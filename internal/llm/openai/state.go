package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"xbot/internal/llm"
)

// maxState bounds the state of a provider that is kept of one answer, in bytes.
const maxState = 1 << 20

// state is what Answer.Opaque holds of a chat completion: what the provider wants back as it came, whatever it is called, such as the
// thought_signature that Gemini puts into the extra_content of a call, or the reasoning_details of OpenRouter. Its origin says to whom it
// goes back, and so do the thoughts of the message: to nobody else.
type state struct {
	Origin string   `json:"origin"`
	Fields fields   `json:"fields,omitempty"` // of the message
	Calls  []fields `json:"calls,omitempty"`  // of its calls, in their order; empty: of none
}

// fields are fields of JSON that are not understood here.
type fields map[string]json.RawMessage

// otherFields returns the fields of an object but for those that are known, and but for those that say nothing.
func otherFields(object []byte, known []string) fields {
	var all fields
	if json.Unmarshal(object, &all) != nil {
		return nil
	}
	maps.DeleteFunc(all, func(name string, value json.RawMessage) bool {
		return slices.Contains(known, name) || slices.Contains([]string{"null", `""`, "[]", "{}", "false", "0"}, string(value))
	})
	return all
}

// add adds what a piece brings: texts grow, lists get longer, and other values replace each other.
func (f *fields) add(more fields) {
	for name, value := range more {
		if *f == nil {
			*f = fields{}
		}
		before, known := (*f)[name]
		switch {
		case !known:
			if value[0] == '[' {
				value = joinLists(nil, value)
			}
			(*f)[name] = value
		case before[0] == '[' && value[0] == '[':
			(*f)[name] = joinLists(before, value)
		case before[0] == '{' && value[0] == '{':
			(*f)[name] = joinObjects(before, value)
		case before[0] == '"' && value[0] == '"' && !bytes.Equal(before, value):
			(*f)[name] = slices.Concat(before[:len(before)-1], value[1:])
		default:
			(*f)[name] = value
		}
	}
}

// size is how many bytes the fields have.
func (f fields) size() (n int) {
	for name, value := range f {
		n += len(name) + len(value)
	}
	return n
}

// joinObjects puts the fields of a later object over those of an earlier one.
func joinObjects(before, later json.RawMessage) json.RawMessage {
	var a, b fields
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(later, &b) != nil {
		return later
	}
	maps.Copy(a, b)
	return encode(a)
}

// joinLists appends the elements of a list. What continues the last element, as the pieces of a thought do, becomes a part of it.
func joinLists(before, more json.RawMessage) json.RawMessage {
	var list, added []json.RawMessage
	_ = json.Unmarshal(before, &list) // a list, or nothing yet
	_ = json.Unmarshal(more, &added)  // a list
	for _, one := range added {
		if last := len(list) - 1; last >= 0 {
			if joined, ok := joinThoughts(list[last], one); ok {
				list[last] = joined
				continue
			}
		}
		list = append(list, one)
	}
	return encode(list)
}

// grows are the fields of a part of thoughts that come in pieces (reasoning_details of OpenRouter, thinking_blocks of LiteLLM).
var grows = []string{"text", "summary", "thinking"}

// joinThoughts joins two pieces of one part of thoughts. A part that is signed, or encrypted, is whole.
func joinThoughts(before, later json.RawMessage) (json.RawMessage, bool) {
	var a, b fields
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(later, &b) != nil || a == nil || b == nil {
		return nil, false
	}
	same := func(name string) bool { return !isSet(a[name]) || !isSet(b[name]) || bytes.Equal(a[name], b[name]) }
	growing := func(f fields) bool {
		return slices.ContainsFunc(grows, func(name string) bool { return len(f[name]) > 0 && f[name][0] == '"' })
	}
	signs := isSet(b["signature"]) && !growing(b)
	if !bytes.Equal(a["type"], b["type"]) || !same("index") || !same("id") || isSet(a["signature"]) || isSet(a["data"]) || isSet(b["data"]) ||
		!growing(a) && !growing(b) || !growing(b) && !signs {
		return nil, false
	}
	for name, value := range b {
		switch old := a[name]; {
		case slices.Contains(grows, name) && len(old) > 1 && old[0] == '"' && value[0] == '"':
			a[name] = slices.Concat(old[:len(old)-1], value[1:])
		case isSet(value) || old == nil:
			a[name] = value
		}
	}
	return encode(a), true
}

func isSet(value json.RawMessage) bool {
	return len(value) > 0 && string(value) != "null" && string(value) != `""`
}

// encode writes what was read from JSON.
func encode(v any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // what was read can be written
	}
	return bytes.TrimSpace(out.Bytes())
}

// opaque returns the state as it is kept with an answer; nil where the answer has neither state nor thoughts.
func (s state) opaque(thoughts bool) json.RawMessage {
	size := s.Fields.size()
	for _, call := range s.Calls {
		size += call.size()
	}
	if !slices.ContainsFunc(s.Calls, func(f fields) bool { return len(f) > 0 }) {
		s.Calls = nil
	}
	if size > maxState {
		s.Fields, s.Calls = nil, nil // a part of it would be worth nothing
	}
	if !thoughts && len(s.Fields) == 0 && s.Calls == nil {
		return nil
	}
	return encode(s)
}

// stateOf returns the state of an earlier answer; ok is false where somebody else gave it.
func stateOf(m llm.Message, origin string) (s state, ok bool) {
	if len(m.Opaque) == 0 || json.Unmarshal(m.Opaque, &s) != nil || s.Origin != origin {
		return state{}, false
	}
	if len(s.Calls) != len(m.ToolCalls) {
		s.Calls = nil
	}
	return s, true
}

// thinks reports whether the state holds thoughts, beside which they are not sent once more as reasoning_content.
func (s state) thinks() bool {
	for name := range s.Fields {
		if strings.Contains(name, "reasoning") || strings.Contains(name, "thinking") {
			return true
		}
	}
	return false
}
