package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"xbot/internal/chat"
)

// maxAliasBytes is the limit of the table of aliases.
const maxAliasBytes = 512

// ThreadAlias returns the name under which a work session is found by the platform's id of its thread. Each bot has separate names: a thread of
// one is unknown to the others. In direct messages so has each sender of an envelope, if the platform names no chat: some platforms count the
// messages of each.
func ThreadAlias(e chat.Envelope, thread string) string { return alias(e, "thread", thread) }

// MessageAlias returns the name under which a work session is found by a message in it: the one that began it, or an answer
// of the bot.
func MessageAlias(e chat.Envelope, message string) string { return alias(e, "message", message) }

// ActiveAlias returns the name of the work session of a chat whose turn is running for the sender while the platform has not yet sent the id of
// its thread. It is never stored: only a caller that can resolve it does.
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

// BoundAlias returns the name that binds a chat to a conversation other than its own.
func BoundAlias(place chat.SessionKey) string { return "bound:" + string(place) }
