package command

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"xbot/internal/chat"
)

// QueueUsage is the syntax of the arguments of /queue.
const QueueUsage = "[steer|followup|collect|interrupt|supersede|default] [debounce:2s] [cap:32] [drop:reject|old|new|summarize]"

// MaxQueueCap is the maximum number of messages that a queue can be set to hold.
const MaxQueueCap = 1000

// maxDebounce bounds the silence that ends a burst.
const maxDebounce = time.Minute

var (
	queueModes   = []chat.QueueMode{chat.QueueSteer, chat.QueueFollowup, chat.QueueCollect, chat.QueueInterrupt, chat.QueueSupersede}
	dropPolicies = []chat.DropPolicy{chat.DropReject, chat.DropOld, chat.DropNew, chat.DropSummarize}
)

// QueueCommand parses the arguments of /queue: none keeps the settings of a conversation, default resets all of them to the policy, and
// settings change what they name. ok is false if a word is unknown.
func QueueCommand(args string, own chat.Queue) (q chat.Queue, ok bool) {
	args = strings.TrimSpace(args)
	switch {
	case args == "":
		return own, true
	case strings.EqualFold(args, "default"):
		return chat.Queue{}, true
	}
	said, rest, ok := QueueSettings(args)
	return chat.Queue{
		Mode: cmp.Or(said.Mode, own.Mode), DebounceMS: cmp.Or(said.DebounceMS, own.DebounceMS),
		Cap: cmp.Or(said.Cap, own.Cap), Drop: cmp.Or(said.Drop, own.Drop),
	}, ok && strings.TrimSpace(rest) == ""
}

// QueueSettings parses queue settings at the beginning of a text: a mode, debounce:2s (milliseconds without a unit), cap:25 and
// drop:summarize, in any order, each of them once. Missing ones are empty. ok is false if the text does not begin with any of them.
func QueueSettings(text string) (q chat.Queue, rest string, ok bool) {
	rest = text
	for {
		word := strings.TrimLeftFunc(rest, unicode.IsSpace)
		n := span(word, func(r rune) bool { return !unicode.IsSpace(r) })
		next, understood := queueWord(q, strings.ToLower(word[:n]))
		if !understood {
			return q, rest, ok
		}
		q, rest, ok = next, word[n:], true
	}
}

// queueWord adds one word to the settings.
func queueWord(q chat.Queue, word string) (chat.Queue, bool) {
	name, value, named := strings.Cut(word, ":")
	switch {
	case !named && q.Mode == "" && slices.Contains(queueModes, chat.QueueMode(word)):
		q.Mode = chat.QueueMode(word)
		return q, true
	case name == "debounce" && q.DebounceMS == 0:
		ms, ok := debounce(value)
		q.DebounceMS = ms
		return q, ok
	case name == "cap" && q.Cap == 0:
		n, err := strconv.Atoi(value)
		q.Cap = n
		return q, err == nil && n > 0 && n <= MaxQueueCap
	case name == "drop" && q.Drop == "" && slices.Contains(dropPolicies, chat.DropPolicy(value)):
		q.Drop = chat.DropPolicy(value)
		return q, true
	}
	return q, false
}

// misspelt reports whether a text continues with an invalid setting: it is then a mistake and no message.
func misspelt(text string) bool {
	text = strings.ToLower(strings.TrimLeftFunc(text, unicode.IsSpace))
	for _, name := range []string{"debounce:", "cap:", "drop:"} {
		if strings.HasPrefix(text, name) {
			return true
		}
	}
	return false
}

// debounce parses a time of at least a millisecond.
func debounce(value string) (ms int, ok bool) {
	if n, err := strconv.Atoi(value); err == nil {
		return n, n > 0 && time.Duration(n)*time.Millisecond <= maxDebounce
	}
	d, err := time.ParseDuration(value)
	return int(d / time.Millisecond), err == nil && d >= time.Millisecond && d <= maxDebounce
}
