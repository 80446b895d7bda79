// Package startnotice notifies a chat on a platform that the server has started.
package startnotice

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"time"

	"xbot/ingress/api/endpoint"
	"xbot/internal/channel"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/user/notices"
	"xbot/internal/user/users"
)

const (
	// Patience is how long the notice waits for bots to be connected, so that it names only those that are not.
	Patience = 10 * time.Second
	// lookEvery is the pause between two checks of that.
	lookEvery = 200 * time.Millisecond
	// againAfter is when it is tried again to write the notice.
	againAfter = 2 * time.Second
)

// Notice is one that the server has started.
type Notice struct {
	Channels Channels
	Notices  Notices
	Users    Users
	Usual    endpoint.Usual
	// To is the chat that gets the notice.
	To chat.Address
	// Admin is the name of the first administrator where there is none yet.
	Admin string
	// Version and Address are those of the server.
	Version, Address string
	// Patience is how long the notice waits for bots to be connected.
	Patience time.Duration
	Log      *slog.Logger
}

// Channels lists the accounts of bots.
type Channels interface {
	ChannelOverview(ctx context.Context) ([]accountstore.ChannelOverview, error)
}

// Notices sends notices to the operator.
type Notices interface {
	NotifyOperator(ctx context.Context, n notices.Notice) error
}

// Users returns the administrator and the language of the notice.
type Users interface {
	EnsureAdmin(ctx context.Context, name string) (users.User, error)
	Speaks(ctx context.Context, user chat.UserID, key chat.SessionKey, text string) (i18n.Lang, error)
}

// Run writes the notice once and ends. Nothing waits for it, and what keeps it from being written stops nothing: it is logged, and tried
// again while the reason may pass.
func (n *Notice) Run(ctx context.Context) error {
	key := "start-" + rand.Text()
	n.awaitBots(ctx)
	for said := false; ctx.Err() == nil; {
		err := n.send(ctx, key)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if fault.Is(err, fault.NotFound) {
			n.Log.Warn("nobody is told that the server has started; connect a bot to this platform, or set STARTUP_NOTIFY_CHAT_ID=none", "chat", n.To.Setting(), "error", err)
			return nil
		}
		if !said {
			n.Log.Warn("the notice of the start is not written, trying again", "chat", n.To.Setting(), "error", err)
		}
		said = true
		channel.Rest(ctx, againAfter)
	}
	return nil
}

// awaitBots waits until all bots are connected, but not forever.
func (n *Notice) awaitBots(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, n.Patience)
	defer cancel()
	for ctx.Err() == nil {
		away, err := n.away(ctx)
		if err == nil && len(away) == 0 {
			return
		}
		channel.Rest(ctx, lookEvery)
	}
}

// away names the bots that are switched on and not connected, except the one that delivers the notice.
func (n *Notice) away(ctx context.Context) ([]string, error) {
	all, err := n.Channels.ChannelOverview(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, a := range all {
		if a.Enabled && !a.Connected && (a.Channel != n.To.Channel || a.Account != n.To.Account) {
			names = append(names, channel.Name(a.Channel, a.Account))
		}
	}
	return names, nil
}

func (n *Notice) send(ctx context.Context, key string) error {
	admin, err := n.Users.EnsureAdmin(ctx, n.Admin)
	if err != nil {
		return err
	}
	lang, err := n.Users.Speaks(ctx, admin.ID, "", "")
	if err != nil {
		return err
	}
	away, err := n.away(ctx)
	if err != nil {
		return err
	}
	lines := []string{i18n.Say(lang, i18n.Started, n.Version, n.Address)}
	if len(away) > 0 {
		lines = append(lines, i18n.Say(lang, i18n.StartedAway, strings.Join(away, ", ")))
	}
	if model, err := n.Usual.Of(ctx, admin.ID); err == nil && endpoint.IsDemo(model) {
		lines = append(lines, i18n.Say(lang, i18n.StartedDemo))
	}
	return n.Notices.NotifyOperator(ctx, notices.Notice{
		Key: key, Owner: admin.ID, Title: i18n.Say(lang, i18n.NoticesTitle), Text: strings.Join(lines, "\n"), To: n.To,
	})
}
