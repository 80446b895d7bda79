package accounts

import (
	"context"
	"maps"
	"slices"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Kinds returns the platforms that accounts can be created for.
func (b *Store) Kinds(ctx context.Context) ([]chat.ChannelKind, error) {
	out := []chat.ChannelKind{}
	drivers, err := b.drivers(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range drivers {
		kind := chat.ChannelKind{Name: d.Name, Options: []chat.ChannelOption{}}
		for _, o := range d.Options {
			kind.Options = append(kind.Options, chat.ChannelOption(o))
		}
		out = append(out, kind)
	}
	return out, nil
}

// View lists all accounts with their states, without secrets.
func (b *Store) View(ctx context.Context) ([]chat.ChannelAccount, error) {
	rows, err := b.Channels.ChannelOverview(ctx)
	if err != nil {
		return nil, err
	}
	out := []chat.ChannelAccount{}
	for _, r := range rows {
		out = append(out, b.view(ctx, r))
	}
	return out, nil
}

// ViewOf returns the view of one account.
func (b *Store) ViewOf(ctx context.Context, name, account string) (chat.ChannelAccount, error) {
	all, err := b.View(ctx)
	if err != nil {
		return chat.ChannelAccount{}, err
	}
	for _, a := range all {
		if a.Channel == name && a.Account == account {
			return a, nil
		}
	}
	return chat.ChannelAccount{}, fault.Errorf(fault.NotFound, "there is no channel %s", channel.Name(name, account))
}

func (b *Store) view(ctx context.Context, r accountstore.ChannelOverview) chat.ChannelAccount {
	a := chat.ChannelAccount{
		Channel: r.Channel, Account: r.Account, Enabled: r.Enabled, Settings: r.Settings, Secrets: []string{}, Revision: r.Revision,
		ChangedAt: r.Changed, ChangedBy: r.ChangedBy, State: stateOf(r), EventAt: r.EventAt, Error: r.Error,
		ChannelLoad: chat.ChannelLoad{Waiting: r.Waiting, OldestS: int64(r.Oldest.Seconds()), Held: r.Held, Signs: r.Signs, SignsBudget: r.SignsBudget},
	}
	if secrets, err := b.reveal(r.Secrets); err == nil {
		a.Secrets = slices.AppendSeq(a.Secrets, maps.Keys(secrets))
		slices.Sort(a.Secrets)
	}
	if r.Connected {
		a.ConnectedAt = r.ConnectedAt
	}
	if r.Error != "" {
		a.ErrorAt = r.ErrorAt
	}
	if r.Lag != nil {
		a.LagMS = new(r.Lag.Milliseconds())
	}
	if d, err := b.driver(ctx, r.Channel); fault.Is(err, fault.NotFound) && a.Enabled {
		a.State, a.ConnectedAt, a.Error = chat.ChannelFaulty, nil, channel.Absent(r.Channel).Error()
	} else if err == nil {
		if r.Account == "" {
			_, a.Environment = b.Environment(d)
		}
		a.Address = b.address(d.Called[r.Settings["mode"]], r.Channel, r.Account)
	}
	return a
}

func stateOf(r accountstore.ChannelOverview) chat.ChannelState {
	switch {
	case !r.Enabled:
		return chat.ChannelOff
	case r.Connected:
		return chat.ChannelConnected
	case r.Error != "":
		return chat.ChannelFaulty
	}
	return chat.ChannelConnecting
}

// address returns where a platform reaches an account by a protocol, empty if it does not.
func (b *Store) address(protocol, name, account string) string {
	if protocol == "" {
		return ""
	}
	base := b.Base
	if protocol == "ws" {
		base = "ws" + strings.TrimPrefix(base, "http")
	}
	return base + "/channels/" + channel.Name(name, account)
}
