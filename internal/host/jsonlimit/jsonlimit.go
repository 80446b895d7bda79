// Package jsonlimit limits the structure of untrusted JSON before it is decoded. A decoded member of a few bytes takes many times its size in memory,
// so a body within the size limit could exhaust memory.
package jsonlimit

import (
	"encoding/json"

	"xbot/internal/fault"
)

// Limits bound a JSON text.
type Limits struct {
	Items int // members and elements at all depths
	Depth int // nested objects and arrays
}

var (
	// Default is for signed-in users and programs, and for events of platforms.
	Default = Limits{Items: 100_000, Depth: 100}
	// Open is for requests that need no sign-in, whose bodies have a few members.
	Open = Limits{Items: 64, Depth: 8}
)

// Check returns TooLarge for a text beyond the limits. It neither decodes nor recurses, and does not check the syntax: a decoder stops at the first
// syntax error, and up to there both count the same.
func (l Limits) Check(text []byte) error {
	items, depth, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if quoted {
			switch c {
			case '\\':
				i++ // the next byte is part of the string
			case '"':
				quoted = false
			}
			continue
		}
		switch c {
		case '"':
			quoted = true
		case '{', '[':
			items++
			depth++
		case ',':
			items++
		case '}', ']':
			depth--
		}
		if items > l.Items {
			return fault.Errorf(fault.TooLarge, "the JSON text has more than %d members and elements", l.Items)
		}
		if depth > l.Depth {
			return fault.Errorf(fault.TooLarge, "the JSON text has more than %d objects and arrays within each other", l.Depth)
		}
	}
	return nil
}

// Unmarshal decodes a text if it is within the limits.
func (l Limits) Unmarshal(text []byte, into any) error {
	if err := l.Check(text); err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
