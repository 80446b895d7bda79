package rotation_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/automation/trigger/triggerstore"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/extension/plugin/pluginstore"
	"xbot/internal/extension/toolkey/toolkeystore"
	"xbot/internal/fault"
	"xbot/internal/host/rotation"
	"xbot/internal/llm/subscription/subscriptionstore"
	"xbot/internal/pg"
	"xbot/internal/sandbox/agentsecrets"
	"xbot/internal/secret"
	"xbot/internal/secret/secretstore"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tracing/tracestore"
)

type bundle struct {
	*store.Store

	t    *testing.T
	pool *pgxpool.Pool
	home string
	ring *secret.Keyring
	user chat.UserID
}

func setup(t *testing.T) *bundle {
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	b := &bundle{Store: store.New(pool, store.Options{}), t: t, pool: pool, home: t.TempDir()}
	b.ring = b.open()
	user, err := b.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	b.user = user.ID
	for _, name := range []string{"one", "two"} {
		require.NoError(t, b.Channels.AddChannelAccount(t.Context(), accountstore.ChannelAccount{Channel: "qq", Account: name, Secrets: b.ring.Seal([]byte(`{"secret":"` + name + `"}`))}, b.user))
	}
	_, err = b.Subscriptions.AddSubscription(t.Context(), subscriptionstore.Subscription{
		Subscription: chat.Subscription{Name: "acme", Provider: "openai", APIType: "chat_completions", Enabled: true}, Secrets: b.ring.Seal([]byte(`{"api_key":"k"}`)),
	}, b.user)
	require.NoError(t, err)
	require.NoError(t, b.ToolKeys.SetToolKey(t.Context(), toolkeystore.Key{ToolKey: chat.ToolKey{Service: "image"}, Secrets: b.ring.Seal([]byte(`{"api_key":"k"}`))}, b.user))
	require.NoError(t, b.Tracing.SetTarget(t.Context(), tracestore.Target{Name: "langfuse", Endpoint: "https://langfuse.example", Secrets: b.ring.Seal([]byte(`{"api_key":"k"}`))}, b.user))
	_, err = b.MCPServers.SetMCPServer(t.Context(), mcpstore.Server{
		MCPServer: chat.MCPServer{MCPConfig: chat.MCPConfig{Name: "git", Transport: chat.MCPHTTP, URL: "https://mcp.example.com"}}, Secrets: b.ring.Seal([]byte(`{"headers":{"A":"b"}}`)),
	}, b.user)
	require.NoError(t, err)
	require.NoError(t, b.MCPServers.SeeMCPProject(t.Context(), mcpstore.SeenProject{
		User: b.user, Sealed: b.ring.Seal([]byte(`{"mcpServers":{}}`)), Project: mcpstore.Project{Runner: "laptop", Folder: "/work", Digest: "d"},
	}))
	require.NoError(t, b.OAuth.SetOAuthProvider(t.Context(), oauthstore.Provider{
		OAuthProvider: chat.OAuthProvider{OAuthProviderConfig: chat.OAuthProviderConfig{ID: "acme", ClientAuth: chat.OAuthInBody}}, Secrets: b.ring.Seal([]byte(`{"client_secret":"s"}`)),
	}, nil, b.user))
	_, err = b.OAuth.ConnectOAuthAccount(t.Context(), oauthstore.Account{User: b.user, OAuthAccount: chat.OAuthAccount{Provider: "acme"}, Tokens: b.ring.Seal([]byte(`{"access_token":"t"}`))}, 1)
	require.NoError(t, err)
	require.NoError(t, b.OAuth.AddOAuthFlow(t.Context(), []byte("state"), oauthstore.Flow{User: b.user, Provider: "acme", Browser: []byte("b"), Verifier: b.ring.Seal([]byte(`{"verifier":"v"}`))}, time.Hour))
	_, err = b.Triggers.AddTrigger(t.Context(), triggerstore.OwnedTrigger{
		Owner: b.user, Secret: b.ring.Seal([]byte("signs")),
		Trigger: chat.Trigger{ID: "t1", TriggerDraft: chat.TriggerDraft{Name: "ci", Source: chat.TriggerGeneric, Session: "hook:t1", PerMinute: 60}},
	})
	require.NoError(t, err)
	sealed := b.ring.Seal([]byte(`{"token":"t"}`))
	require.NoError(t, b.Plugins.InstallPlugin(t.Context(), pluginstore.Plugin{ID: "feeds", Version: "1", Digest: strings.Repeat("0", 64), Manifest: []byte("{}")}, []byte("x"), b.user, kept(sealed)))
	require.NoError(t, b.AgentSecrets.SetAgentSecret(t.Context(), agentsecrets.Secret{Agent: "main", Name: "TOKEN", Sealed: b.ring.Seal([]byte(`{"value":"t"}`))}, anything{}))
	require.NoError(t, b.Secrets.AddPayloadKey(t.Context(), "p", b.ring.Seal([]byte("payload"))))
	return b
}

