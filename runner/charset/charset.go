// Package charset converts text files between their encodings and UTF-8, and keeps their line ends.
package charset

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Charset is the encoding of a text file. The zero value is UTF-8 without a byte order mark.
type Charset struct {
	name     string
	mark     string            // byte order mark
	encoding encoding.Encoding // nil for UTF-8 and for files whose bytes are not decoded
	invalid  bool              // UTF-8, but for some bytes
	unknown  bool
}

var (
	utf8Marked = Charset{name: "UTF-8 with a byte order mark", mark: "\xef\xbb\xbf"}
	invalid    = Charset{name: "UTF-8 with bytes that are not UTF-8", invalid: true}
	unknown    = Charset{name: "unknown", unknown: true}

	utf16LE = Charset{name: "UTF-16LE", encoding: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}
	utf16BE = Charset{name: "UTF-16BE", encoding: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}
	utf32LE = Charset{name: "UTF-32LE", encoding: utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}
	utf32BE = Charset{name: "UTF-32BE", encoding: utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)}

	gbk         = Charset{name: "GBK", encoding: simplifiedchinese.GBK}
	gb18030     = Charset{name: "GB18030", encoding: simplifiedchinese.GB18030}
	big5        = Charset{name: "Big5", encoding: traditionalchinese.Big5}
	shiftJIS    = Charset{name: "Shift_JIS", encoding: japanese.ShiftJIS}
	eucJP       = Charset{name: "EUC-JP", encoding: japanese.EUCJP}
	iso2022JP   = Charset{name: "ISO-2022-JP", encoding: japanese.ISO2022JP}
	eucKR       = Charset{name: "EUC-KR", encoding: korean.EUCKR}
	windows1252 = Charset{name: "Windows-1252", encoding: charmap.Windows1252}
	windows1251 = Charset{name: "Windows-1251", encoding: charmap.Windows1251}
	koi8R       = Charset{name: "KOI8-R", encoding: charmap.KOI8R}
)

// String returns the name of the encoding.
func (c Charset) String() string {
	if c.name == "" {
		return "UTF-8"
	}
	return c.name
}

// Plain reports whether the file is UTF-8 without a byte order mark.
func (c Charset) Plain() bool { return c.name == "" }

// Known reports whether every character of the file is known.
func (c Charset) Known() bool { return !c.unknown && !c.invalid }

// Holds reports whether a line of the file, or text for it, does not depend on the encoding of the unknown bytes.
func (c Charset) Holds(line string) bool {
	if c.invalid { // the rest is UTF-8
		return utf8.ValidString(line) && !strings.ContainsRune(line, utf8.RuneError)
	}
	return !c.unknown || strings.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf || r == '\x1b' }) < 0
}

// ErrBinary is the error of Decode for data that is not text.
var ErrBinary = errors.New("binary data")

// sniffed is how much of a file is searched for NUL bytes, in bytes.
const sniffed = 8 << 10

// Decode returns the characters of a text file, without its byte order mark. The encoding comes from the mark, else from the bytes. It is
// known only where one encoding fits much better than all others and gives the same bytes back: then Encode(Decode(data)) is data. The text of
// a file whose encoding is not known consists of its bytes. The error is ErrBinary if there are NUL bytes and the data is not UTF-16 or UTF-32.
func Decode(data []byte) (string, Charset, error) {
	if c, ok := marked(data); ok {
		if text, ok := c.decode(data); ok {
			return text, c, nil
		}
	}
	if bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0 {
		for _, c := range []Charset{utf16LE, utf16BE} {
			if text, ok := c.decode(data); ok && wide(text) {
				return text, c, nil
			}
		}
		return "", Charset{}, ErrBinary
	}
	if utf8.Valid(data) {
		if bytes.Contains(data, []byte("\x1b$")) {
			if text, ok := iso2022JP.decode(data); ok {
				return text, iso2022JP, nil
			}
		}
		return string(data), Charset{}, nil
	}
	if mixed(data) {
		return string(data), invalid, nil
	}
	if c, ok := guess(data); ok {
		if text, ok := c.decode(data); ok {
			return text, c, nil
		}
	}
	return string(data), unknown, nil
}

// marked returns the encoding that a byte order mark names.
func marked(data []byte) (Charset, bool) {
	for _, m := range []struct {
		Charset
		mark string
	}{
		{utf8Marked, "\xef\xbb\xbf"},
		{utf32LE, "\xff\xfe\x00\x00"}, // begins as the mark of UTF-16LE does
		{utf32BE, "\x00\x00\xfe\xff"},
		{utf16LE, "\xff\xfe"},
		{utf16BE, "\xfe\xff"},
	} {
		if bytes.HasPrefix(data, []byte(m.mark)) {
			c := m.Charset
			c.mark = m.mark
			return c, true
		}
	}
	return Charset{}, false
}

// decode converts data to UTF-8. It fails if the encoding has no character for some bytes, or would write other bytes for the text.
func (c Charset) decode(data []byte) (string, bool) {
	rest := data[len(c.mark):]
	if c.encoding == nil {
		return string(rest), utf8.Valid(rest)
	}
	text, err := c.encoding.NewDecoder().Bytes(rest)
	if err != nil || bytes.ContainsRune(text, utf8.RuneError) {
		return "", false
	}
	back, err := c.encoding.NewEncoder().Bytes(text)
	return string(text), err == nil && bytes.Equal(back, rest)
}

// Encode returns a text in the encoding, with its byte order mark. It fails with a sentence if a character does not exist there. For a file
// whose encoding is not known, the text consists of bytes already.
func (c Charset) Encode(text string) ([]byte, error) {
	if c.encoding == nil {
		return []byte(c.mark + text), nil
	}
	data, err := c.encoding.NewEncoder().String(text)
	if err == nil {
		return []byte(c.mark + data), nil
	}
	for i, r := range text {
		if _, err := c.encoding.NewEncoder().String(string(r)); err != nil {
			return nil, fmt.Errorf("%s has no character %q (%U), in line %d", c, r, r, 1+strings.Count(text[:i], "\n"))
		}
	}
	return nil, fmt.Errorf("the text cannot be written in %s: %w", c, err)
}

// UTF8 returns the text of a file in UTF-8 with "\n" at line ends, for a search. Bytes of an unknown encoding stay as they are.
// ok is false for binary data.
func UTF8(data []byte) (text []byte, ok bool) {
	plain := utf8.Valid(data) && !bytes.ContainsAny(data, "\r\x1b") && !bytes.HasPrefix(data, []byte(utf8Marked.mark))
	if plain && bytes.IndexByte(data[:min(len(data), sniffed)], 0) < 0 {
		return data, true
	}
	decoded, _, err := Decode(data)
	if err != nil {
		return nil, false
	}
	return []byte(Fold(decoded).Text), true
}

// mixed reports whether a file that is not UTF-8 is so but for some bytes: nine of ten characters are, or whole lines that cannot be by chance.
func mixed(data []byte) bool {
	good, bad := 0, 0
	for line := range bytes.Lines(data) {
		wide, narrow, wrong := 0, 0, 0
		for len(line) > 0 {
			switch r, size := utf8.DecodeRune(line); {
			case r == utf8.RuneError && size == 1:
				wrong++
				line = line[1:]
			default:
				if size > 2 {
					wide++
				} else if size == 2 {
					narrow++
				}
				line = line[size:]
			}
		}
		if wrong == 0 && 2*wide+narrow >= 4 {
			return true
		}
		good, bad = good+wide+narrow, bad+wrong
	}
	return good > 0 && good >= 9*bad
}
