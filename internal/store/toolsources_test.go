package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

func TestModelWanted_TellsChangesOfWhatBringsTools(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	ann := b.member("ann")
	version := func() int64 {
		w, err := b.Settings.ModelWanted(ctx, key)
		require.NoError(t, err)
		return w.ToolSources
	}
	sealed := secret.Key{1}.Seal([]byte("{}"))
	seen := mcpstore.SeenProject{User: ann.ID, Sealed: sealed, Project: mcpstore.Project{Runner: "laptop", Folder: "/work", Digest: "d"}}
	for name, change := range map[string]func() error{
		"a key of a tool": func() error { return b.ToolKeys.SetToolKey(ctx, toolKey(0, 0), b.user.ID) },
		"an MCP server": func() error {
			_, err := b.MCPServers.SetMCPServer(ctx, mcpServer(0, "git"), b.user.ID)
			return err
		},
		"the servers of a folder": func() error { return b.MCPServers.SeeMCPProject(ctx, seen) },
		"a provider of accounts": func() error {
			return b.OAuth.SetOAuthProvider(ctx, oauthstore.Provider{OAuthProvider: chat.OAuthProvider{OAuthProviderConfig: chat.OAuthProviderConfig{ID: "acme", ClientAuth: chat.OAuthInBody}}, Secrets: sealed}, nil, b.user.ID)
		},
		"the role of a user": func() error { return b.Users.SetRole(ctx, ann.ID, users.RoleAdmin) },
	} {
		before := version()
		require.Equal(t, before, version(), "nothing has changed")
		require.NoError(t, change(), name)
		require.Greater(t, version(), before, name)
	}
	before := version()
	require.NoError(t, b.MCPServers.SeeMCPProject(ctx, seen))
	require.Equal(t, before, version(), "the same is seen again")
}
