package channels

import (
	"context"
	"fmt"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/accounts"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/secret"
)

const (
	// checkFor bounds the calls of the platform in one test.
	checkFor = 20 * time.Second
	// connectFor is how long a test waits for a connection that is just being made.
	connectFor = 8 * time.Second
	// peekEvery is the pause between two looks for it.
	peekEvery = 200 * time.Millisecond
)

// Trial tests accounts against their platforms.
type Trial struct {
	Accounts *accounts.Store
	Live     *channel.Live
}

// ToLast asks for a message to the user who wrote last in a direct chat.
const ToLast = "last"

// Test tries an account: its settings, its credentials and permissions, its connection, and, where to names a place, a
// message. A place is a user's id on the platform, group: or channel: with an id, or ToLast; empty: no message is sent.
// Findings are no errors: NotFound means that there is no such account, Invalid that to is no place.
func (t *Trial) Test(ctx context.Context, name, account, to string) ([]chat.ChannelFinding, error) {
	before, err := t.Accounts.ViewOf(ctx, name, account)
	if err != nil {
		return nil, err
	}
	place, err := t.place(ctx, name, account, to)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	a, err := t.open(ctx, before)
	if err != nil {
		return []chat.ChannelFinding{failed(chat.TestSettings, err)}, nil
	}
	found := append([]chat.ChannelFinding{{Step: chat.TestSettings, State: chat.TestOK}}, t.check(ctx, a)...)
	found = append(found, t.connection(ctx, before)...)
	return append(found, t.message(ctx, a, before, place)), nil
}

// open returns an account as it is configured, also one that is switched off.
func (t *Trial) open(ctx context.Context, view chat.ChannelAccount) (channel.Account, error) {
	t.Live.Refresh()
	if view.Enabled {
		return t.Live.Account(ctx, view.Channel, view.Account)
	}
	return t.Live.Aside(ctx, view.Channel, view.Account)
}

func (t *Trial) check(ctx context.Context, a channel.Account) []chat.ChannelFinding {
	who, problems, err := a.Check(ctx)
	if err != nil {
		return []chat.ChannelFinding{failed(chat.TestCredentials, err)}
	}
	name := who.ID
	if who.Name != "" {
		name = fmt.Sprintf("%s (%s)", who.Name, who.ID)
	}
	found := []chat.ChannelFinding{{Step: chat.TestCredentials, State: chat.TestOK, What: name}}
	for _, p := range problems {
		found = append(found, chat.ChannelFinding{Step: chat.TestPermission, State: chat.TestMissing, What: p.What, Text: p.Do})
	}
	if len(problems) == 0 {
		found = append(found, chat.ChannelFinding{Step: chat.TestPermission, State: chat.TestOK})
	}
	return found
}

// connection returns the state of the receiving side. It waits for one that nothing is known of yet.
func (t *Trial) connection(ctx context.Context, view chat.ChannelAccount) []chat.ChannelFinding {
	if !view.Enabled {
		return []chat.ChannelFinding{{Step: chat.TestConnection, State: chat.TestUntested, Text: "the channel is switched off"}}
	}
	deadline := time.Now().Add(connectFor)
	for view.State == chat.ChannelConnecting && time.Now().Before(deadline) && ctx.Err() == nil {
		channel.Rest(ctx, peekEvery)
		if now, err := t.Accounts.ViewOf(ctx, view.Channel, view.Account); err == nil {
			view = now
		}
	}
	switch view.State {
	case chat.ChannelConnected:
	case chat.ChannelFaulty:
		return []chat.ChannelFinding{{Step: chat.TestConnection, State: chat.TestFailed, Text: view.Error}}
	default:
		return []chat.ChannelFinding{{Step: chat.TestConnection, State: chat.TestFailed, Text: "there is no connection yet: is an ingress running (xbot serve)?"}}
	}
	connected := chat.ChannelFinding{Step: chat.TestConnection, State: chat.TestOK}
	events := chat.ChannelFinding{Step: chat.TestEvents, State: chat.TestUntested, Text: "no event has come yet: write to the bot on the platform"}
	if view.EventAt != nil {
		events.State, events.Text = chat.TestOK, ""
		events.What = view.EventAt.UTC().Format(time.RFC3339)
	}
	return []chat.ChannelFinding{connected, events}
}

func (t *Trial) place(ctx context.Context, name, account, to string) (*channel.Address, error) {
	kind, id, qualified := strings.Cut(to, ":")
	switch {
	case to == "":
		return nil, nil
	case to == ToLast:
		last, ok, err := t.Accounts.Channels.ChannelLastDirect(ctx, name, account)
		if err == nil && !ok {
			err = fault.Errorf(fault.Invalid, "nobody has written to this bot in a direct chat yet: name a person by their id on the platform")
		}
		last.ReplyTo, last.Thread, last.Names = "", "", nil
		return &last, err
	case !qualified:
		return &channel.Address{ChatType: chat.ChatDirect, Peer: to}, nil
	case kind == "group" && id != "":
		return &channel.Address{ChatType: chat.ChatGroup, Chat: id}, nil
	case kind == "channel" && id != "":
		return &channel.Address{ChatType: chat.ChatChannel, Chat: id}, nil
	}
	return nil, fault.Errorf(fault.Invalid, "%q is no place: give a person's id, group:ID, channel:ID, or %s for who wrote last", to, ToLast)
}

func (t *Trial) message(ctx context.Context, a channel.Account, view chat.ChannelAccount, to *channel.Address) chat.ChannelFinding {
	if to == nil {
		return chat.ChannelFinding{Step: chat.TestMessage, State: chat.TestUntested, Text: "no message was sent: name a place to send one to"}
	}
	if !view.Enabled {
		return chat.ChannelFinding{Step: chat.TestMessage, State: chat.TestUntested, Text: "the channel is switched off"}
	}
	key, _ := secret.NewToken()
	text := i18n.Say(i18n.English, i18n.TrialMessage) + "\n" + i18n.Say(i18n.Chinese, i18n.TrialMessage)
	sent, err := a.Send(ctx, *to, channel.Message{Key: key[:32], Text: text, Seq: 1})
	if err != nil && channel.Unknown(err) {
		return chat.ChannelFinding{Step: chat.TestMessage, State: chat.TestFailed, Text: "it is not known whether the message arrived: " + err.Error()}
	}
	if err != nil {
		return failed(chat.TestMessage, err)
	}
	return chat.ChannelFinding{Step: chat.TestMessage, State: chat.TestOK, What: sent.ID}
}

func failed(step string, err error) chat.ChannelFinding {
	text := err.Error()
	if away(err) {
		text = "the platform did not answer in time"
	}
	return chat.ChannelFinding{Step: step, State: chat.TestFailed, Text: text}
}
