package qq

import (
	"context"
	"time"

	"xbot/internal/channel"
)

// dispatch passes one event to the receiver. It returns the time of the event by the platform; zero: it was not passed on,
// or has none. Unused and unreadable events are no errors: they would come again.
func (a *Account) dispatch(ctx context.Context, to channel.Receiver, f frame) (time.Time, error) {
	switch f.Type {
	case "C2C_MESSAGE_CREATE", "GROUP_AT_MESSAGE_CREATE", "GROUP_MESSAGE_CREATE",
		"AT_MESSAGE_CREATE", "MESSAGE_CREATE", "DIRECT_MESSAGE_CREATE":
		e, ok := a.envelope(f.Type, f.Data)
		if !ok {
			return time.Time{}, nil
		}
		return e.SentAt, to.Receive(ctx, e)
	case "MESSAGE_DELETE", "PUBLIC_MESSAGE_DELETE", "DIRECT_MESSAGE_DELETE":
		e, ok := a.recalled(f.Type, f.Data)
		if !ok {
			return time.Time{}, nil
		}
		return time.Time{}, to.Recalled(ctx, e)
	case "INTERACTION_CREATE":
		return time.Time{}, a.interaction(ctx, to, f.Data)
	}
	return time.Time{}, nil
}

// message is the content of message events. Groups and direct chats fill the openids, guilds the ids.
type message struct {
	ID          string       `json:"id"`
	Author      person       `json:"author"`
	Content     string       `json:"content"`
	Timestamp   string       `json:"timestamp"`
	Group       string       `json:"group_openid"`
	Guild       string       `json:"guild_id"`
	Channel     string       `json:"channel_id"`
	Seq         loose        `json:"seq"`
	Mentions    []person     `json:"mentions"`
	Attachments []attachment `json:"attachments"`
	Type        loose        `json:"message_type"`
	Card        *ark         `json:"ark_data"`
	Elements    []element    `json:"msg_elements"` // the quoted message; in groups that send context along, earlier messages, too
	Scene       struct {
		Ext []string `json:"ext"`
	} `json:"message_scene"`
	Reference struct {
		ID string `json:"message_id"`
	} `json:"message_reference"`
}

// person is a user; which of the ids is set depends on the place. The author of a quoted message may have none: QQ sends whether it
// is a bot, and its name (nonebot/adapter-qq, _ReplyAuthor; other programs have seen ids there, too).
type person struct {
	Scope  string `json:"scope,omitempty"` // of a mention: single, or all for all users, with is_you (adapter-qq, GroupMentionEveryone)
	ID     string `json:"id,omitempty"`
	User   string `json:"user_openid,omitempty"`
	Member string `json:"member_openid,omitempty"`
	Name   string `json:"username,omitempty"`
	Bot    bool   `json:"bot,omitempty"`
	You    bool   `json:"is_you,omitempty"`
}

type ark struct {
	Prompt string `json:"prompt"`
}

type element struct {
	Index       string       `json:"msg_idx"`
	Author      person       `json:"author"`
	Content     string       `json:"content"`
	Attachments []attachment `json:"attachments"`
	Card        *ark         `json:"ark_data"`
}
