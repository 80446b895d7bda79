package wire

import "strings"

// CQ codes are the older form of messages, used if a setting of NapCat asks for strings: text in which [CQ:type,name=value]
// is a segment. In text & [ ] are escaped, in values the comma as well.
var (
	unescapeText  = strings.NewReplacer("&#91;", "[", "&#93;", "]", "&amp;", "&")
	unescapeValue = strings.NewReplacer("&#91;", "[", "&#93;", "]", "&#44;", ",", "&amp;", "&")
)

// ParseCQ reads a string with CQ codes. Everything else is text.
func ParseCQ(s string) []Segment {
	var out []Segment
	say := func(t string) {
		if t == "" {
			return
		}
		if n := len(out); n > 0 && out[n-1].Type == "text" {
			out[n-1].Data["text"] += t
			return
		}
		out = append(out, Segment{Type: "text", Data: Attributes{"text": t}})
	}
	for s != "" && len(out) < MaxSegments {
		start := strings.Index(s, "[CQ:")
		if start < 0 {
			break
		}
		end := strings.IndexByte(s[start:], ']')
		if end < 0 {
			break
		}
		say(unescapeText.Replace(s[:start]))
		code := s[start : start+end+1]
		if one, ok := parseCode(code); ok {
			out = append(out, one)
		} else {
			say(unescapeText.Replace(code))
		}
		s = s[start+end+1:]
	}
	say(unescapeText.Replace(s))
	return out
}

func parseCode(code string) (Segment, bool) {
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(code, "[CQ:"), "]"), ",")
	kind := strings.TrimSpace(parts[0])
	if kind == "" || strings.ContainsAny(kind, "=[ ") {
		return Segment{}, false
	}
	one := Segment{Type: kind, Data: Attributes{}}
	for _, part := range parts[1:] {
		name, value, ok := strings.Cut(part, "=")
		if ok {
			one.Data[strings.TrimSpace(name)] = unescapeValue.Replace(value)
		}
	}
	return one, true
}
