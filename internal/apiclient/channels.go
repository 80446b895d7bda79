package apiclient

import (
	"context"
	"net/http"
	"net/url"

	"xbot/internal/chat"
)

// Channels are the platforms that there are, and the accounts that are configured.
type Channels struct {
	Kinds    []chat.ChannelKind    `json:"kinds"`
	Accounts []chat.ChannelAccount `json:"accounts"`
}

// ChannelChange is what an account is to be configured with. A secret that is empty or left out stays as it is stored.
type ChannelChange struct {
	Settings map[string]string `json:"settings"`
	Forget   []string          `json:"forget,omitempty"`   // secrets that are taken away
	Revision int64             `json:"revision,omitempty"` // of the account that it was made from; 0: a new one
	Enabled  bool              `json:"enabled"`
}

// ChannelTest is what a test of an account has found.
type ChannelTest struct {
	Passed   bool                  `json:"passed"`
	Findings []chat.ChannelFinding `json:"findings"`
}

func channelPath(name, more string) string { return "/api/channels/" + url.PathEscape(name) + more }

func channelQuery(account string) url.Values {
	if account == "" {
		return nil
	}
	return url.Values{"account": {account}}
}

// Channels lists platforms and accounts, for administrators.
func (c *Administration) Channels(ctx context.Context) (Channels, error) {
	var out Channels
	return out, c.do(ctx, http.MethodGet, "/api/channels", nil, nil, &out)
}

// SetChannel makes or changes an account. Conflict: it was made or changed meanwhile.
func (c *Administration) SetChannel(ctx context.Context, name, account string, change ChannelChange) (chat.ChannelAccount, error) {
	var out chat.ChannelAccount
	return out, c.do(ctx, http.MethodPut, channelPath(name, ""), channelQuery(account), change, &out)
}

// EnableChannel switches an account on or off.
func (c *Administration) EnableChannel(ctx context.Context, name, account string, enabled bool) error {
	in := struct {
		Enabled bool `json:"enabled"`
	}{enabled}
	return c.do(ctx, http.MethodPatch, channelPath(name, ""), channelQuery(account), in, nil)
}

// DeleteChannel removes an account.
func (c *Administration) DeleteChannel(ctx context.Context, name, account string) error {
	return c.do(ctx, http.MethodDelete, channelPath(name, ""), channelQuery(account), nil, nil)
}

// TestChannel tries an account; to may name a place that a message is sent to. It takes up to 20 seconds.
func (c *Administration) TestChannel(ctx context.Context, name, account, to string) (ChannelTest, error) {
	in := struct {
		To string `json:"to,omitempty"`
	}{to}
	var out ChannelTest
	return out, c.do(ctx, http.MethodPost, channelPath(name, "/test"), channelQuery(account), in, &out)
}
