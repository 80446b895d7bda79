package chat

import (
	"fmt"
	"strconv"
	"strings"
)

// SessionKey names one conversation, for example "agent:main:web:thread:8f2c". Package session parses and builds keys.
type SessionKey string

// UserID is a canonical user, independent of the number of identities on channels.
type UserID int64

// TurnID is the id of one turn: the original run id of its Turn workflow, a UUID.
type TurnID string

// InboxID numbers accepted rows in the order of acceptance. It is the "message id" of the HTTP API.
type InboxID int64

// MessageID numbers transcript rows. Within a session a larger id is a later message.
type MessageID int64

// CallID is a tool-call id minted by us, "<turn>.<step>.<n>". It is also the id of the command on a runner, so that a retried activity
// attaches to the command that it started. Ids given by providers repeat and are only a column.
type CallID string

// NewCallID returns the id of the n-th call (from 0) of a step (from 0) of a turn.
func NewCallID(turn TurnID, step, n int) CallID {
	return CallID(fmt.Sprintf("%s.%d.%d", turn, step, n))
}

// Turn returns the turn of a call; empty if the id was not minted by NewCallID.
func (id CallID) Turn() TurnID {
	turn, _, _, _ := id.Split() //nolint:dogsled // its other parts say where in the turn
	return turn
}

// Split returns the parts of a call id; ok is false when the id was not minted by NewCallID.
func (id CallID) Split() (turn TurnID, step, n int, ok bool) {
	rest, last, found := cutLast(string(id))
	if !found {
		return "", 0, 0, false
	}
	head, middle, found := cutLast(rest)
	if !found || head == "" {
		return "", 0, 0, false
	}
	step, stepOK := number(middle)
	n, nOK := number(last)
	if !stepOK || !nOK {
		return "", 0, 0, false
	}
	return TurnID(head), step, n, true
}

// number parses a number as NewCallID writes it: no sign, no leading zero.
func number(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == text
}

func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}
