// Package groupchat decides who speaks next in a group chat of agents and when it is over, from its lines so far. It is pure.
package groupchat

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Moderator is the speaker of lines of the chat's creator.
const Moderator = -1

// Pass is the answer of a member that has nothing to add.
const Pass = "NO_REPLY"

// Line is one contribution to a chat.
type Line struct {
	Speaker int // index of the member, or Moderator
	Text    string
	Passed  bool // it had nothing to add
	Failed  bool // it could not speak
}

// End is the reason why a chat is over.
type End string

// The ends that follow from the lines. An empty End: the chat continues.
const (
	Rounds End = "rounds" // all members have spoken as often as allowed
	Agreed End = "agreed" // no member had anything to add
	Failed End = "failed" // no member could speak
)

// Next returns who speaks next, or why the chat is over. The speaker is the member addressed since the last member was asked, the newest
// line first, else the member that has been silent for longest.
func Next(names []string, lines []Line, rounds int) (speaker int, end End) {
	spoken := 0
	for _, l := range lines {
		if l.Speaker != Moderator {
			spoken++
		}
	}
	if end := over(lines, len(names)); end != "" {
		return 0, end
	}
	if spoken >= rounds*len(names) {
		return 0, Rounds
	}
	if n, ok := addressed(names, lines); ok {
		return n, ""
	}
	return silent(lines, len(names)), ""
}

// addressed returns the member that the last member, or the moderator since that one was asked, has addressed. Lines of the moderator
// from while the member spoke come before the member's line.
func addressed(names []string, lines []Line) (int, bool) {
	last := Moderator
	for _, l := range slices.Backward(lines) {
		if l.Speaker != Moderator {
			if last != Moderator {
				break
			}
			last = l.Speaker
		}
		if n, ok := Mentioned(l.Text, names, last); ok {
			return n, true
		}
	}
	return 0, false
}

// over returns why a chat has ended: the last lines are of all members, and none of them has a text.
func over(lines []Line, members int) End {
	quiet, failed := map[int]bool{}, 0
	for _, l := range slices.Backward(lines) {
		if l.Speaker == Moderator || !l.Passed && !l.Failed {
			return ""
		}
		if l.Failed {
			failed++
		}
		if quiet[l.Speaker] = true; len(quiet) < members {
			continue
		}
		if failed > 0 {
			return Failed
		}
		return Agreed
	}
	return ""
}

// silent returns the member that has not spoken for longest, in their order.
func silent(lines []Line, members int) int {
	last := make([]int, members)
	for i, l := range lines {
		if l.Speaker != Moderator {
			last[l.Speaker] = i + 1
		}
	}
	return slices.Index(last, slices.Min(last))
}

// Mentioned returns the member that a text addresses first with @name, in any case; except is skipped. Of names that
// begin alike the longest counts.
func Mentioned(text string, names []string, except int) (int, bool) {
	for {
		_, rest, found := strings.Cut(text, "@")
		if !found {
			return 0, false
		}
		best, size := -1, 0
		for n, name := range names {
			if n != except && len(name) > size && startsWith(rest, name) {
				best, size = n, len(name)
			}
		}
		if best >= 0 {
			return best, true
		}
		text = rest
	}
}

// startsWith reports whether a text begins with a name that ends there.
func startsWith(text, name string) bool {
	if len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[len(name):])
	return len(text) == len(name) || next != '_' && next != '-' && next != ':' && !(next < utf8.RuneSelf && (unicode.IsLetter(next) || unicode.IsDigit(next))) ||
		next == ':' && (len(text) == len(name)+1 || unicode.IsSpace(rune(text[len(name)+1])))
}
