package spans

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"xbot/internal/chat"
)

// TraceID returns the id of the trace that a turn belongs to: that of the turn of a person, which the turns of its subagents share. tree is
// empty for a turn that follows from no other.
func TraceID(turn, tree chat.TurnID) []byte {
	if tree != "" {
		turn = tree
	}
	return digest("trace", string(turn))[:16]
}

// turnID, stepID, callID, approvalID and compactionID return the ids of spans.
func turnID(turn chat.TurnID) []byte { return digest("turn", string(turn))[:8] }

func stepID(turn chat.TurnID, step int) []byte {
	return digest("step", string(turn), strconv.Itoa(step))[:8]
}

func callID(call chat.CallID) []byte { return digest("call", string(call))[:8] }

func approvalID(call chat.CallID) []byte { return digest("approval", string(call))[:8] }

func compactionID(turn chat.TurnID, id chat.ControlID) []byte {
	return digest("compaction", string(turn), strconv.FormatInt(int64(id), 10))[:8]
}

// TraceHex returns the id of the trace that a turn belongs to, hexadecimal.
func TraceHex(turn, tree chat.TurnID) string { return hex.EncodeToString(TraceID(turn, tree)) }

// StepHex returns the id of the span of a step, hexadecimal.
func StepHex(turn chat.TurnID, step int) string { return hex.EncodeToString(stepID(turn, step)) }

// ScoreID returns the id of the score of a rating.
func ScoreID(message chat.MessageID, user chat.UserID) string {
	return hex.EncodeToString(digest("score", strconv.FormatInt(int64(message), 10), strconv.FormatInt(int64(user), 10))[:16])
}

// digest returns the SHA-256 of a kind and its parts.
func digest(kind string, parts ...string) []byte {
	h := sha256.New()
	_, _ = h.Write([]byte("xbot " + kind)) // a hash never fails
	for _, p := range parts {
		_, _ = h.Write([]byte{0})
		_, _ = h.Write([]byte(p))
	}
	return h.Sum(nil)
}
