package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"xbot/internal/chat"
)

// maxAliasBytes is what the table of aliases holds.
const maxAliasBytes = 512

// ThreadAlias is the name under which a work session is found by the platform's id of its thread. Each bot has names of
// its own: a thread of one is unknown to the others. In direct messages so has each person, who is the sender of the envelope,
// where the platform names no chat: some count the messages of each.
func ThreadAlias(e chat.Envelope, thread string) string { return alias(e, "thread", thread) }

// MessageAlias is the name under which a work session is found by a message in it: the one that began it, or an answer
// of the bot.
func MessageAlias(e chat.Envelope, message string) string { return alias(e, "message", message) }

// ActiveAlias stands for the work session of a chat whose turn is running for the sender while the platform has not yet told
// the id of its thread. It is never written: whoever can answer it does, others know nothing by that name.
func ActiveAlias(e chat.Envelope) string { return alias(e, "active", "") }

func alias(e chat.Envelope, kind, id string) string {
	place := escape(e.Chat)
	if e.Chat == "" {
		place = "dm:" + escape(e.Sender.ID)
	}
	text := e.Channel + ":" + escape(cmp.Or(e.Account, DefaultAccount)) + ":" + place + "|" + kind + ":" + escape(id)
	if len(text) <= maxAliasBytes {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return e.Channel + "|" + kind + ":" + hashMark + hex.EncodeToString(sum[:])
}

// BoundAlias is what binds a chat to another conversation than its own.
func BoundAlias(place chat.SessionKey) string { return "bound:" + string(place) }
