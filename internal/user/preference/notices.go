package preference

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/user/notices"
)

// turnNotices is the setting for the chat that gets notices of long turns. It has a separate table.
const turnNotices = "turn_notices"

// chats are the direct chats of the user with a bot, and the choice of none.
type chats struct{}

// chatName returns a chat as a value: channel, account if there are several, and who they are there: "feishu ou_1".
func chatName(c notices.DirectChat) string {
	return strings.Join(slices.DeleteFunc([]string{c.Channel, c.Account, c.Peer}, func(s string) bool { return s == "" }), " ")
}

func (chats) values(known choices, now string) []string {
	var names []string
	for _, c := range known.chats {
		names = append(names, chatName(c))
	}
	return offer(now, names...)
}

func (chats) say(lang i18n.Lang, value string) string {
	if value == "" {
		return i18n.Say(lang, i18n.PreferenceNowhere)
	}
	return value
}

// read takes a chat by its value, or by the name of a platform on which there is one chat only.
func (chats) read(lang i18n.Lang, d definition, value string, known choices) (string, error) {
	if value == "" || strings.EqualFold(value, "off") || strings.EqualFold(value, "none") {
		return "", nil
	}
	may := []string{}
	var on []string
	for _, c := range known.chats {
		name := chatName(c)
		if name == value {
			return name, nil
		}
		if strings.EqualFold(c.Channel, value) {
			on = append(on, name)
		}
		may = append(may, name)
	}
	if len(on) == 1 {
		return on[0], nil
	}
	return "", notOne(lang, d, value, may)
}

func (chats) free() bool { return false }

// setNotices stores which chat gets a user's notices of turns. How long such turns take stays as it was.
func (d Service) setNotices(ctx context.Context, user chat.UserID, value string, known choices) error {
	n, err := d.Notices.TurnNotices(ctx, user)
	if err != nil {
		return err
	}
	n.To = nil
	if value != "" {
		i := slices.IndexFunc(known.chats, func(c notices.DirectChat) bool { return chatName(c) == value })
		if i < 0 {
			return fault.Errorf(fault.Invalid, "you have no such chat")
		}
		n.To = &known.chats[i]
	}
	return d.Notices.SetTurnNotices(ctx, user, n)
}
