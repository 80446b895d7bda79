package openai

import "strings"

// What makes it certain that a provider sends all of a text again with every piece, in bytes: two pieces of which the first is long, or
// three of which the second is not short.
const (
	certainByTwo   = 40
	certainByThree = 16
)

// running is a text that comes in pieces. By the book a piece is the new part; some services send all that there is so far
// (QwenLM/qwen-code#3896), or all of it once more at the end (openclaw/openclaw#142888).
type running struct {
	all    strings.Builder
	last   string // the last piece, as long as each one has begun with the one before it
	pieces int
	again  bool // each piece is all that there is so far
}

// add takes a piece and returns what is new. Where again is true for the first time, all that was returned before was too much: what
// came until then is before, and what is new follows it.
func (r *running) add(piece string) (before, fresh string, again bool) {
	if piece == "" {
		return "", "", false
	}
	if r.again {
		return "", r.addWhole(piece), false
	}
	grows := r.pieces == 0 || r.last != "" && len(piece) > len(r.last) && strings.HasPrefix(piece, r.last)
	if r.pieces++; !grows {
		r.last = ""
		r.all.WriteString(piece)
		return "", piece, false
	}
	before, r.last = r.last, piece
	if r.pieces == 2 && len(before) >= certainByTwo || r.pieces > 2 && len(before) >= certainByThree {
		r.again = true
		r.all.Reset()
		r.all.WriteString(piece)
		return before, piece[len(before):], true
	}
	r.all.WriteString(piece)
	return "", piece, false
}

// addWhole takes the whole text and returns what is new of it. A text that does not begin with what is known, nor ends before it, is new.
func (r *running) addWhole(whole string) string {
	known := r.all.String()
	if strings.HasPrefix(known, whole) {
		return ""
	}
	fresh := strings.TrimPrefix(whole, known)
	r.all.WriteString(fresh)
	return fresh
}

// repeats reports whether a piece is all that there is so far, and too long for chance.
func (r *running) repeats(piece string) bool {
	return len(piece) >= certainByThree && r.pieces > 0 && piece == r.all.String()
}

// continues reports whether a whole text begins with what is known.
func (r *running) continues(whole string) bool { return strings.HasPrefix(whole, r.all.String()) }