// anything may be stored.
type anything struct{}

func (anything) Fit([]agentsecrets.Secret) error { return nil }

// kept are the settings of a plugin that is installed.
type kept []byte

func (k kept) Beside([]pluginstore.Plugin) ([]byte, error) { return k, nil }

// open reads the key file as a process does that starts.
func (b *bundle) open() *secret.Keyring {
	ring, err := secret.OpenKeyring(b.home, "")
	require.NoError(b.t, err)
	return ring
}

// readable requires that a ring opens everything.
func (b *bundle) readable(ring *secret.Keyring) {
	b.t.Helper()
	bad, err := rotation.Unreadable(b.t.Context(), ring, b.Secrets)
	require.NoError(b.t, err)
	require.Empty(b.t, bad)
}

func (b *bundle) lines() int {
	text, err := os.ReadFile(filepath.Join(b.home, "secret.key"))
	require.NoError(b.t, err)
	return strings.Count(string(text), "\n")
}

// dying is a store whose process is killed before its n-th write, or after it.
type dying struct {
	*secretstore.Store

	writes int
	after  bool
}

var errKilled = errors.New("killed")

func (d *dying) write(do func() error) error {
	if d.writes--; d.writes == 0 && !d.after {
		return errKilled
	}
	err := do()
	if d.writes == 0 {
		return errKilled
	}
	return err
}

func (d *dying) RetireKeysBut(ctx context.Context, current string, others []string) error {
	return d.write(func() error { return d.Store.RetireKeysBut(ctx, current, others) })
}

func (d *dying) Reseal(ctx context.Context, was secretstore.Sealed, now []byte) (done bool, err error) {
	return done, d.write(func() error { done, err = d.Store.Reseal(ctx, was, now); return err })
}

func TestRotate_AKillBetweenAnyTwoWritesLeavesEverythingReadable(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n := 1; n <= 10; n++ { // retiring, and nine secrets
			b := setup(t)
			before := b.ring.Keys()[0]
			_, err := rotation.Rotate(t.Context(), b.open(), &dying{Store: b.Secrets, writes: n, after: after})
			require.ErrorIs(t, err, errKilled)
			require.Equal(t, 2, b.lines(), "both keys are kept")
			b.readable(b.open())
			b.readable(b.ring) // of the server that runs meanwhile

			count, err := rotation.Rotate(t.Context(), b.open(), b.Secrets)
			require.NoError(t, err)
			require.Equal(t, 14, count)
			require.Equal(t, 1, b.lines())
			b.readable(b.open())
			b.readable(b.ring)
			require.NotEqual(t, before, b.open().Keys()[0])
			all, err := b.Secrets.Secrets(t.Context())
			require.NoError(t, err)
			for _, s := range all {
				_, err := before.Open(s.Data)
				require.Error(t, err, "the old key opens nothing any more")
			}
		}
	}
}

