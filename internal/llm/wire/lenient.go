package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Parse decodes JSON and leaves fields of unexpected types empty.
func Parse(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if _, other := errors.AsType[*json.UnmarshalTypeError](err); other {
		return nil
	}
	return err
}

// Text is a piece of text: a string, null, or JSON of another type, which then is the text. Providers cut text anywhere: a piece may begin
// and end inside a character. Seam puts pieces together.
type Text string

// UnmarshalJSON accepts any JSON.
func (t *Text) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null":
	case data[0] == '"':
		*t = Text(unquote(data))
	default:
		*t = Text(data)
	}
	return nil
}

// String returns the text without NUL and without incomplete characters.
func (t Text) String() string {
	var s Seam
	return s.Join(string(t)) + s.Rest()
}

// Word is a string that is a name or a code. JSON of another type is none.
type Word string

// UnmarshalJSON accepts any JSON.
func (w *Word) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		*w = Word(Text(unquote(data)).String())
	}
	return nil
}

// Count is a number of things. It may come as 10.0 or "10"; what is no number is 0.
type Count int

// UnmarshalJSON accepts any JSON.
func (c *Count) UnmarshalJSON(data []byte) error {
	number, err := strconv.ParseFloat(strings.Trim(string(data), `" `), 64)
	if err == nil && number > 0 && number < math.MaxInt32 {
		*c = Count(number)
	}
	return nil
}

// maxElements bounds a list; the longest that mean something have some hundred.
const maxElements = 10_000

// List is a list, or one object in its place. Elements that are no objects are left out, and so is what follows the first 10 000.
type List[T any] []T

// UnmarshalJSON accepts any JSON.
func (l *List[T]) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if data[0] == '{' {
		raw = []json.RawMessage{data}
	} else if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	for _, one := range raw[:min(len(raw), maxElements)] {
		var element T
		if len(one) > 0 && one[0] == '{' && Parse(one, &element) == nil {
			*l = append(*l, element)
		}
	}
	return nil
}

// unquote returns a JSON string. Halves of surrogate pairs and bytes that are no UTF-8 stay, each half as three bytes.
func unquote(data []byte) string {
	if utf8.Valid(data) && !bytes.Contains(data, []byte(`\ud`)) && !bytes.Contains(data, []byte(`\uD`)) {
		var s string
		if json.Unmarshal(data, &s) != nil {
			return ""
		}
		return s
	}
	if len(data) < 2 {
		return ""
	}
	data = data[1 : len(data)-1]
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' || i+1 == len(data) {
			out = append(out, data[i])
			continue
		}
		i++
		if data[i] == 'u' && i+4 < len(data) {
			unit, _ := strconv.ParseUint(string(data[i+1:i+5]), 16, 16) // valid JSON has digits there
			i += 4
			out = appendUnit(out, rune(unit))
			continue
		}
		out = append(out, unescape(data[i]))
	}
	return string(out)
}

// appendUnit appends a UTF-16 unit. The second half of a pair joins the first one.
func appendUnit(out []byte, unit rune) []byte {
	if !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(out, unit)
	}
	if before, ok := lastHalf(string(out[max(0, len(out)-3):])); ok {
		if r := utf16.DecodeRune(before, unit); r != utf8.RuneError {
			return utf8.AppendRune(out[:len(out)-3], r)
		}
	}
	return append(out, 0xE0|byte(unit>>12), 0x80|byte(unit>>6)&0x3F, 0x80|byte(unit)&0x3F)
}

// lastHalf returns the half of a pair at the end.
func lastHalf(text string) (rune, bool) {
	if len(text) < 3 {
		return 0, false
	}
	return half(text[len(text)-3:])
}

// half returns the half of a pair at the beginning.
func half(text string) (rune, bool) {
	if len(text) < 3 || text[0] != 0xED || text[1] < 0xA0 || text[1] > 0xBF || text[2]&0xC0 != 0x80 {
		return 0, false
	}
	return rune(text[0]&0x0F)<<12 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F), true
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return c
	}
}

// Seam puts pieces of one text together. What may be the beginning of a character waits for the next piece.
type Seam struct{ held string }

// Join adds the next piece and returns the complete characters.
func (s *Seam) Join(piece string) string {
	if s.held == "" && utf8.ValidString(piece) {
		return Clean(piece)
	}
	text := s.held + piece
	cut := len(text)
	if h, ok := lastHalf(text); ok && h < 0xDC00 {
		cut -= 3
	} else {
		for i := max(0, len(text)-3); i < len(text); i++ {
			if utf8.RuneStart(text[i]) && !utf8.FullRuneInString(text[i:]) {
				cut = i
				break
			}
		}
	}
	text, s.held = text[:cut], text[cut:]
	return Clean(mend(text))
}

// Rest returns what waits at the end: a character that never became whole.
func (s *Seam) Rest() string {
	rest := s.held
	s.held = ""
	return mend(rest)
}

// mend joins halves of pairs and replaces what is no character.
func mend(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if h, ok := half(text[i:]); ok {
			r, size = utf8.RuneError, 3
			if low, ok := half(text[i+3:]); ok && utf16.DecodeRune(h, low) != utf8.RuneError {
				r, size = utf16.DecodeRune(h, low), 6
			}
		}
		out.WriteRune(r)
		i += size
	}
	return out.String()
}
