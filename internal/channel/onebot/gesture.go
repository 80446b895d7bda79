package onebot

import (
	"cmp"
	"context"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// faces are the numbers of QQ's faces by the usual names of reactions. Other faces are named by their number.
var faces = map[string]string{
	"ok": "124", "done": "124", "thumbsup": "76", "+1": "76", "heart": "66", "smile": "14", "rose": "63", "clap": "99", "get": "124",
	"victory": "79", "handshake": "78", "fist": "120", "cry": "9", "thinking": "32", "coffee": "60", "wave": "39",
}

// React adds a face to a message of a group. Adding it twice has no effect. Direct chats of QQ have no reactions.
func (a *account) React(ctx context.Context, to channel.Address, id, emoji string) error {
	if to.ChatType != chat.ChatGroup {
		return fault.Errorf(fault.Denied, "QQ has reactions in groups only")
	}
	ref, err := own(id)
	if err != nil {
		return err
	}
	face, ok := faces[strings.ToLower(cmp.Or(emoji, "ok"))]
	if !ok {
		if !wire.NumberForm.MatchString(emoji) {
			return fault.Errorf(fault.Invalid, "there is no face %q: name it by the number that QQ gives it", emoji)
		}
		face = emoji
	}
	return a.ask(ctx, "set_msg_emoji_like", params{"message_id": ref.id.Param(), "emoji_id": face, "set": true}, nil)
}

// Typing shows that an answer is being written, for some seconds. Groups show nothing of the kind.
func (a *account) Typing(ctx context.Context, to channel.Address) error {
	if to.ChatType != chat.ChatDirect {
		return nil
	}
	return a.ask(ctx, "set_input_status", params{"user_id": to.Peer, "event_type": 1}, nil)
}

// Delete takes back a message. QQ permits it for two minutes, and to administrators of a group for longer.
func (a *account) Delete(ctx context.Context, _ channel.Address, id string) error {
	ref, err := own(id)
	if err != nil {
		return err
	}
	return a.ask(ctx, "delete_msg", params{"message_id": ref.id.Param()}, nil)
}

// own reads an id that this package made.
func own(id string) (messageRef, error) {
	ref, ok := parseID(id)
	if !ok {
		return messageRef{}, fault.Errorf(fault.Invalid, "%q is no message of NapCat", id)
	}
	return ref, nil
}
