package qq

import (
	"encoding/json"
	"strconv"
)

// loose is a value that the platform writes as a string in one place and as a number in another. Anything else is empty.
type loose string

// UnmarshalJSON never fails on valid JSON: one odd field must not cost the message.
func (l *loose) UnmarshalJSON(raw []byte) error {
	*l = ""
	switch c := raw[0]; {
	case c == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		*l = loose(s)
	case c == '-' || '0' <= c && c <= '9':
		*l = loose(raw)
	}
	return nil
}

// int returns 0 for all but whole numbers.
func (l loose) int() int64 {
	n, err := strconv.ParseInt(string(l), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
