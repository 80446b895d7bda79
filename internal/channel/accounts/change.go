package accounts

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/session"
)

// Draft is a proposed configuration of an account.
type Draft struct {
	Channel, Account string
	Settings         map[string]string // an empty or missing secret keeps its stored value
	Forget           []string          // secrets to delete
	Enabled          bool
	Revision         int64 // of the account that it was made from; 0: a new one
}

// Refusal lists all faults of a draft.
type Refusal struct{ Faults []chat.ChannelFault }

func (r *Refusal) Error() string { return "nothing was changed: " + r.Faults[0].Text }

// names matches valid account names: the name is part of addresses, session keys and logs.
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// Check returns every fault in the form of a draft. It makes no requests and changes nothing.
func (b *Store) Check(ctx context.Context, draft Draft) ([]chat.ChannelFault, error) {
	d, err := b.driver(ctx, draft.Channel)
	if err != nil {
		return nil, err
	}
	all, err := b.whole(ctx, d, draft)
	if err != nil {
		return nil, err
	}
	return slices.Concat(faultsOfName(draft.Account), d.Faults(all)), nil
}

func faultsOfName(account string) []chat.ChannelFault {
	if account == "" || names.MatchString(account) && account != session.DefaultAccount {
		return nil
	}
	return []chat.ChannelFault{{Option: "account", Kind: chat.FaultForm, Text: fmt.Sprintf(
		"account has up to 32 small letters, digits, _ and -, and is not %s; empty: the one without a name", session.DefaultAccount)}}
}

// whole returns a draft with the stored secrets that it keeps.
func (b *Store) whole(ctx context.Context, d channel.Driver, draft Draft) (map[string]string, error) {
	all := map[string]string{}
	if draft.Revision != 0 {
		known, err := b.one(ctx, draft.Channel, draft.Account)
		if err != nil {
			return nil, err
		}
		for _, o := range d.Options {
			if o.Secret && !slices.Contains(draft.Forget, o.Name) {
				all[o.Name] = known.Settings[o.Name]
			}
		}
	}
	for name, value := range draft.Settings {
		if value = strings.TrimSpace(value); value != "" {
			all[name] = value
		}
	}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all, nil
}

func (b *Store) one(ctx context.Context, name, account string) (channel.Configured, error) {
	known, err := b.ChannelAccounts(ctx)
	if err != nil {
		return channel.Configured{}, err
	}
	for _, c := range known {
		if c.Channel == name && c.Account == account {
			return c, nil
		}
	}
	return channel.Configured{}, fault.Errorf(fault.NotFound, "there is no channel %s", channel.Name(name, account))
}

// Save creates or changes an account. A *Refusal names the faults of its form. It returns Conflict if it was changed or created concurrently,
// and Denied if the environment sets it.
func (b *Store) Save(ctx context.Context, draft Draft, by chat.UserID) error {
	d, err := b.driver(ctx, draft.Channel)
	if err != nil {
		return err
	}
	if err := b.free(d, draft.Account); err != nil {
		return err
	}
	faults, err := b.Check(ctx, draft)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return &Refusal{faults}
	}
	all, err := b.whole(ctx, d, draft)
	if err != nil {
		return err
	}
	a, err := b.row(d, draft.Account, draft.Enabled, all)
	if err != nil {
		return err
	}
	if draft.Revision == 0 {
		return b.Channels.AddChannelAccount(ctx, a, by)
	}
	a.Revision = draft.Revision
	return b.Channels.ReplaceChannelAccount(ctx, a, by)
}

// Enable switches an account on or off. It returns Denied if the environment sets it.
func (b *Store) Enable(ctx context.Context, name, account string, enabled bool, by chat.UserID) error {
	if err := b.changeable(ctx, name, account); err != nil {
		return err
	}
	return b.Channels.EnableChannelAccount(ctx, name, account, enabled, by)
}

// Delete removes an account; messages waiting for it fail. Conversations stay. It returns Denied if the environment sets it.
func (b *Store) Delete(ctx context.Context, name, account string) error {
	if err := b.changeable(ctx, name, account); err != nil {
		return err
	}
	return b.Channels.DeleteChannelAccount(ctx, name, account)
}

// changeable refuses accounts set by the environment; an account of a channel that this version does not know can be removed.
func (b *Store) changeable(ctx context.Context, name, account string) error {
	d, err := b.driver(ctx, name)
	if err != nil {
		return nil
	}
	return b.free(d, account)
}

func list(words []string) string { return strings.Join(words, ", ") }
