package onebot

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// forward is an account that dials NapCat.
type forward struct{ *account }

var (
	_ channel.Account = (*forward)(nil)
	_ channel.Deleter = (*forward)(nil)
	_ channel.Reactor = (*forward)(nil)
	_ channel.Typist  = (*forward)(nil)
	_ channel.Finder  = (*forward)(nil)
	_ channel.Fetcher = (*forward)(nil)
)

// dialWait bounds the handshake.
const dialWait = 15 * time.Second

// Run receives until ctx ends. A wrong token or another account of QQ than the configured one end it.
func (f *forward) Run(ctx context.Context, to channel.Receiver, report channel.Reporter) error {
	tell := &oneByOne{to: report}
	again := newBackoff(f.cool)
	for {
		lived, err := f.connect(ctx, to, tell)
		if ctx.Err() != nil {
			return nil
		}
		tell.Report(channel.Status{Err: err})
		if fault.Is(err, fault.Denied) || fault.Is(err, fault.Invalid) {
			return err
		}
		if !channel.Rest(ctx, again.next(lived)) {
			return nil
		}
	}
}

// connect serves one connection until it ends, and returns how long it lived and why it ended.
func (f *forward) connect(ctx context.Context, to channel.Receiver, report channel.Reporter) (time.Duration, error) {
	c, err := f.dialAt(ctx, f.url)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	defer c.close()
	err = f.serve(ctx, c, c, to, report)
	return time.Since(began), err
}

// dialActions makes a connection on which no events travel.
func (a *account) dialActions(ctx context.Context) (*conn, error) {
	u := *a.url
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/event") + "/api"
	return a.dialAt(ctx, &u)
}

func (a *account) dialAt(ctx context.Context, u *url.URL) (*conn, error) {
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: dialWait, NetDialContext: safehttp.HideAddresses((&net.Dialer{}).DialContext)}
	header := http.Header{}
	if a.token != "" {
		header.Set("Authorization", "Bearer "+a.token)
	}
	ws, response, err := dialer.DialContext(ctx, u.String(), header)
	if err != nil {
		return nil, dialFailed(u, response, err)
	}
	return newConn(ws), nil
}

// dialFailed explains why there is no connection. NapCat itself refuses a token later; other servers, and proxies before it, do here.
func dialFailed(u *url.URL, response *http.Response, err error) error {
	if response != nil && errors.Is(err, websocket.ErrBadHandshake) {
		switch response.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden:
			return errToken()
		case http.StatusNotFound, http.StatusUpgradeRequired, http.StatusOK:
			return fault.Errorf(fault.Unavailable, "%s is no WebSocket server (it answered %s): is it NapCat's HTTP server?", u.Host, response.Status)
		}
		return fault.Errorf(fault.Unavailable, "%s answered %s", u.Host, response.Status)
	}
	return fault.Errorf(fault.Unavailable, "NapCat at %s is not reached: %w", u.Host, err)
}

// whoami returns the identity of the bot; it fails if the token is not valid.
func (a *account) whoami(ctx context.Context, c *conn) (channel.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	var got struct {
		UserID   wire.Number `json:"user_id"`
		Nickname string      `json:"nickname"`
	}
	if err := c.ask(ctx, "get_login_info", params{}, &got); err != nil {
		return channel.Identity{}, err
	}
	if got.UserID == "" || got.UserID == "0" {
		return channel.Identity{}, fault.Errorf(fault.Unavailable, "NapCat runs, but no QQ account is signed in")
	}
	if a.settings.self != "" && a.settings.self != string(got.UserID) {
		return channel.Identity{}, errOther(string(got.UserID), a.settings.self)
	}
	a.self.Store(&got.UserID)
	return channel.Identity{ID: string(got.UserID), Name: clean(got.Nickname)}, nil
}

func errOther(is, want string) error {
	return fault.Errorf(fault.Invalid, "NapCat is signed in as %s, and self_id says %s", is, want)
}
