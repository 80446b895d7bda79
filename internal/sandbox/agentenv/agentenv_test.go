package agentenv_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/sandbox/agentenv"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/policy"
	"xbot/runner/wire"
)

const value = "ghs_0123456789abcdef"

// rows are the real ones; who speaks where is what the test says.
type rows struct {
	*store.Store

	w chat.ModelCriteria
}

func (r *rows) ModelWanted(context.Context, chat.SessionKey) (chat.ModelCriteria, error) {
	return r.w, nil
}

type inForce struct{ p policy.Policy }

func (f *inForce) Get(context.Context) (*policy.Policy, error) { return &f.p, nil }

type bundle struct {
	*agentenv.Resolver

	t     *testing.T
	rows  *rows
	force *inForce
	owner chat.UserID
	query func(sql string, args ...any) (text string)
}

func setup(t *testing.T) *bundle {
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	ring, err := secret.OpenKeyring(t.TempDir(), "")
	require.NoError(t, err)
	s := store.New(pool, store.Options{})
	user, err := s.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	b := &bundle{t: t, owner: user.ID, rows: &rows{Store: s}, force: &inForce{p: policy.Policy{Agents: policy.Agents{List: []policy.Agent{
		{ID: "main", Default: true}, {ID: "clerk", Env: map[string]string{"REGION": "eu", "AREA": "a=b"}},
	}}}}}
	b.rows.w = chat.ModelCriteria{Agent: "clerk", OfTurn: chat.OfTurn{Above: chat.Location{Channel: "feishu"}}}
	b.query = func(sql string, args ...any) (text string) {
		require.NoError(t, pool.QueryRow(t.Context(), sql, args...).Scan(&text))
		return text
	}
	b.Resolver = &agentenv.Resolver{AgentSecrets: b.rows.AgentSecrets, Settings: b.rows, Policies: b.force, Key: ring, Log: slog.New(slog.DiscardHandler)}
	return b
}

// secrets are the names of those that commands get on a runner.
func (b *bundle) secrets(runner string) (names []string, variables []string) {
	b.t.Helper()
	env, err := b.Environment(b.t.Context(), "s", b.owner, runner)
	require.NoError(b.t, err)
	for _, s := range env.Secrets {
		names = append(names, s.Name)
		require.Equal(b.t, value, s.Value)
	}
	return names, env.Variables
}

func TestSet_SealsTheValueForItsAgentAlone(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Set(t.Context(), "clerk", "TOKEN", value))
	for _, table := range []string{"agent_secrets", "changes"} {
		text := b.query("SELECT coalesce(string_agg(t::text, ' '), '') FROM " + table + " t")
		require.NotContains(t, text, value, table)
		require.NotContains(t, text, "6768735f", table)
		require.Contains(t, text, "TOKEN", table)
	}
	names, variables := b.secrets("local")
	require.Equal(t, []string{"TOKEN"}, names)
	require.Equal(t, []string{"AREA=a=b", "REGION=eu"}, variables)

	b.rows.w.Agent = "main"
	names, variables = b.secrets("local")
	require.Empty(t, names, "another bot has none of them")
	require.Empty(t, variables)
	b.query("UPDATE agent_secrets SET agent = 'main' RETURNING name")
	names, variables = b.secrets("local")
	require.Empty(t, names, "a row that was moved opens nothing")
	require.Equal(t, []string{"XBOT_WITHHELD=TOKEN"}, variables)
}

func TestEnvironment_GivesSecretsToRunnersOfTheInstallationUnlessThePolicyNamesOthers(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Set(t.Context(), "clerk", "TOKEN", value))
	require.NoError(t, b.rows.Runners.GrantRunner(t.Context(), b.owner, "laptop", []byte("hash")))
	for _, c := range []struct {
		listed []string
		has    []string
	}{
		{nil, []string{"local", "__docker__"}}, {[]string{}, nil}, {[]string{"docker"}, []string{"__docker__"}},
		{[]string{"admin/laptop"}, []string{"laptop"}}, {[]string{"other/laptop", "local"}, []string{"local"}},
	} {
		b.force.p.Runners.Secrets = c.listed
		var has []string
		for _, runner := range []string{"local", "__docker__", "laptop", "gone"} {
			names, variables := b.secrets(runner)
			if len(names) > 0 {
				has = append(has, runner)
			} else {
				require.Contains(t, variables, "XBOT_WITHHELD=TOKEN")
			}
		}
		require.Equal(t, c.has, has, "%v", c.listed)
	}
	masker, err := b.Masker(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, "[hidden: TOKEN]", masker.Text(value), "it is hidden wherever it comes from")
}

func TestEnvironment_WhoeverChoosesAnAgentDoesNotGetItsSecrets(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Set(t.Context(), "clerk", "TOKEN", value))
	has := func() bool { names, _ := b.secrets("local"); return len(names) > 0 }
	require.True(t, has(), "the policy routes what comes from a platform")
	for _, channel := range []string{"", "cli", "api", "openai", "openai-user", "web"} {
		b.rows.w.Above.Channel = channel
		require.False(t, has(), channel)
	}
	b.force.p.Bindings = []policy.Binding{{Agent: "clerk", Match: policy.BindingMatch{Channel: "web"}}}
	require.True(t, has())
	b.force.p.Bindings, b.rows.w.Admin = nil, true
	require.True(t, has(), "an administrator sets them")
}

func TestSet_RefusesWhatCommandsMayNotBeGiven(t *testing.T) {
	b := setup(t)
	for _, name := range []string{"", "A B", "1A", "PATH", "path", "HOME", "LD_PRELOAD", "XBOT_HOME", "BASH_ENV", "GIT_SSH_COMMAND", "NODE_OPTIONS", "A=B"} {
		require.Equal(t, fault.Invalid, fault.KindOf(b.Set(t.Context(), "clerk", name, value)), name)
	}
	for _, bad := range []string{"", "short", "\nbegins so", "with\x00NUL....", "bytes \xff\xfe...."} {
		err := b.Set(t.Context(), "clerk", "TOKEN", bad)
		require.Equal(t, fault.Invalid, fault.KindOf(err), bad)
	}
	for i := range wire.MaxSecrets {
		require.NoError(t, b.Set(t.Context(), "clerk", fmt.Sprintf("T%d", i), value))
	}
	require.Equal(t, fault.TooLarge, fault.KindOf(b.Set(t.Context(), "clerk", "ONE_MORE", value)))
	require.NoError(t, b.Set(t.Context(), "clerk", "T1", value), "another value of one is none more")
	all, err := b.rows.AgentSecrets.AgentSecrets(t.Context(), "clerk")
	require.NoError(t, err)
	require.Len(t, all, wire.MaxSecrets)
	require.NoError(t, b.rows.AgentSecrets.RemoveAgentSecret(t.Context(), "clerk", "T1"))
	require.Equal(t, fault.NotFound, fault.KindOf(b.rows.AgentSecrets.RemoveAgentSecret(t.Context(), "clerk", "T1")))
}
