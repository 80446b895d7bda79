package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"xbot/internal/llm"
)

// Limits of the provider state of one answer, in bytes: as stored, and as received, where each piece repeats its field names.
const (
	maxState    = 1 << 20
	maxGathered = 16 << 20
)

// state is the content of Answer.Opaque for a chat completion: fields that the provider wants back unchanged, such as the
// thought_signature in the extra_content of a Gemini call, or reasoning_details of OpenRouter. State and thoughts go back to the host and
// model in the origin only.
type state struct {
	Origin string   `json:"origin"`
	Fields fields   `json:"fields,omitempty"` // of the message
	Calls  []fields `json:"calls,omitempty"`  // of its calls, in their order; empty: of none
}

// fields are JSON fields that the adapter does not interpret.
type fields map[string]json.RawMessage

// otherFields returns the fields of an object without the known and the empty ones.
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

// size returns the length of the fields in bytes.
func (f fields) size() (n int) {
	for name, value := range f {
		n += len(name) + len(value)
	}
	return n
}

// fieldCollector collects fields from the pieces of an answer.
type fieldCollector struct {
	values map[string][]json.RawMessage
	bytes  int
}

// add collects the fields of one piece.
func (g *fieldCollector) add(more fields) {
	if g.bytes += more.size(); g.bytes > maxGathered {
		return
	}
	for name, value := range more {
		if g.values == nil {
			g.values = map[string][]json.RawMessage{}
		}
		g.values[name] = append(g.values[name], value)
	}
}

// whole joins the pieces: texts and lists are concatenated, a later object overrides an earlier one, and of other values
// the last one counts. State above the limit is dropped as a whole, since a part of it is useless.
func (g *fieldCollector) whole() fields {
	if len(g.values) == 0 || g.bytes > maxGathered {
		return nil
	}
	out := fields{}
	for name, values := range g.values {
		last := values[len(values)-1]
		same := !slices.ContainsFunc(values, func(v json.RawMessage) bool { return v[0] != last[0] })
		switch {
		case same && last[0] == '[':
			out[name] = joinLists(values)
		case same && last[0] == '{':
			out[name] = joinObjects(values)
		case same && last[0] == '"' && slices.ContainsFunc(values, func(v json.RawMessage) bool { return !bytes.Equal(v, last) }):
			out[name] = joinTexts(values)
		default:
			out[name] = last
		}
	}
	return out
}

// joinTexts concatenates JSON strings without decoding them.
func joinTexts(texts []json.RawMessage) json.RawMessage {
	out := []byte{'"'}
	for _, text := range texts {
		out = append(out, text[1:len(text)-1]...)
	}
	return append(out, '"')
}

func joinObjects(objects []json.RawMessage) json.RawMessage {
	all := fields{}
	for _, object := range objects {
		var one fields
		_ = json.Unmarshal(object, &one) // an object
		maps.Copy(all, one)
	}
	return encode(all)
}

// joinLists concatenates lists. An element that continues the one before it, as the pieces of a thought do, is
// merged into it.
func joinLists(lists []json.RawMessage) json.RawMessage {
	all := []json.RawMessage{}
	var open openThought
	for _, list := range lists {
		var elements []json.RawMessage
		_ = json.Unmarshal(list, &elements) // a list
		for _, element := range elements {
			if open.join(element) {
				continue
			}
			all = open.close(all)
			if open = begin(element); open.fields == nil {
				all = append(all, element)
			}
		}
	}
	return encode(open.close(all))
}

// grows lists the fields of a thought that are streamed in pieces (reasoning_details of OpenRouter, thinking_blocks of LiteLLM).
var grows = []string{"text", "summary", "thinking"}

// openThought is a thought under assembly.
type openThought struct {
	fields fields
	texts  map[string][]json.RawMessage
}

// begin starts a thought with an element. An element that is not an object starts none.
func begin(element json.RawMessage) (g openThought) {
	if json.Unmarshal(element, &g.fields) == nil && g.fields != nil {
		g.texts = map[string][]json.RawMessage{}
		g.take(g.fields)
	}
	return g
}

// take appends the texts of a piece.
func (g openThought) take(piece fields) {
	for _, name := range grows {
		if value := piece[name]; len(value) > 0 && value[0] == '"' {
			g.texts[name] = append(g.texts[name], value)
		}
	}
}

// join merges an element that continues the thought. A signed or encrypted thought is complete.
func (g openThought) join(element json.RawMessage) bool {
	var piece fields
	if g.fields == nil || json.Unmarshal(element, &piece) != nil || piece == nil {
		return false
	}
	differs := func(name string) bool {
		return isSet(g.fields[name]) && isSet(piece[name]) && !bytes.Equal(g.fields[name], piece[name])
	}
	says := slices.ContainsFunc(grows, func(name string) bool { return isSet(piece[name]) })
	if !bytes.Equal(g.fields["type"], piece["type"]) || differs("index") || differs("id") || isSet(g.fields["signature"]) || isSet(g.fields["data"]) ||
		isSet(piece["data"]) || !says && !isSet(piece["signature"]) {
		return false
	}
	g.take(piece)
	for name, value := range piece {
		if isSet(value) && !slices.Contains(grows, name) {
			g.fields[name] = value
		}
	}
	return true
}

// close appends the thought to a list.
func (g openThought) close(list []json.RawMessage) []json.RawMessage {
	if g.fields == nil {
		return list
	}
	for name, texts := range g.texts {
		g.fields[name] = joinTexts(texts)
	}
	return append(list, encode(g.fields))
}

func isSet(value json.RawMessage) bool {
	return len(value) > 0 && string(value) != "null" && string(value) != `""`
}

// encode marshals a value that was decoded from JSON.
func encode(v any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // a decoded value can be encoded
	}
	return bytes.TrimSpace(out.Bytes())
}

// opaque returns the state to store with an answer; nil if the answer has neither state nor thoughts.
func (s state) opaque(thoughts bool) json.RawMessage {
	size := s.Fields.size()
	for _, call := range s.Calls {
		size += call.size()
	}
	if !slices.ContainsFunc(s.Calls, func(f fields) bool { return len(f) > 0 }) {
		s.Calls = nil
	}
	if size > maxState {
		s.Fields, s.Calls = nil, nil // a part of it is useless
	}
	if !thoughts && len(s.Fields) == 0 && s.Calls == nil {
		return nil
	}
	return bytes.ToValidUTF8(encode(s), []byte("�"))
}

// stateOf returns the state of an earlier answer. ok is false if another provider or model gave the answer.
func stateOf(m llm.Message, origin string) (s state, ok bool) {
	if len(m.Opaque) == 0 || json.Unmarshal(m.Opaque, &s) != nil || s.Origin != origin {
		return state{}, false
	}
	if len(s.Calls) != len(m.ToolCalls) {
		s.Calls = nil
	}
	return s, true
}

// thinks reports whether the state holds thoughts. They are then not sent a second time as reasoning_content.
func (s state) thinks() bool {
	for name := range s.Fields {
		if strings.Contains(name, "reasoning") || strings.Contains(name, "thinking") {
			return true
		}
	}
	return false
}
