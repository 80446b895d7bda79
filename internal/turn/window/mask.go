package window

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
)

const (
	maskFrom    = 0.6 // of the context
	minMasked   = 300 // runes: a shorter result is hardly longer than its placeholder
	worthwhile  = 20  // a mask invalidates the provider's cache, so it has to free one part in so many
	hurry       = 0.9 // from here on any gain suffices
	maxMaskWord = 80  // runes of a call in a placeholder
)

// Mask returns new masks for old results, oldest group first and in a group the largest first, for how full the context is: 0.6 and more
// (Limits.Fill). The newest 12, 8, 5 or 3 groups stay, the fewer the fuller, and older ones that touch a file of theirs. lines is a View,
// masked reports existing masks, size measures a text in tokens. The same input gives the same masks with the same ids. It returns nil if no
// mask frees enough.
func Mask(lines []chat.Line, masked func(chat.CallID) bool, ratio float64, size func(string) int) []chat.Mask {
	if ratio < maskFrom {
		return nil
	}
	keep := keepGroups(ratio)
	active := activeFiles(lines, keep)
	var out []chat.Mask
	gain, total, newer := 0, 0, 0
	for _, l := range slices.Backward(lines) {
		m := l.Message
		total += size(m.Content)
		if len(m.ToolCalls) == 0 {
			continue
		}
		old := newer >= keep && !active.touch(m.ToolCalls)
		newer++
		var group []chat.Mask
		for _, c := range m.ToolCalls {
			weight := size(c.Result)
			total += weight + size(c.Arguments)
			if old && maskable(c) && !masked(c.ID) {
				mask := maskOf(m.ID, c)
				gain += weight - size(mask.Text)
				group = append(group, mask)
			}
		}
		slices.SortStableFunc(group, func(a, b chat.Mask) int { return cmp.Compare(a.Bytes, b.Bytes) })
		out = append(out, group...)
	}
	if ratio < hurry && gain*worthwhile < total {
		return nil
	}
	slices.Reverse(out)
	return out
}

// keepGroups returns how many of the newest groups keep their results.
func keepGroups(ratio float64) int {
	switch {
	case ratio <= 0.7:
		return 12
	case ratio <= 0.8:
		return 8
	case ratio <= 0.9:
		return 5
	}
	return 3
}

func maskable(c chat.ToolCall) bool {
	return c.State == chat.CallDone && len(c.Result) >= minMasked && utf8.RuneCountInString(c.Result) >= minMasked
}

func maskOf(message chat.MessageID, c chat.ToolCall) chat.Mask {
	id := MaskID(c.ID)
	text := maskMark + "[masked:" + id + "] " + c.Name
	if c.Summary != "" {
		text += " · " + chat.FirstWords(c.Summary, maxMaskWord)
	}
	if c.IsError {
		text += " · error"
	}
	return chat.Mask{ID: id, Message: message, Call: c.ID, Text: text + " · " + Bytes(len(c.Result)), Bytes: len(c.Result)}
}

// MaskID returns the id of the mask of a call: always the same one, so that a repeated activity masks once.
func MaskID(call chat.CallID) string {
	sum := sha256.Sum256([]byte(call))
	return "mk_" + hex.EncodeToString(sum[:5])
}

// Bytes formats a size for display: 850 B, 12 kB, 3.4 MB.
func Bytes(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return strings.Replace(fmt.Sprintf("%.1f MB", float64(n)/1e6), ".0 ", " ", 1)
}

// MaskEnough returns masks for results, oldest first, until they free so many tokens: also those of the newest group, if no others are left.
// It is for a model that has refused the conversation as too long.
func MaskEnough(lines []chat.Line, masked func(chat.CallID) bool, tokens int, size func(string) int) (out []chat.Mask) {
	for _, l := range lines {
		for _, c := range l.Message.ToolCalls {
			if tokens <= 0 {
				return out
			}
			if !maskable(c) || masked(c.ID) {
				continue
			}
			mask := maskOf(l.Message.ID, c)
			if gain := size(c.Result) - size(mask.Text); gain > 0 {
				out, tokens = append(out, mask), tokens-gain
			}
		}
	}
	return out
}
