package onebot

import (
	"encoding/json"
	"strconv"
	"strings"
)

// segment is a part of a message.
type segment struct {
	Type string     `json:"type"`
	Data attributes `json:"data"`
}

// attributes are the data of a segment. Values that are neither strings, numbers nor truth values are kept as JSON.
type attributes map[string]string

// UnmarshalJSON reads an object of whatever values.
func (a *attributes) UnmarshalJSON(data []byte) error {
	*a = attributes{}
	var raw map[string]json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil // segments without data come as null, and strange ones as strings
	}
	for name, value := range raw {
		(*a)[name] = plainValue(value)
	}
	return nil
}

func plainValue(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	if text := strings.TrimSpace(string(value)); text != "null" {
		return text
	}
	return ""
}

// maxSegments bounds what is read of one message; QQ's own editor stops long before.
const maxSegments = 500

// parseMessage reads a message in any of its forms: an array of segments, one segment, or a string with CQ codes.
func parseMessage(data json.RawMessage) []segment {
	data = json.RawMessage(strings.TrimSpace(string(data)))
	if len(data) == 0 {
		return nil
	}
	switch data[0] {
	case '[':
		return parseSegments(data)
	case '{':
		var one segment
		if json.Unmarshal(data, &one) == nil && one.Type != "" {
			return []segment{one}
		}
	case '"':
		var s string
		if json.Unmarshal(data, &s) == nil {
			return parseCQ(s)
		}
	}
	return nil
}

// parseSegments reads an array one by one: a malformed segment costs only itself.
func parseSegments(data json.RawMessage) []segment {
	var raw []json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	var out []segment
	for _, r := range raw[:min(len(raw), maxSegments)] {
		var s segment
		if json.Unmarshal(r, &s) == nil && s.Type != "" {
			out = append(out, s)
		}
	}
	return out
}

// size is a count of bytes of a segment's data, 0 if it says none.
func (a attributes) size() int64 {
	for _, name := range []string{"file_size", "size"} {
		if n, err := strconv.ParseInt(a[name], 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return 0
}
