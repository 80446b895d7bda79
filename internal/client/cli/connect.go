package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/graphics"
	"xbot/internal/client/cli/history"
	"xbot/internal/client/cli/local"
	"xbot/internal/client/cli/location"
	"xbot/internal/fault"
)

// connection is a server to talk to.
type connection struct {
	client *apiclient.Client
	me     apiclient.Me
	own    *local.Server       // the server of this user on this machine; nil when another was asked for
	served []apiclient.Command // what it carries out; nil until it was asked
	place  location.Finder     // where commands run

	history history.File // what was typed
	wide    bool         // texts use the whole width, too

	pictures graphics.Protocol // how the terminal is to draw them
}

// connect finds the server: the one of the flags, of cli.json, or the one of this user, which it starts if it must.
func connect(ctx context.Context, opts options, getenv func(string) string, cwd string, progress func(string)) (*connection, error) {
	home, err := local.Home(getenv)
	if err != nil {
		return nil, err
	}
	own := &local.Server{Home: home}
	configured, err := readFile(home)
	if err != nil {
		return nil, err
	}
	source, err := choose(ctx, opts, configured, own)
	if err != nil {
		return nil, err
	}
	c := &connection{history: history.In(home), wide: configured.Wide, pictures: cmp.Or(opts.Pictures, configured.Pictures, graphics.Auto)}
	if source == nil {
		if err := own.Ensure(ctx, progress); err != nil {
			return nil, err
		}
		source, c.own = own, own
	}
	c.client = apiclient.New(source)
	if c.me, err = c.client.Me(ctx); err != nil {
		c.client.Close()
		if fault.Is(err, fault.Denied) {
			return nil, fault.Errorf(fault.Denied, "the server does not accept the token (%w); make one with: xbot token create", err)
		}
		return nil, err
	}
	c.place = location.Finder{Client: c.client, Own: c.own != nil, Cwd: cwd}
	return c, nil
}

// choose returns the configured server, nil when none is.
func choose(ctx context.Context, opts options, configured file, own *local.Server) (apiclient.Source, error) {
	endpoint := apiclient.Endpoint{URL: opts.Server, Token: opts.Token}
	if endpoint.URL == "" {
		endpoint.URL = configured.Server
	}
	if endpoint.URL == "" {
		if endpoint.Token != "" {
			return nil, fault.Errorf(fault.Invalid, "a token was given without a server; give --server too")
		}
		return nil, nil
	}
	if endpoint.Token == "" && sameServer(endpoint.URL, configured.Server) {
		endpoint.Token = configured.Token
	}
	if endpoint.Token == "" {
		// A user who owns the data folder may use the server in it by its address, too.
		if told, err := own.Endpoint(ctx); err == nil && sameServer(told.URL, endpoint.URL) {
			return own, nil
		}
		return nil, fault.Errorf(fault.Invalid, "no token for %s; make one there with: xbot token create, then set XBOT_TOKEN", endpoint.URL)
	}
	return endpoint, nil
}

func sameServer(a, b string) bool {
	return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

// open returns the session that the flags ask for; its key is empty for a session that is yet to be made.
func (c *connection) open(ctx context.Context, opts options) (chat.Session, error) {
	switch {
	case opts.Session != "":
		session, err := c.client.GetSession(ctx, opts.Session)
		if fault.Is(err, fault.NotFound) {
			return session, fault.Errorf(fault.NotFound, "there is no session %s; xbot-cli without --session starts one", opts.Session)
		}
		return session, err
	case opts.Resume:
		if opts.Print == nil {
			return c.newest(ctx, "listed")
		}
		return c.newest(ctx, "all")
	default:
		return chat.Session{}, nil
	}
}

// newest returns the session of a shelf with the newest message, but none that was archived.
func (c *connection) newest(ctx context.Context, shelf string) (chat.Session, error) {
	sessions, err := c.client.ListSessions(ctx, apiclient.ListSessionsParams{Shelf: shelf})
	if err != nil {
		return chat.Session{}, err
	}
	sessions = slices.DeleteFunc(sessions, func(s chat.Session) bool { return s.Shelf == chat.Archived })
	if len(sessions) == 0 {
		return chat.Session{}, fault.Errorf(fault.NotFound, "there is no session to resume yet; start one with xbot-cli")
	}
	newest := sessions[0] // pinned ones come first, independent of their age
	for _, session := range sessions {
		if session.UpdatedAt.After(newest.UpdatedAt) {
			newest = session
		}
	}
	return newest, nil
}
