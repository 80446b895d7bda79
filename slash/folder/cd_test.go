package folder_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/slash/folder"
)

// fixture is a conversation in /srv/src on a machine with three folders and a file.
type fixture struct {
	sandbox.Sandbox
	at   string
	said string
	away bool
}

func (p *fixture) Name() string      { return "laptop" }
func (p *fixture) Workspace() string { return "/srv" }

func (p *fixture) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) { return p, nil }

func (p *fixture) Stat(_ context.Context, name string) (sandbox.FileInfo, error) {
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

func (p *fixture) fault() error {
	if p.away {
		return fault.Errorf(fault.Unavailable, "laptop is offline")
	}
	return nil
}

func (p *fixture) Session(context.Context, chat.SessionKey) (chat.Session, chat.UserID, error) {
	return chat.Session{Folder: chat.Folder{Cwd: "/srv/src", CwdRunner: "laptop"}}, 1, nil
}

func (p *fixture) CdDone(_ context.Context, _ chat.TurnID, runner, dir, say string) error {
	p.at, p.said = runner+":"+dir, say
	return nil
}

// cd carries the command out, and returns what the person reads.
func (p *fixture) cd(t *testing.T, args string) string {
	t.Helper()
	p.said, p.at = "", ""
	err := folder.Cd{Conversations: p, Turns: p, Sandboxes: p, Agreements: &agreementsFake{}}.RunInTurn(t.Context(), chat.TurnCommand{Turn: "t1", Lang: "en"}, args)
	require.Equal(t, err == nil, p.said != "", args)
	if err != nil {
		require.NotEqual(t, fault.Unavailable, fault.KindOf(err), "it would be tried again")
		return i18n.Explain(i18n.English, err)
	}
	return p.said
}

func TestCd_GoesWhereTheSandboxLetsIt(t *testing.T) {
	p := &fixture{}
	for text, want := range map[string]string{
		"..": "/srv", "/srv/src/": "/srv/src", `"a b"`: "/srv/src/a b", "a b": "/srv/src/a b", "~": "/srv", "~/src": "/srv/src", ".": "/srv/src",
	} {
		require.Equal(t, i18n.Say(i18n.English, i18n.CdNow, "`"+want+"`", "laptop"), p.cd(t, text), text)
		require.Equal(t, "laptop:"+want, p.at)
	}
	for text, want := range map[string]string{
		"":       i18n.Say(i18n.English, i18n.CdUsage),
		"nope":   i18n.Say(i18n.English, i18n.CdNone, "`/srv/src/nope`"),
		"~/file": i18n.Say(i18n.English, i18n.CdFile, "`/srv/file`"),
		"/etc":   "/etc is outside the workspace",
	} {
		require.Equal(t, want, p.cd(t, text), text)
		require.Empty(t, p.at)
	}
	p.away = true
	require.Equal(t, "laptop is offline", p.cd(t, ".."), "it is not waited for")
}
