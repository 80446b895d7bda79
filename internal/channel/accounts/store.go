// Package accounts manages the accounts of bots on platforms: their settings, from the environment or by an administrator,
// with the secrets sealed. It neither connects nor sends.
package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"xbot/internal/channel"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// Store reads and writes the configuration of accounts. It is safe for concurrent use.
type Store struct {
	Channels *accountstore.Store
	Key      secret.Sealer
	Drivers  []channel.Driver
	More     channel.DriverSource // platforms that come and go; nil: there are none
	// Env are variables of the environment, which take precedence over stored settings.
	Env map[string]string
	// Base is the address at which platforms reach this installation, without a slash at its end.
	Base string
}

var _ channel.Source = (*Store)(nil)

// ChannelAccounts reads the configured accounts with their secrets. Unreadable secrets are an error of their account alone.
func (b *Store) ChannelAccounts(ctx context.Context) ([]channel.Configured, error) {
	rows, err := b.Channels.ChannelAccounts(ctx)
	if err != nil {
		return nil, err
	}
	var out []channel.Configured
	for _, r := range rows {
		c := channel.Configured{Channel: r.Channel, Account: r.Account, Enabled: r.Enabled, Settings: maps.Clone(r.Settings), Revision: r.Revision}
		secrets, err := b.reveal(r.Secrets)
		if err != nil {
			c.Fault = fault.Errorf(fault.Unavailable, "its secrets cannot be read; set them again: %w", err)
		}
		maps.Copy(c.Settings, secrets)
		out = append(out, c)
	}
	return out, nil
}

func (b *Store) reveal(sealed []byte) (map[string]string, error) {
	secrets := map[string]string{}
	if len(sealed) == 0 {
		return secrets, nil
	}
	plain, err := b.Key.Open(sealed)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(plain, &secrets); err != nil {
		return nil, errors.New("they are damaged") // the error would quote them
	}
	return secrets, nil
}

// row returns an account as stored, with sealed secrets.
func (b *Store) row(d channel.Driver, account string, enabled bool, all map[string]string) (accountstore.ChannelAccount, error) {
	a := accountstore.ChannelAccount{Channel: d.Name, Account: account, Enabled: enabled, Settings: map[string]string{}}
	secrets := map[string]string{}
	for _, o := range d.Options {
		switch value := all[o.Name]; {
		case value == "":
		case o.Secret:
			secrets[o.Name] = value
		default:
			a.Settings[o.Name] = value
		}
	}
	if len(secrets) == 0 {
		return a, nil
	}
	plain, err := json.Marshal(secrets)
	if err != nil {
		return a, fmt.Errorf("encode secrets: %w", err)
	}
	a.Secrets = b.Key.Seal(plain)
	return a, nil
}

// drivers returns the drivers of all platforms at this time.
func (b *Store) drivers(ctx context.Context) ([]channel.Driver, error) {
	if b.More == nil {
		return b.Drivers, nil
	}
	more, err := b.More.Drivers(ctx)
	return slices.Concat(b.Drivers, more), err
}

func (b *Store) driver(ctx context.Context, name string) (channel.Driver, error) {
	all, err := b.drivers(ctx)
	if err != nil {
		return channel.Driver{}, err
	}
	for _, d := range all {
		if d.Name == name {
			return d, nil
		}
	}
	return channel.Driver{}, fault.Errorf(fault.NotFound, "nothing here knows a channel %q; the plugin that adds it may be switched off", name)
}
