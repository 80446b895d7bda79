// Package mask hides secret values in what programs write. A value is found as it is, and in the usual forms of programs: in JSON, in addresses, in
// hexadecimal and in base64, at any offset. A value that is reversed, compressed or printed one character at a time is not found: a user who may run
// commands with a secret may learn it.
package mask

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"xbot/runner/wire"
)

// shortest is the least that is hidden, in bytes: shorter texts are found in what has nothing to do with them.
const shortest = wire.MinSecret

// Masker hides values. It does not change, and is safe for concurrent use. A nil one hides nothing.
type Masker struct {
	forms map[uint64][]form // by their first eight bytes
	all   []form
	pairs [1 << 10]uint64 // a bit for each pair of bytes that a form begins with
}

// form is a value in one of its forms, and its replacement.
type form struct{ text, shown string }

// Shown returns the replacement of a value.
func Shown(name string) string { return "[hidden: " + name + "]" }

// New hides these values; nil where there are none.
func New(secrets []wire.Secret) *Masker {
	m := &Masker{forms: map[uint64][]form{}}
	known := map[string]bool{}
	for _, s := range secrets {
		for _, text := range formsOf(s.Value) {
			if len(text) < shortest || known[text] {
				continue
			}
			known[text] = true
			m.add(form{text: text, shown: Shown(s.Name)})
		}
	}
	if len(m.all) == 0 {
		return nil
	}
	return m
}

func (m *Masker) add(f form) {
	key := binary.LittleEndian.Uint64([]byte(f.text))
	m.forms[key] = append(m.forms[key], f)
	m.all = append(m.all, f)
	at := pairOf(f.text[0], f.text[1])
	m.pairs[at/64] |= 1 << (at % 64)
}

func pairOf(a, b byte) int { return int(a)<<8 | int(b) }

// formsOf returns the forms of a value; of one with several lines also those of each line.
func formsOf(value string) []string {
	values := []string{value}
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= shortest {
				values = append(values, line)
			}
		}
	}
	var out []string
	for _, v := range values {
		out = append(out, v, url.QueryEscape(v), url.PathEscape(v), hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))))
		out = append(out, inJSON(v)...)
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			out = append(out, enc.EncodeToString([]byte(v)))
			out = append(out, inBase64(enc.WithPadding(base64.NoPadding), v)...)
		}
	}
	return out
}

// inJSON returns a value as encoders write it in a text of JSON: with < > & as they are, or not.
func inJSON(value string) []string {
	var plain strings.Builder
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // a text always encodes
	}
	escaped, err := json.Marshal(value)
	if err != nil {
		panic(err) // as above
	}
	return []string{strings.Trim(strings.TrimSpace(plain.String()), `"`), strings.Trim(string(escaped), `"`)}
}

// inBase64 returns the characters that depend on the value alone, for each place in three bytes at which it can begin.
func inBase64(enc *base64.Encoding, value string) []string {
	const perCharacter = 6 // bits
	var out []string
	for before := range 3 {
		text := enc.EncodeToString([]byte(strings.Repeat("\x00", before) + value))
		first := (8*before + perCharacter - 1) / perCharacter
		out = append(out, text[first:8*(before+len(value))/perCharacter])
	}
	return out
}

// at returns the longest form that data begins with, and whether it may begin with a longer one once more of it is known.
func (m *Masker) at(data []byte) (length int, shown string, wait bool) {
	if len(data) >= 2 {
		if at := pairOf(data[0], data[1]); m.pairs[at/64]&(1<<(at%64)) == 0 {
			return 0, "", false
		}
	}
	among := m.all
	if len(data) >= shortest {
		among = m.forms[binary.LittleEndian.Uint64(data)]
	}
	for _, f := range among {
		known := min(len(data), len(f.text))
		switch {
		case string(data[:known]) != f.text[:known]:
		case known < len(f.text):
			wait = true
		case known > length:
			length, shown = known, f.shown
		}
	}
	return length, shown, wait
}

// Text hides values in a text that is whole.
func (m *Masker) Text(text string) string {
	if m == nil {
		return text
	}
	s := m.Stream()
	return string(s.Write([]byte(text))) + string(s.End())
}

// Stream hides values in what comes piece by piece: no division into pieces shows one. It is for one goroutine. That of a nil
// Masker passes everything on.
func (m *Masker) Stream() *Stream { return &Stream{masker: m} }

// Stream is what Masker.Stream makes.
type Stream struct {
	masker  *Masker
	held    []byte // what may begin a value
	covered int    // bytes of held that belong to a value that was found
	inside  bool   // the byte before belonged to one
}

// Write returns what can be shown by now. It is not the piece itself where there is something to hide.
func (s *Stream) Write(piece []byte) []byte {
	if s.masker == nil {
		return piece
	}
	return s.take(piece, false)
}

// End returns the rest: nothing follows.
func (s *Stream) End() []byte {
	if s.masker == nil {
		return nil
	}
	return s.take(nil, true)
}

// take shows each byte that belongs to no value, and one note for adjacent bytes that do.
func (s *Stream) take(piece []byte, last bool) []byte {
	data := slices.Concat(s.held, piece)
	out := make([]byte, 0, len(data))
	i := 0
	for ; i < len(data); i++ {
		length, shown, wait := s.masker.at(data[i:])
		if wait && !last {
			break
		}
		if length > 0 && !s.inside {
			out, s.inside = append(out, shown...), true
		}
		if s.covered = max(s.covered, length); s.covered > 0 {
			s.covered--
			continue
		}
		s.inside = false
		out = append(out, data[i])
	}
	s.held = append([]byte(nil), data[i:]...)
	return out
}
