package cli

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/apiclient"
	"xbot/internal/chat"
	"xbot/internal/cli/local"
	"xbot/internal/fault"
)

// connection is a server to talk to.
type connection struct {
	client *apiclient.Client
	me     apiclient.Me
	own    *local.Server       // the server of this user on this machine; nil when another was asked for
	served []apiclient.Command // what it carries out; nil until it was asked
	cwd    string              // folder that new sessions work on; empty where it means nothing to the server
}

// connect finds the server: the one of the flags, of cli.json, or the one of this user, which it starts if it must.
func connect(ctx context.Context, opts options, getenv func(string) string, cwd string, progress func(string)) (*connection, error) {
	home, err := local.Home(getenv)
	if err != nil {
		return nil, err
	}
	own := &local.Server{Home: home}
	source, err := choose(ctx, opts, home, own)
	if err != nil {
		return nil, err
	}
	c := &connection{}
	if source == nil {
		if err := own.Ensure(ctx, progress); err != nil {
			return nil, err
		}
		source, c.own, c.cwd = own, own, cwd
	}
	c.client = apiclient.New(source)
	if c.me, err = c.client.Me(ctx); err != nil {
		c.client.Close()
		if fault.Is(err, fault.Denied) {
			return nil, fault.Errorf(fault.Denied, "the server does not accept the token (%w); make one with: xbot token create", err)
		}
		return nil, err
	}
	if err := c.keepFolder(ctx); err != nil {
		c.client.Close()
		return nil, err
	}
	return c, nil
}

// keepFolder forgets the folder of the terminal where commands do not run on this host: in a container it means nothing.
func (c *connection) keepFolder(ctx context.Context) error {
	if c.cwd == "" {
		return nil
	}
	all, err := c.client.ListRunners(ctx)
	if err != nil {
		return err
	}
	here := func(r chat.Runner) bool { return r.Kind == chat.RunnerLocal && r.Name == all.Effective }
	if !slices.ContainsFunc(all.Runners, here) {
		c.cwd = ""
	}
	return nil
}

// choose returns the configured server, nil when none is.
func choose(ctx context.Context, opts options, home string, own *local.Server) (apiclient.Source, error) {
	configured, err := readFile(home)
	if err != nil {
		return nil, err
	}
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
		// Whoever owns the data folder may use the server in it by its address, too.
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
		return c.newest(ctx)
	default:
		return chat.Session{Folder: chat.Folder{Cwd: c.cwd}}, nil
	}
}

func (c *connection) newest(ctx context.Context) (chat.Session, error) {
	sessions, err := c.client.ListSessions(ctx, apiclient.ListSessionsParams{})
	if err != nil {
		return chat.Session{}, err
	}
	if len(sessions) == 0 {
		return chat.Session{}, fault.Errorf(fault.NotFound, "there is no session to resume yet; start one with xbot-cli")
	}
	newest := sessions[0] // pinned ones come first, whatever their age
	for _, session := range sessions {
		if session.UpdatedAt.After(newest.UpdatedAt) {
			newest = session
		}
	}
	return newest, nil
}
