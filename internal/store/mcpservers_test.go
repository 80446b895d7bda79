package store_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/secret/secretstore"
)

func mcpServer(owner chat.UserID, name string) mcpstore.Server {
	return mcpstore.Server{Secrets: secret.Key{1}.Seal([]byte("{}")), MCPServer: chat.MCPServer{
		User: owner, HeaderNames: []string{"Authorization"},
		MCPConfig: chat.MCPConfig{Name: name, Transport: chat.MCPHTTP, URL: "https://mcp.example.com/mcp", Enabled: true},
	}}
}

func mcpOffers(names ...string) chat.MCPOffers {
	out := chat.MCPOffers{
		Guide: "ask first", LeftOut: []string{"bad: no schema"}, Prompts: []chat.MCPPrompt{{Name: "p", Arguments: []chat.MCPPromptArgument{{Name: "a", Required: true}}}},
		Resources: []chat.MCPResource{{URI: "file:///x", Name: "x"}},
	}
	for _, name := range names {
		out.Tools = append(out.Tools, chat.MCPTool{Name: name, Description: "of " + name, Schema: json.RawMessage(`{"type": "object"}`), Hints: chat.MCPHints{ReadOnly: true}})
	}
	return out
}

// mcp adds a server.
func (b *bundle) mcp(owner chat.UserID, name string) mcpstore.Server {
	b.t.Helper()
	id, err := b.MCPServers.SetMCPServer(b.t.Context(), mcpServer(owner, name), b.user.ID)
	require.NoError(b.t, err)
	s, err := b.MCPServers.MCPServer(b.t.Context(), id)
	require.NoError(b.t, err)
	return s
}

func TestMCPServers_APersonSeesTheirOwnBehindTheInstallations(t *testing.T) {
	b := setup(t)
	ann, ctx := b.member("ann"), t.Context()
	for _, owner := range []chat.UserID{b.user.ID, ann.ID, 0} {
		b.mcp(owner, "git")
	}
	b.mcp(ann.ID, "a")
	list, err := b.MCPServers.MCPServers(ctx, ann.ID)
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.True(t, list[0].Shared)
	require.Equal(t, []string{"a", "git"}, []string{list[1].Name, list[2].Name})
	require.Equal(t, ann.ID, list[2].User)
	require.Equal(t, "admin", list[2].ChangedBy)
	require.Equal(t, []string{"Authorization"}, list[2].HeaderNames)
	require.EqualValues(t, 1, list[2].Revision)

	require.NoError(t, b.MCPServers.RemoveMCPServer(ctx, ann.ID, "git", false))
	require.Equal(t, fault.NotFound, b.kind(b.MCPServers.RemoveMCPServer(ctx, ann.ID, "git", false)), "the installation's and other people's stay")
	_, err = b.MCPServers.MCPServer(ctx, list[2].ID)
	require.Equal(t, fault.NotFound, b.kind(err))
	list, err = b.MCPServers.MCPServers(ctx, b.user.ID)
	require.NoError(t, err)
	require.Len(t, list, 2)
}

func TestMCPServers_AChangeIsOfOneRevisionAndOfItsOwner(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	s := b.mcp(0, "git")
	_, err := b.MCPServers.SetMCPServer(ctx, mcpServer(0, "git"), b.user.ID)
	require.Equal(t, fault.Conflict, b.kind(err), "there is one already")
	s.Instructions = "new"
	_, err = b.MCPServers.SetMCPServer(ctx, s, b.user.ID)
	require.NoError(t, err)
	_, err = b.MCPServers.SetMCPServer(ctx, s, b.user.ID)
	require.Equal(t, fault.Conflict, b.kind(err), "it was made from an older one")
	s.Revision, s.User = 2, b.user.ID
	_, err = b.MCPServers.SetMCPServer(ctx, s, b.user.ID)
	require.Equal(t, fault.Conflict, b.kind(err), "it is of somebody else")
	changes := b.changed(0, "mcp")
	require.Len(t, changes, 2)
	require.Equal(t, "git", changes[0].Name)
	require.JSONEq(t, `{"instructions":"new"}`, string(changes[0].After))
	require.Contains(t, string(changes[1].After), `"secrets": "new"`, "of values only that there are some")
}

