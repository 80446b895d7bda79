package qq

import (
	"time"

	"xbot/internal/channel"
)

// Limits of QQ, with the figures of its documents.
const (
	maxText       = 5000 // characters of one message in direct chats and groups
	maxGuildText  = 2000
	maxFile       = 200 << 20 // bytes; images above 20 MB and videos above 30 MB arrive as files
	maxGuildFile  = 10 << 20
	directReplies = 4 // each "is writing" is one of them
	groupReplies  = 5
	directWindow  = time.Hour
	shortWindow   = 5 * time.Minute // of groups and guilds
)

// Traits returns the traits that hold in every place.
func (a *Account) Traits() channel.Traits {
	return channel.Traits{
		MaxText: maxGuildText, MaxFile: maxGuildFile, Replies: directReplies, ReplyWindow: shortWindow, Dialect: channel.Markdown, Buttons: true,
	}
}

// TraitsAt returns the traits of one place. Answers to a message of a user have a window of idempotency as long as they are
// accepted at all, counted from that message; messages without one have none.
func (a *Account) TraitsAt(to channel.Address) channel.Traits {
	s, err := spotOf(to)
	if err != nil {
		return a.Traits()
	}
	t := channel.Traits{MaxText: maxText, MaxFile: maxFile, Dialect: channel.Markdown, Buttons: true}
	switch s.scene {
	case direct:
		t.Replies, t.ReplyWindow, t.Window = directReplies, directWindow, directWindow
		t.Writing = channel.Writing{Every: typingEvery, Times: a.set.typing}
	case group:
		t.Replies, t.ReplyWindow, t.Window = groupReplies, shortWindow, shortWindow
	case guild, guildDirect:
		t.MaxText, t.MaxFile, t.ReplyWindow = maxGuildText, maxGuildFile, shortWindow
	}
	if to.ReplyTo == "" {
		t.Replies, t.ReplyWindow, t.Window = 0, 0, 0
	}
	return t
}
