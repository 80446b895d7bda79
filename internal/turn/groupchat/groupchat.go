// Package groupchat decides who speaks next in a group chat of agents and when it is over, from what was said so far. It is pure.
package groupchat

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Moderator is the speaker of lines of whoever made the chat.
const Moderator = -1

// Pass is what a member answers that has nothing to add.
const Pass = "NO_REPLY"

// Line is what somebody said.
type Line struct {
	Speaker int // place among the members; Moderator
	Text    string
	Passed  bool // it had nothing to add
	Failed  bool // it could not speak
}

// End is why a chat is over.
type End string

// The ends that follow from what was said. No End: it goes on.
const (
	Rounds End = "rounds" // everybody has spoken as often as may be
	Agreed End = "agreed" // nobody had anything to add
	Failed End = "failed" // nobody could speak
)

// Next returns who speaks next, or why it is over. It is whom somebody has addressed since the last member was asked, the newest
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

// addressed is whom the last member, or the moderator since that one was asked, has addressed. What the moderator said while the member
// spoke stands before its line.
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

// over reports why nothing more will be said: the last lines are of all members, and none of them says anything.
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

// silent is the member that has not spoken for longest, in their order.
func silent(lines []Line, members int) int {
	last := make([]int, members)
	for i, l := range lines {
		if l.Speaker != Moderator {
			last[l.Speaker] = i + 1
		}
	}
	return slices.Index(last, slices.Min(last))
}

// Mentioned returns the member that a text addresses first with @name, in any case; except is not asked by itself. Of names that
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
