package webpage

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/transform"
)

// utf8Of converts a page to UTF-8. Servers send wrong encodings, or none; evidence in the bytes takes precedence:
//
//   - a byte order mark
//   - bytes beyond ASCII that are UTF-8 are hardly ever something else
//   - the header, then the page's own word (meta); one that claims UTF-8 for bytes that are not, or Latin 1, which is the default of servers
//     without a setting, is taken only where nothing better is known
//   - pairs of bytes as Chinese text has them are GBK
//   - else Latin 1, as browsers have it (windows-1252)
func utf8Of(data []byte, contentType string) string {
	head := data[:min(len(data), 1024)]
	byHeader, name, sure := charset.DetermineEncoding(head, contentType)
	if sure && bytes.HasPrefix(head, mark(name)) && len(mark(name)) > 0 {
		return decoded(data, byHeader)
	}
	wide := sure && (name == "utf-16le" || name == "utf-16be")
	if !wide && !ascii(data) && utf8.Valid(whole(data)) {
		return string(whole(data))
	}
	own, ownName, _ := charset.DetermineEncoding(head, "")
	switch {
	case sure && specific(name):
		return decoded(data, byHeader)
	case specific(ownName):
		return decoded(data, own)
	case ascii(data):
		return string(data)
	case mostlyUTF8(data):
		return string(bytes.ToValidUTF8(data, []byte("\ufffd")))
	case chinese(data):
		return decoded(data, simplifiedchinese.GB18030)
	}
	latin, _ := charset.Lookup("windows-1252")
	return decoded(data, latin)
}

// specific reports whether a name of an encoding is meaningful: UTF-8 was looked for before, and Latin 1 is a default.
func specific(name string) bool {
	return name != "" && name != "utf-8" && name != "windows-1252" && name != "replacement"
}

// mark returns the byte order mark of an encoding.
func mark(name string) []byte {
	switch name {
	case "utf-8":
		return []byte("\xef\xbb\xbf")
	case "utf-16le":
		return []byte("\xff\xfe")
	case "utf-16be":
		return []byte("\xfe\xff")
	}
	return nil
}

func decoded(data []byte, e encoding.Encoding) string {
	out, _, err := transform.Bytes(e.NewDecoder(), data)
	if err != nil {
		return string(bytes.ToValidUTF8(data, []byte("\ufffd"))) // no decoder of these fails: it writes U+FFFD
	}
	return string(out)
}

// whole returns the data without a character that its end cuts.
func whole(data []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if c := data[len(data)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(data[len(data)-i:]) {
				return data[:len(data)-i]
			}
			break
		}
	}
	return data
}

func ascii(data []byte) bool {
	for _, c := range data {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// mostlyUTF8 reports whether nine of ten characters beyond ASCII are UTF-8: the page is, and something in it is broken.
func mostlyUTF8(data []byte) bool {
	good, bad := 0, 0
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case r >= utf8.RuneSelf:
			good++
		}
		data = data[size:]
	}
	return good >= 9*bad
}

// chinese reports whether bytes beyond ASCII come in the pairs of the characters of GB 2312, nine of ten. In Western text they are single.
func chinese(data []byte) bool {
	pairs, rest := 0, 0
	for i := 0; i < len(data); i++ {
		if data[i] < utf8.RuneSelf {
			continue
		}
		if i+1 < len(data) && data[i] >= 0xa1 && data[i] <= 0xf7 && data[i+1] >= 0xa1 && data[i+1] < 0xff {
			pairs++
			i++
			continue
		}
		rest++
	}
	return pairs >= 2 && pairs >= 9*rest
}
