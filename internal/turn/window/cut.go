package window

import (
	"strings"

	"xbot/internal/chat"
)

// Cut returns how many lines of a View may be summarized so that the remaining ones weigh about keep: lines[:n], of which lines[n-1] is the
// last that the summary replaces. It returns 0 if there is nothing to summarize. The newest message of a user and the lines after it stay, together with
// whole turns before it as long as they fit. Only if the running turn alone weighs more than keep, it is cut between its groups; View then
// repeats its message. The newest line always stays.
func Cut(lines []chat.Line, keep int, size func(chat.Line) int) int {
	first := 0 // the summary and the lines that belong to it have no rows
	for first < len(lines) && lines[first].Message.ID == 0 {
		first++
	}
	n := len(lines)
	for weight := 0; n > first; n-- {
		if weight += size(lines[n-1]); weight > keep {
			break
		}
	}
	n = max(0, min(n, len(lines)-1))
	// Turns before the newest message stay whole or are removed whole.
	for i := n; i < len(lines); i++ {
		if lines[i].Message.Role == chat.RoleUser {
			n = i
			break
		}
	}
	if n <= first {
		return 0
	}
	return n
}

// Loop returns a call that the model repeats: the first one of the newest step, if the steps before it made the same calls with the same
// results, and how many such steps there are, 1 if only the newest. lines are those of the window, before View hides any of them. 0: the
// newest line is no group whose calls are done.
func Loop(lines []chat.Line) (call chat.ToolCall, times int) {
	if len(lines) == 0 || !settled(lines[len(lines)-1]) {
		return chat.ToolCall{}, 0
	}
	newest := lines[len(lines)-1].Message.ToolCalls
	for i := len(lines) - 1; i >= 0 && sameCalls(lines[i].Message.ToolCalls, newest); i-- {
		times++
	}
	return newest[0], times
}

func settled(l chat.Line) bool {
	for _, c := range l.Message.ToolCalls {
		if c.State != chat.CallDone {
			return false
		}
	}
	return len(l.Message.ToolCalls) > 0
}

func sameCalls(a, b []chat.ToolCall) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].State != b[i].State || !sameText(a[i].Arguments, b[i].Arguments) || outcome(a[i]) != outcome(b[i]) {
			return false
		}
	}
	return true
}

// sameText compares JSON ignoring the spaces between its parts; spaces inside texts rarely make a difference to a loop.
func sameText(a, b string) bool {
	return a == b || strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}

// outcome returns a result without its offload id, which differs from call to call.
func outcome(c chat.ToolCall) string {
	if c.Offload == "" {
		return c.Result
	}
	return strings.ReplaceAll(c.Result, c.Offload, "")
}
