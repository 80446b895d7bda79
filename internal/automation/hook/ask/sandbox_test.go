package ask_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
	"xbot/internal/automation/hook/ask"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool/tooltest"
)

// finder finds one sandbox, or fails.
type finder struct {
	box *tooltest.Box
	err error
}

func (f finder) FindSandbox(context.Context, chat.SessionKey) (sandbox.Sandbox, string, error) {
	return f.box, f.box.Workspace(), f.err
}

func TestSandbox_RunsCommandsOfTheAdministratorOnTheHostForConversationsWithoutARunner(t *testing.T) {
	t.Parallel()
	none := fault.Errorf(fault.Denied, "there is no runner")
	for name, c := range map[string]struct {
		layer hook.Layer
		err   error
		noBox bool // there is no host
		at    string
	}{
		"the conversation has a runner":          {layer: hook.LayerHome, at: "conversation"},
		"a project's command":                    {layer: hook.LayerProject, at: "conversation"},
		"no runner, the administrator's command": {layer: hook.LayerHome, err: none, at: "host"},
		"no runner, a project's command":         {layer: hook.LayerProject, err: none},
		"no runner, a local command":             {layer: hook.LayerLocal, err: none},
		"no runner and no host":                  {layer: hook.LayerHome, err: none, noBox: true},
		"the database is away":                   {layer: hook.LayerHome, err: fault.Errorf(fault.Unavailable, "Postgres is away")},
		"the conversation is gone":               {layer: hook.LayerHome, err: fault.Errorf(fault.NotFound, "no such conversation")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conversation, host := tooltest.New(t), tooltest.New(t)
			asker := ask.Sandbox{Finder: finder{conversation, c.err}, Host: host}
			if c.noBox {
				asker.Host = nil
			}
			a, err := asker.Ask(t.Context(), hook.Handler{Layer: c.layer, Command: "pwd; cat >/dev/null"}, question())
			if c.at == "" {
				require.Equal(t, c.err, err)
				return
			}
			require.NoError(t, err)
			want := map[string]string{"conversation": conversation.Workspace(), "host": host.Workspace()}[c.at]
			require.Equal(t, filepath.Base(want), filepath.Base(a.Context))
		})
	}
}
