package window

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
)

// Thresholds of session pruning.
const (
	pruneFrom       = 0.3    // of the context: long results are shortened
	clearFrom       = 0.5    // old results are removed, until the context is below it
	pruneProtected  = 3      // newest messages of the model whose results stay
	pruneOver       = 4000   // characters
	pruneEnds       = 1500   // characters that remain at either end
	clearAtLeast    = 50_000 // minimum characters to clear
	clearedResult   = "[old tool result cleared to save room]"
	shortenedResult = "%s\n[… shortened: the first and last %d of %d characters …]\n%s"
)

// Prune shortens old results for one request; nothing is recorded. fill is how full the context is. It reports whether anything was changed.
// Results before the first message of a user and after the third newest message of the model are unchanged.
func Prune(lines []chat.Line, fill float64) ([]chat.Line, bool) {
	first, end := pruneRange(lines)
	if fill < pruneFrom || first >= end {
		return lines, false
	}
	out, changed := slices.Clone(lines), false
	prunable := 0
	for i := first; i < end; i++ {
		calls := slices.Clone(out[i].Message.ToolCalls)
		for k := range calls {
			if calls[k].State != chat.CallDone {
				continue
			}
			if short, ok := shorten(calls[k].Result); ok {
				calls[k].Result, changed = short, true
			}
			prunable += utf8.RuneCountInString(calls[k].Result)
		}
		out[i].Message.ToolCalls = calls
	}
	before := weight(lines)
	room := float64(before) / fill
	if over := float64(weight(out)) - clearFrom*room; over > 0 && prunable >= clearAtLeast {
		changed = clearOldest(out[first:end], int(over)) || changed
	}
	if !changed {
		return lines, false
	}
	return out, true
}

// PruneUpto prunes the lines up to a message, and leaves later ones whole: repeated for a conversation that has grown, it shows the same
// beginning. If upto is 0, it prunes all lines.
func PruneUpto(lines []chat.Line, fill float64, upto chat.MessageID) ([]chat.Line, bool) {
	end := slices.IndexFunc(lines, func(l chat.Line) bool { return l.Message.ID > upto })
	if upto == 0 || end < 0 {
		return Prune(lines, fill)
	}
	old, changed := Prune(lines[:end], fill)
	if !changed {
		return lines, false
	}
	return slices.Concat(old, lines[end:]), true
}

// pruneRange returns the lines whose results may be pruned: [first, end).
func pruneRange(lines []chat.Line) (first, end int) {
	first = slices.IndexFunc(lines, func(l chat.Line) bool { return l.Message.Role == chat.RoleUser })
	if first < 0 {
		return 0, 0
	}
	answers := 0
	for end = len(lines); end > 0; end-- {
		if lines[end-1].Message.Role != chat.RoleAssistant {
			continue
		}
		if answers++; answers == pruneProtected {
			return first, end - 1
		}
	}
	return 0, 0
}

func shorten(result string) (string, bool) {
	if utf8.RuneCountInString(result) <= pruneOver {
		return result, false
	}
	runes := []rune(result)
	return fmt.Sprintf(shortenedResult, string(runes[:pruneEnds]), pruneEnds, len(runes), string(runes[len(runes)-pruneEnds:])), true
}

// clearOldest removes results, oldest first, until so many characters are free. The line with the recall id stays. The caller owns the calls
// of the lines.
func clearOldest(lines []chat.Line, characters int) bool {
	changed := false
	for i := range lines {
		for k := range lines[i].Message.ToolCalls {
			c := &lines[i].Message.ToolCalls[k]
			cleared := clearedResult
			if head, _, _ := strings.Cut(c.Result, "\n"); strings.HasPrefix(head, maskMark) {
				cleared = head + "\n" + cleared
			}
			freed := utf8.RuneCountInString(c.Result) - utf8.RuneCountInString(cleared)
			if c.State != chat.CallDone || freed <= 0 || c.Name == RecallMasked && strings.HasPrefix(c.Result, maskMark) {
				continue
			}
			if characters <= 0 {
				return changed
			}
			c.Result, changed = cleared, true
			characters -= freed
		}
	}
	return changed
}

// weight counts the characters of a conversation.
func weight(lines []chat.Line) int {
	n := 0
	for _, l := range lines {
		n += Weight(l)
	}
	return n
}
