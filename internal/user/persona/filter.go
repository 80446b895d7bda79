package persona

import (
	"slices"
	"strings"
)

// NoReply is the answer with which any model can choose silence, in any case.
const NoReply = "NO_REPLY"

// HeartbeatOK is the answer of a heartbeat that found nothing to report. In conversations of jobs it is silence, too.
const HeartbeatOK = "HEARTBEAT_OK"

// blanks are those that are one byte, so that a piece cannot end in the middle of one.
const blanks = " \t\r\n"

// Contract defines which parts of an answer people see.
type Contract struct {
	Tokens []string // an answer of one of these alone is silence; NoReply is, too, unless Literal is set
	// Literal means that the model is given no token, so that none is silence.
	Literal bool
	Tags    []string // <tag>…</tag> is cut; in lower case
}

// Show returns what people see of an answer, and whether it is silence: nothing at all is shown then. A part that is
// opened as hidden and never closed is hidden to the end. Where something was cut at the beginning or anywhere at all,
// the blanks at that end go with it; nothing else changes.
func (c Contract) Show(text string) (shown string, silent bool) {
	f := c.Filter()
	shown = f.Write(text) + f.Close()
	return shown, f.silent || shown == "" && text != ""
}

// Filter returns a filter for an answer while it is written.
func (c Contract) Filter() *Filter { return &Filter{contract: c, mute: true} }

// Filter lets pieces of an answer through as people may see them. What it returns for all pieces together is what
// Contract.Show returns for the whole, however the text is cut into pieces. It belongs to one goroutine.
type Filter struct {
	contract Contract

	rest    string // what may be the beginning of a tag
	tag     string // the hidden tag that is open
	opening bool   // its opening tag has not ended
	slash   bool   // the opening tag's last character so far is a slash

	blank string // blanks whose fate is not known yet
	cut   bool   // something was cut
	seen  bool   // something that is not blank was let through

	held   string // what may be a token of silence
	mute   bool   // nothing was let through, since all of it may be a token
	silent bool
}

// Write takes a piece and returns what can be shown now.
func (f *Filter) Write(piece string) string {
	f.rest += piece
	var out strings.Builder
	for f.rest != "" {
		if !f.step(&out) {
			break
		}
	}
	return f.listen(out.String())
}

// Close takes the end of the answer and returns what is left to show.
func (f *Filter) Close() string {
	var out strings.Builder
	if f.tag == "" {
		f.let(&out, f.rest)
	}
	f.rest = ""
	if !f.cut {
		out.WriteString(f.blank)
	}
	f.blank = ""
	last := f.listen(out.String())
	if !f.mute {
		return last
	}
	if f.contract.isToken(f.held) {
		f.silent, f.held = true, ""
		return ""
	}
	held := f.held
	f.held, f.mute = "", false
	return held
}

// step continues as far as it can, and reports whether there may be more to do.
func (f *Filter) step(out *strings.Builder) bool {
	switch {
	case f.opening:
		return f.open()
	case f.tag != "":
		return f.skip()
	}
	i := strings.IndexByte(f.rest, '<')
	if i < 0 {
		f.let(out, f.rest)
		f.rest = ""
		return false
	}
	f.let(out, f.rest[:i])
	f.rest = f.rest[i:]
	tag, size, maybe := f.contract.tagAt(f.rest)
	switch {
	case tag != "":
		f.tag, f.opening, f.slash, f.cut, f.rest = tag, true, false, true, f.rest[size:]
		return true
	case maybe:
		return false
	}
	f.let(out, "<")
	f.rest = f.rest[1:]
	return true
}

// tagAt looks for the beginning of a hidden tag, such as "<will", whose name has ended. maybe means that more text is
// needed to know.
func (c Contract) tagAt(text string) (tag string, size int, maybe bool) {
	for _, name := range c.Tags {
		size := 1 + len(name)
		switch {
		case len(text) <= size:
			maybe = maybe || strings.EqualFold(text[1:], name[:len(text)-1])
		case strings.EqualFold(text[1:size], name) && strings.IndexByte(" \t\r\n/>", text[size]) >= 0:
			return name, size, false
		}
	}
	return "", 0, maybe
}

// open goes to the end of an opening tag.
func (f *Filter) open() bool {
	end := strings.IndexByte(f.rest, '>')
	if end < 0 {
		f.slash = f.rest[len(f.rest)-1] == '/'
		f.rest = ""
		return false
	}
	alone := f.slash
	if end > 0 {
		alone = f.rest[end-1] == '/'
	}
	f.opening, f.rest = false, f.rest[end+1:]
	if alone {
		f.tag = ""
	}
	return true
}

// skip goes to the end of a hidden part.
func (f *Filter) skip() bool {
	for {
		i := strings.Index(f.rest, "</")
		if i < 0 {
			f.rest = f.rest[len(f.rest)-len(suffix(f.rest, "<")):]
			return false
		}
		f.rest = f.rest[i:]
		size, maybe := closes(f.rest, f.tag)
		switch {
		case size > 0:
			f.tag, f.rest = "", f.rest[size:]
			return true
		case maybe:
			return false
		}
		f.rest = f.rest[2:]
	}
}

// suffix returns the end of a text if it is the given one.
func suffix(text, end string) string {
	if strings.HasSuffix(text, end) {
		return end
	}
	return ""
}

// maxBlanks is how many blanks a closing tag may have before its end.
const maxBlanks = 64

// closes returns the size of the closing tag that a text begins with; maybe means that more text is needed to know.
func closes(text, tag string) (size int, maybe bool) {
	after := 2 + len(tag)
	if len(text) <= after {
		return 0, strings.EqualFold(text[2:], tag[:len(text)-2])
	}
	if !strings.EqualFold(text[2:after], tag) {
		return 0, false
	}
	for i := after; i < min(len(text), after+maxBlanks); i++ {
		switch text[i] {
		case '>':
			return i + 1, false
		case ' ', '\t', '\r', '\n':
		default:
			return 0, false
		}
	}
	return 0, len(text) < after+maxBlanks
}

// let passes text on, but for blanks at its end, whose fate what follows decides.
func (f *Filter) let(out *strings.Builder, text string) {
	solid := strings.TrimRight(text, blanks)
	if solid == "" {
		f.blank += text
		return
	}
	if f.seen || !f.cut {
		out.WriteString(f.blank)
		out.WriteString(solid)
	} else {
		out.WriteString(strings.TrimLeft(solid, blanks))
	}
	f.seen, f.blank = true, text[len(solid):]
}

// listen holds text back while all of it may be a token of silence.
func (f *Filter) listen(text string) string {
	if !f.mute {
		return text
	}
	f.held += text
	if f.contract.mayBeToken(f.held) {
		return ""
	}
	out := f.held
	f.held, f.mute = "", false
	return out
}

// isToken reports whether a whole answer is silence.
func (c Contract) isToken(text string) bool {
	text = strings.Trim(text, blanks)
	return !c.Literal && strings.EqualFold(text, NoReply) || text != "" && slices.Contains(c.Tokens, text)
}

// mayBeToken reports whether a text, if more follows, can become a token of silence.
func (c Contract) mayBeToken(text string) bool {
	text = strings.TrimLeft(text, blanks)
	bare := strings.TrimRight(text, blanks)
	if bare == "" {
		return true
	}
	if c.Literal {
		return false
	}
	if len(text) <= len(NoReply) && strings.EqualFold(text, NoReply[:len(text)]) || strings.EqualFold(bare, NoReply) {
		return true
	}
	return slices.ContainsFunc(c.Tokens, func(token string) bool { return strings.HasPrefix(token, text) || token == bare })
}
