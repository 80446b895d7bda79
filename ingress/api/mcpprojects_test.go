package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/mcpservers"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/secret"
	"xbot/internal/tool/tooltest"
)

// project notes a .mcp.json as it was seen in a folder, and returns its number.
func (b *bundle) project(user chat.UserID, runner, folder, content string) int64 {
	b.t.Helper()
	sum := sha256.Sum256([]byte(content))
	require.NoError(b.t, b.store.MCPServers.SeeMCPProject(b.t.Context(), mcpstore.SeenProject{
		User: user, Sealed: secret.Key{1}.Seal([]byte(content)), Project: mcpstore.Project{Runner: runner, Folder: folder, Digest: hex.EncodeToString(sum[:])},
	}))
	all, err := b.store.MCPServers.MCPProjects(b.t.Context(), user)
	require.NoError(b.t, err)
	for _, p := range all {
		if p.Folder == folder {
			return p.ID
		}
	}
	b.t.Fatal("it was not noted")
	return 0
}

func (p *person) projects() []mcpservers.MCPProject {
	p.t.Helper()
	var got mcpservers.MCPProjects
	p.get("/api/mcp-projects").is(http.StatusOK, &got)
	return got.Projects
}

func TestMCPProjects_WhatIsShownIsAgreedToByWhomThePolicyLets(t *testing.T) {
	b := setup(t)
	box := tooltest.New(t)
	b.boxes.of[b.alice.user.ID], b.boxes.of[b.bob.user.ID] = box, box
	content := `{"mcpServers": {"shop": {"command": "/none/such", "args": ["-x"], "env": {"KEY": "value"}}, "keyed": {"url": "https://a.example", "headers": {"Authorization": "${TOKEN}"}}}}`
	box.Put(t, mcp.ProjectFile, content)
	hers, his := b.project(b.alice.user.ID, box.Name(), box.Workspace(), content), b.project(b.bob.user.ID, box.Name(), box.Workspace(), content)
	seen := b.alice.projects()
	require.Len(t, seen, 1)
	require.EqualValues(t, "asks", seen[0].State)
	require.Equal(t, mcpservers.MCPProjectServer{Name: "shop", Transport: chat.MCPStdio, Command: "/none/such", Args: []string{"-x"}, Env: map[string]string{"KEY": "value"}}, seen[0].Servers[1])
	require.Contains(t, seen[0].Servers[0].Problem, "${TOKEN} is not filled in")
	require.NotContains(t, string(b.alice.get("/api/mcp-projects").body), "Bearer")

	at := func(id int64) string { return fmt.Sprintf("/api/mcp-projects/%d", id) }
	digest := object{"digest": seen[0].Digest}
	require.Contains(t, b.bob.post(at(his)+"/agree", digest).problem(http.StatusForbidden), "only administrators")
	b.bob.post(at(hers)+"/agree", digest).problem(http.StatusNotFound)
	b.alice.post(at(hers)+"/agree", object{"digest": "other"}).problem(http.StatusConflict)

	var now mcpservers.MCPProject
	b.alice.post(at(hers)+"/agree", digest).is(http.StatusOK, &now)
	require.EqualValues(t, "agreed", now.State)
	require.NotEmpty(t, now.Servers[1].Problem, "its command is not there")
	require.Empty(t, b.alice.mcpServers(), "it is none of her own")

	box.Put(t, mcp.ProjectFile, `{"mcpServers": {"shop": {"command": "/none/other"}}}`)
	b.alice.post(at(hers)+"/agree", digest).problem(http.StatusConflict)
	now = b.alice.projects()[0]
	require.EqualValues(t, "changed", now.State)
	require.Equal(t, "/none/other", now.Servers[0].Command, "what stands there now is shown")
	b.alice.delete(at(hers)).is(http.StatusNoContent, nil)
	require.Empty(t, b.alice.projects())
	b.alice.delete(at(hers)).problem(http.StatusNotFound)
}