func TestMCPServers_AreBoundedForEachOwner(t *testing.T) {
	b := setup(t)
	for i := range mcpstore.MaxServers {
		b.mcp(0, "s"+strings.Repeat("x", i%30)+string(rune('a'+i/30)))
	}
	_, err := b.MCPServers.SetMCPServer(t.Context(), mcpServer(0, "more"), b.user.ID)
	require.Equal(t, fault.Invalid, b.kind(err))
	b.mcp(b.user.ID, "more")
}

func TestMCPOffers_AreKnownUntilTheServerIsAnotherOne(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	s := b.mcp(0, "git")
	require.NoError(t, b.MCPServers.SetMCPProblem(ctx, s.ID, 1, "it is away\x00", false))
	s, err := b.MCPServers.MCPServer(ctx, s.ID)
	require.NoError(t, err)
	require.Equal(t, "it is away", s.Problem)
	require.NotNil(t, s.ProblemAt)

	want := mcpOffers("b", "a")
	require.NoError(t, b.MCPServers.SetMCPOffers(ctx, s.ID, 1, want))
	got, err := b.MCPServers.MCPOffers(ctx, s.ID)
	require.NoError(t, err)
	s, err = b.MCPServers.MCPServer(ctx, s.ID)
	require.NoError(t, err)
	require.Equal(t, s.Digest, got.Digest)
	want.Digest = s.Digest
	require.Equal(t, want, got)
	require.Equal(t, []int{2, 1, 1}, []int{s.Tools, s.Prompts, s.Resources})
	require.Empty(t, s.Problem)
	require.NotNil(t, s.ListedAt)

	require.NoError(t, b.MCPServers.SetMCPOffers(ctx, s.ID, 1, mcpOffers("c")))
	require.NoError(t, b.MCPServers.SetMCPOffers(ctx, s.ID, 2, mcpOffers("of", "another", "revision")))
	got, err = b.MCPServers.MCPOffers(ctx, s.ID)
	require.NoError(t, err)
	require.NotEqual(t, s.Digest, got.Digest)
	require.Len(t, got.Tools, 1)

	s, err = b.MCPServers.MCPServer(ctx, s.ID)
	require.NoError(t, err)
	s.Instructions = "the same server"
	_, err = b.MCPServers.SetMCPServer(ctx, s, b.user.ID)
	require.NoError(t, err)
	got, err = b.MCPServers.MCPOffers(ctx, s.ID)
	require.NoError(t, err)
	require.Len(t, got.Tools, 1)
	s.Revision, s.URL = 2, "https://other.example.com/"
	_, err = b.MCPServers.SetMCPServer(ctx, s, b.user.ID)
	require.NoError(t, err)
	got, err = b.MCPServers.MCPOffers(ctx, s.ID)
	require.NoError(t, err)
	require.Equal(t, chat.MCPOffers{LeftOut: []string{}, Tools: []chat.MCPTool{}, Prompts: []chat.MCPPrompt{}, Resources: []chat.MCPResource{}}, got)
}

func TestMCPServers_OneSealedWithARetiredKeyIsRefused(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Secrets.RetireKeysBut(t.Context(), secret.Key{2}.ID(), []string{secret.Key{1}.ID()}))
	_, err := b.MCPServers.SetMCPServer(t.Context(), mcpServer(0, "git"), b.user.ID)
	require.Equal(t, fault.Conflict, b.kind(err))
}

func TestMCPServers_GoWithThePerson(t *testing.T) {
	b := setup(t)
	ann := b.member("ann")
	hers := b.mcp(ann.ID, "git")
	require.NoError(t, b.MCPServers.SetMCPOffers(t.Context(), hers.ID, 1, mcpOffers("a")))
	b.mcp(0, "git")
	_, err := b.pool.Exec(t.Context(), "DELETE FROM users WHERE id = $1", ann.ID)
	require.NoError(t, err)
	sealed, err := b.Secrets.Secrets(t.Context())
	require.NoError(t, err)
	require.Len(t, sealed, 1, "the installation's stays")
	require.Equal(t, secretstore.SealedMCPServer, sealed[0].Kind)
	var left int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM mcp_tools").Scan(&left))
	require.Zero(t, left)
}
