package activities_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
)

// place is a conversation in /srv/src on a machine with three folders and a file.
type place struct {
	sandbox.Sandbox
	orders
	at   string
	away bool
}

func (p *place) Name() string      { return "laptop" }
func (p *place) Workspace() string { return "/srv" }

func (p *place) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) { return p, nil }

func (p *place) Stat(_ context.Context, name string) (sandbox.FileInfo, error) {
	switch name {
	case "/srv", "/srv/src", "/srv/src/a b":
		return sandbox.FileInfo{Path: name, Dir: !p.away}, p.fault()
	case "/srv/file":
		return sandbox.FileInfo{Path: name}, nil
	case "/etc":
		return sandbox.FileInfo{}, fault.Errorf(fault.Denied, "/etc is outside the workspace")
	}
	return sandbox.FileInfo{}, fault.Errorf(fault.NotFound, "there is no %s", name)
}

func (p *place) fault() error {
	if p.away {
		return fault.Errorf(fault.Unavailable, "laptop is offline")
	}
	return nil
}

func (p *place) Session(context.Context, chat.SessionKey) (chat.Session, chat.UserID, error) {
	return chat.Session{Folder: chat.Folder{Cwd: "/srv/src", CwdRunner: "laptop"}}, 1, nil
}

func (p *place) CdDone(_ context.Context, _ chat.TurnID, runner, dir, say string) error {
	p.at, p.done = runner+":"+dir, append(p.done, say)
	return nil
}

func (p *place) obey(t *testing.T, text string) string {
	t.Helper()
	p.order, p.done, p.at = chat.Order{Turn: "t1", Text: text, Lang: "en"}, nil, ""
	known := []activities.Order{activities.CdOrder(p, p)}
	require.NoError(t, (&activities.Orders{Book: &p.orders, Known: known}).Obey(t.Context(), activities.ObeyInput{Turn: "t1"}))
	require.Len(t, p.done, 1, text)
	return p.done[0]
}

func TestCd_GoesWhereTheSandboxLetsIt(t *testing.T) {
	p := &place{}
	for text, want := range map[string]string{
		"/cd ..": "/srv", "/cd /srv/src/": "/srv/src", `/cd "a b"`: "/srv/src/a b", "/cd a b": "/srv/src/a b", "/cd ~": "/srv", "/cd ~/src": "/srv/src", "/CD .": "/srv/src",
	} {
		require.Equal(t, i18n.Say(i18n.English, i18n.CdNow, "`"+want+"`", "laptop"), p.obey(t, text), text)
		require.Equal(t, "laptop:"+want, p.at)
	}
	for text, want := range map[string]string{
		"/cd":        i18n.Say(i18n.English, i18n.CdUsage),
		"/cd nope":   i18n.Say(i18n.English, i18n.CdNone, "`/srv/src/nope`"),
		"/cd ~/file": i18n.Say(i18n.English, i18n.CdFile, "`/srv/file`"),
		"/cd /etc":   "/etc is outside the workspace",
	} {
		require.Equal(t, "answer t1 "+want, p.obey(t, text), text)
		require.Empty(t, p.at)
	}
	p.away = true
	require.Equal(t, "answer t1 laptop is offline", p.obey(t, "/cd .."), "it is not waited for")
}