func TestRotate_WhatAServerSealsWithTheOldKeyIsRefusedAndNotLost(t *testing.T) {
	b := setup(t)
	late := b.ring.Seal([]byte(`{"secret":"three"}`))
	_, err := rotation.Rotate(t.Context(), b.open(), b.Secrets)
	require.NoError(t, err)
	err = b.Channels.AddChannelAccount(t.Context(), accountstore.ChannelAccount{Channel: "qq", Account: "three", Secrets: late}, b.user)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.NoError(t, b.Channels.AddChannelAccount(t.Context(), accountstore.ChannelAccount{Channel: "qq", Account: "three", Secrets: b.ring.Seal([]byte("{}"))}, b.user), "the running server has the new key")
	b.readable(b.open())
}

func TestRotate_OfAGivenKeyNeedsBothToBeGiven(t *testing.T) {
	b := setup(t)
	text, err := os.ReadFile(filepath.Join(b.home, "secret.key"))
	require.NoError(t, err)
	old := strings.TrimSpace(string(text))
	given, err := secret.OpenKeyring(t.TempDir(), old)
	require.NoError(t, err)
	_, err = rotation.Rotate(t.Context(), given, b.Secrets)
	require.ErrorContains(t, err, "set it to a new one, a comma and the present one")

	fresh := strings.Repeat("A", 43) + "="
	both, err := secret.OpenKeyring(t.TempDir(), fresh+","+old)
	require.NoError(t, err)
	_, err = rotation.Rotate(t.Context(), both, b.Secrets)
	require.NoError(t, err)
	alone, err := secret.OpenKeyring(t.TempDir(), fresh)
	require.NoError(t, err)
	b.readable(alone)
}

func TestCheck_RefusesAKeyThatOpensNothing(t *testing.T) {
	b := setup(t)
	require.NoError(t, rotation.Check(t.Context(), b.ring, b.Secrets))
	other, err := secret.OpenKeyring(t.TempDir(), "")
	require.NoError(t, err)
	err = rotation.Check(t.Context(), other, b.Secrets)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.ErrorContains(t, err, "opens none of the 14 secrets")
	_, err = rotation.Rotate(t.Context(), other, b.Secrets)
	require.ErrorContains(t, err, "a new key would lose them")

	dropped, err := rotation.Drop(t.Context(), other, b.Secrets)
	require.NoError(t, err)
	require.Len(t, dropped, 14)
	require.NoError(t, rotation.Check(t.Context(), other, b.Secrets))
	b.readable(other)
}

func TestSecrets_AreAllThatTheSchemaSaysIsSealed(t *testing.T) {
	b := setup(t)
	rows, err := b.pool.Query(t.Context(), `SELECT c.table_name::text FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.data_type = 'bytea' AND c.column_name ~ 'secret|seal' ORDER BY 1`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	kinds := map[string]string{
		"channel_accounts": secretstore.SealedChannel, "llm_subscriptions": secretstore.SealedSubscription, "payload_keys": secretstore.SealedPayload,
		"mcp_projects": secretstore.SealedMCPProject, "mcp_servers": secretstore.SealedMCPServer, "oauth_providers": secretstore.SealedOAuthProvider, "oauth_accounts": secretstore.SealedOAuthAccount, "oauth_flows": secretstore.SealedOAuthFlow, "plugins": secretstore.SealedPlugin, "agent_secrets": secretstore.SealedAgentSecret, "tool_keys": secretstore.SealedToolKey, "trace_targets": secretstore.SealedTraceTarget, "triggers": secretstore.SealedTrigger,
	}
	require.Equal(t, slices.Sorted(maps.Keys(kinds)), tables, "a sealed column that is new belongs into SealedList, Reseal and here")
	all, err := b.Secrets.Secrets(t.Context())
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, s := range all {
		listed[s.Kind] = true
	}
	require.ElementsMatch(t, slices.Collect(maps.Values(kinds)), slices.Collect(maps.Keys(listed)), "this test has one of each")
}
