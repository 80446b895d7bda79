package command

import (
	"strconv"
	"strings"
)

// MaxBack is how many messages one /rewind or /fork can go back by number.
const MaxBack = 1000

// Back parses how far /rewind and /fork are to go back: "3" is the third last message of the user, "m12" the message with that id. Empty
// arguments are 0 and 0. ok is false for anything else.
func Back(args string) (messages int, id int64, ok bool) {
	args = strings.ToLower(strings.TrimSpace(args))
	if args == "" {
		return 0, 0, true
	}
	digits, byID := strings.CutPrefix(args, "m")
	n, err := strconv.ParseUint(digits, 10, 63)
	switch {
	case err != nil || n == 0:
		return 0, 0, false
	case byID:
		return 0, int64(n), true
	case n > MaxBack:
		return 0, 0, false
	}
	return int(n), 0, true
}
