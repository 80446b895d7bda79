package extend_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/plugin/extend"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/pluginstore"
)

// known is a list of plugins.
type known []installed.Plugin

func (k known) All(context.Context) ([]installed.Plugin, error) { return k, nil }

func (k known) Working(context.Context) ([]installed.Plugin, error) { return nil, nil }

func TestHooks_ABrokenPluginThatMayHaveHooksPermitsNothing(t *testing.T) {
	broken := errors.New("plugin.json is no manifest")
	of := func(id string, enabled bool, permissions ...string) installed.Plugin {
		return installed.Plugin{Plugin: pluginstore.Plugin{ID: id, Enabled: enabled, Permissions: permissions}, Fault: broken}
	}
	handlers, faults := extend.New(known{of("guard", true, "hooks"), of("off", false, "hooks"), of("plain", true, "network")}, nil).Hooks(t.Context())
	require.Empty(t, handlers)
	require.Len(t, faults, 1)
	require.Equal(t, "plugin guard", faults[0].Source)
	require.Contains(t, faults[0].Text, broken.Error())
}
