package wire

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Segment is a part of a message.
type Segment struct {
	Type string     `json:"type"`
	Data Attributes `json:"data"`
}

// Attributes are the data of a segment. Values other than strings, numbers and booleans are kept as JSON.
type Attributes map[string]string

// UnmarshalJSON reads an object with values of any type.
func (a *Attributes) UnmarshalJSON(data []byte) error {
	*a = Attributes{}
	var raw map[string]json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil // segments without data come as null, and strange ones as strings
	}
	for name, value := range raw {
		(*a)[name] = PlainValue(value)
	}
	return nil
}

// PlainValue returns a member's value as text: a string without its quotes, any other value unchanged.
func PlainValue(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	if text := strings.TrimSpace(string(value)); text != "null" {
		return text
	}
	return ""
}

// MaxSegments bounds how many segments of one message are read; QQ's own editor stops long before.
const MaxSegments = 500

// ParseMessage reads a message in any of its forms: an array of segments, one segment, or a string with CQ codes.
func ParseMessage(data json.RawMessage) []Segment {
	data = json.RawMessage(strings.TrimSpace(string(data)))
	if len(data) == 0 {
		return nil
	}
	switch data[0] {
	case '[':
		return parseSegments(data)
	case '{':
		var one Segment
		if json.Unmarshal(data, &one) == nil && one.Type != "" {
			return []Segment{one}
		}
	case '"':
		var s string
		if json.Unmarshal(data, &s) == nil {
			return ParseCQ(s)
		}
	}
	return nil
}

// parseSegments reads an array one by one: a malformed segment costs only itself.
func parseSegments(data json.RawMessage) []Segment {
	var raw []json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	var out []Segment
	for _, r := range raw[:min(len(raw), MaxSegments)] {
		var s Segment
		if json.Unmarshal(r, &s) == nil && s.Type != "" {
			out = append(out, s)
		}
	}
	return out
}

// Size returns a count of bytes of a segment's data, 0 if it has none.
func (a Attributes) Size() int64 {
	for _, name := range []string{"file_size", "size"} {
		if n, err := strconv.ParseInt(a[name], 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return 0
}
