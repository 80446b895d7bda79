package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"xbot/activities"
	"xbot/ingress"
	"xbot/ingress/channels"
	"xbot/internal/channel"
	"xbot/internal/channel/feishu"
	"xbot/internal/channel/format"
	"xbot/internal/channel/onebot"
	"xbot/internal/channel/qq"
	"xbot/internal/config"
	"xbot/internal/secret"
	"xbot/internal/store"
)

// drivers are the platforms that this program speaks to.
func drivers() []channel.Driver {
	return []channel.Driver{feishu.Driver(), qq.Driver(), onebot.Driver()}
}

// platformTimeout bounds one call to a platform.
const platformTimeout = 30 * time.Second

// newChannels opens the accounts that are configured.
func (p *parts) newChannels() *channel.Live {
	http := &http.Client{Timeout: platformTimeout}
	return &channel.Live{
		Source: channelSource{p.store, p.key}, Drivers: drivers(),
		Opening: func(name, account string) channel.Opening {
			return channel.Opening{HTTP: http, Memory: channelMemory{p.store, name, account}}
		},
	}
}

// channelSource reads accounts with their secrets.
type channelSource struct {
	store *store.Store
	key   secret.Key
}

// ChannelAccounts reads what is configured.
func (s channelSource) ChannelAccounts(ctx context.Context) ([]channel.Configured, error) {
	rows, err := s.store.ChannelAccounts(ctx)
	if err != nil {
		return nil, err
	}
	var out []channel.Configured
	for _, r := range rows {
		c := channel.Configured{Channel: r.Channel, Account: r.Account, Enabled: r.Enabled, Settings: maps.Clone(r.Settings), Revision: r.Revision}
		if err := s.reveal(r.Secrets, c.Settings); err != nil {
			return nil, fmt.Errorf("the secrets of the channel %s cannot be read: %w", channel.Name(r.Channel, r.Account), err)
		}
		out = append(out, c)
	}
	return out, nil
}

func (s channelSource) reveal(sealed []byte, into map[string]string) error {
	if len(sealed) == 0 {
		return nil
	}
	plain, err := s.key.Open(sealed)
	if err != nil {
		return err
	}
	secrets := map[string]string{}
	if err := json.Unmarshal(plain, &secrets); err != nil {
		return errors.New("they are damaged") // the error would quote them
	}
	maps.Copy(into, secrets)
	return nil
}

// channelMemory is what the adapter of one account keeps.
type channelMemory struct {
	store         *store.Store
	name, account string
}

// Load reads a value.
func (m channelMemory) Load(ctx context.Context, key string) ([]byte, error) {
	return m.store.RecallChannel(ctx, m.name, m.account, key)
}

// Save keeps a value.
func (m channelMemory) Save(ctx context.Context, key string, value []byte) error {
	return m.store.RememberChannel(ctx, m.name, m.account, key, value)
}

// newDesk receives from the accounts that are configured.
func (in *ingressPart) newDesk() *channels.Desk {
	return &channels.Desk{Live: in.channels, Gateway: in.gateway, States: in.store, Holder: in.internalURL() + "#" + secretName(), Log: in.log}
}

// secretName makes a name that no other process has.
func secretName() string {
	token, _ := secret.NewToken()
	return token[:8]
}

// courier has delivered what was just committed, whichever half of the server commits it.
func (p *parts) startCourier(t config.Temporal) {
	if p.courier == nil {
		p.courier = &ingress.Courier{Starter: p.starter(t), Log: p.log}
		p.store.Courier = p.courier
	}
}

// What is older than deliverFor when its platform can be reached is delivered no more; what is older than late says so.
const (
	deliverFor = 24 * time.Hour
	late       = 10 * time.Minute
)

func (p *parts) deliverer(t config.Temporal) *activities.Deliverer {
	return &activities.Deliverer{
		Outbox: p.store, Accounts: p.channels, Split: format.Split, Words: t.Summaries == "on",
		Rules: func(context.Context) activities.DeliveryRules {
			return activities.DeliveryRules{MaxAge: deliverFor, Late: late}
		},
	}
}

// configureChannels takes over what the environment says of the account without a name of each channel. It stands above
// what was set otherwise.
func (p *parts) configureChannels(ctx context.Context, env func(string) string) error {
	known, err := p.store.ChannelAccounts(ctx)
	if err != nil {
		return err
	}
	for _, d := range drivers() {
		given := settingsOf(d, env)
		if len(given) == 0 {
			continue
		}
		if _, err := d.Open("", maps.Clone(given), channel.Opening{}); err != nil {
			return fmt.Errorf("the channel %s is not configured rightly: %w", d.Name, err)
		}
		if err := p.configure(ctx, d, given, known); err != nil {
			return err
		}
	}
	return nil
}

// settingsOf reads the variables of a channel.
func settingsOf(d channel.Driver, env func(string) string) map[string]string {
	given := map[string]string{}
	for _, o := range d.Options {
		if value := env(o.Env); o.Env != "" && value != "" {
			given[o.Name] = value
		}
	}
	return given
}

// configure keeps the settings of an account, unless it has them already.
func (p *parts) configure(ctx context.Context, d channel.Driver, given map[string]string, known []store.ChannelAccount) error {
	now := channelSource{p.store, p.key}
	for _, k := range known {
		if k.Channel != d.Name || k.Account != "" || !k.Enabled {
			continue
		}
		have := maps.Clone(k.Settings)
		if err := now.reveal(k.Secrets, have); err == nil && maps.Equal(have, given) {
			return nil
		}
	}
	a := store.ChannelAccount{Channel: d.Name, Enabled: true, Settings: given}
	secrets := map[string]string{}
	for _, o := range d.Options {
		if value, ok := given[o.Name]; ok && o.Secret {
			secrets[o.Name] = value
			delete(given, o.Name)
		}
	}
	if len(secrets) > 0 {
		plain, err := json.Marshal(secrets)
		if err != nil {
			return fmt.Errorf("encode secrets: %w", err)
		}
		a.Secrets = p.key.Seal(plain)
	}
	return p.store.SaveChannelAccount(ctx, a, 0)
}
