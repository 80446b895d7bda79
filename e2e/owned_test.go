package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// owned makes some of everything that somebody can have, with a word of their own in it, and returns where a conversation that they share is read.
func (s *server) owned(word string) string {
	s.t.Helper()
	ctx := s.t.Context()
	_, err := s.client.SetProfile(ctx, apiclient.ProfileEdit{Content: "I am called " + word})
	require.NoError(s.t, err)
	k := s.newTalk()
	k.untilEnded(time.Minute, k.send("# "+word, "say hello "+word))
	other := s.newTalk()
	other.untilEnded(time.Minute, other.send(`call todo_write {"todos":[{"id":"1","text":"`+word+`"}]}`, "say noted"))
	_, err = s.client.AddJob(ctx, apiclient.NewJob{JobPlan: chat.JobPlan{Name: word, Message: "say " + word, When: "every 20h"}})
	require.NoError(s.t, err)
	_, err = s.client.AddTrigger(ctx, chat.TriggerDraft{Name: word})
	require.NoError(s.t, err)
	s.configured(word)
	k.newRemote("laptop", k.address()).up()
	k.sends(word)
	k.hasProject(word)
	link, err := s.client.CreateShare(ctx, k.key, 7)
	require.NoError(s.t, err)
	shared := "/api" + link.Link
	status, body := s.public(shared)
	require.Equal(s.t, http.StatusOK, status)
	require.Contains(s.t, body, word)
	for _, table := range []string{
		"user_profiles", "messages", "todos", "cron_jobs", "triggers", "llm_subscriptions", "tool_keys", "mcp_servers", "mcp_projects", "agent_role_versions", "prompt_versions", "prompts", "inbox_files", "shares",
	} {
		require.Positive(s.t, one[int](s.t, s.database(), fmt.Sprintf("SELECT count(*)::int FROM %s t WHERE t::text LIKE '%%' || $1 || '%%'", table), word), table)
	}
	require.Positive(s.t, one[int](s.t, s.database(), "SELECT count(*)::int FROM pictures"))
	return shared
}

// configured makes what somebody sets up for the agent.
func (s *server) configured(word string) {
	s.t.Helper()
	ctx := s.t.Context()
	_, err := s.client.CreateSubscription(ctx, apiclient.SubscriptionDraft{Name: "mine", Provider: chat.ProviderOpenAI, Key: "sk-" + word, Models: []chat.SubscribedModel{{ID: word}}})
	require.NoError(s.t, err)
	_, err = s.client.SetToolKey(ctx, "image", apiclient.ToolKeyDraft{Key: "sk-" + word, Model: word})
	require.NoError(s.t, err)
	_, err = s.client.SetMCPServer(ctx, "mine", apiclient.MCPServerDraft{URL: "https://mcp.example.com/" + word, Headers: map[string]string{"Authorization": word}})
	require.NoError(s.t, err)
	_, err = s.client.CreateRole(ctx, apiclient.RoleDefinition{Name: "scout", Description: "Looks for " + word + ".", Prompt: "Find " + word, Enabled: true})
	require.NoError(s.t, err)
	_, err = s.client.SetPrompt(ctx, chat.PromptSystem, apiclient.PromptEdit{Content: "You serve " + word})
	require.NoError(s.t, err)
}

// sends sends a message with a file and a picture, which lie on the person's runner.
func (k *talk) sends(word string) {
	k.t.Helper()
	var paths []string
	for name, content := range map[string][]byte{word + ".txt": []byte("about " + word), word + ".png": photo(k.t, 31, 20)} {
		f, err := k.client.Upload(k.t.Context(), k.key, "", name, bytes.NewReader(content))
		require.NoError(k.t, err)
		paths = append(paths, f.Path)
	}
	sent, err := k.client.SendMessage(k.t.Context(), k.key, apiclient.NewMessage{ClientMessageID: "with files", Text: "say seen", Files: paths})
	require.NoError(k.t, err)
	require.Equal(k.t, chat.TurnDone, k.untilEnded(time.Minute, sent.ID).State)
}

// hasProject makes a folder on the person's runner whose .mcp.json names a server, and works there until it is seen.
func (k *talk) hasProject(word string) {
	k.t.Helper()
	ctx := k.t.Context()
	_, err := k.client.MakeFolder(ctx, k.key, word)
	require.NoError(k.t, err)
	f, err := k.client.Upload(ctx, k.key, word, "mcp.json", strings.NewReader(`{"mcpServers":{"stall":{"url":"https://mcp.example.com/`+word+`"}}}`))
	require.NoError(k.t, err)
	_, err = k.client.MoveFile(ctx, k.key, apiclient.TwoPaths{From: f.Path, To: path.Join(path.Dir(f.Path), ".mcp.json")}) // uploads are never hidden
	require.NoError(k.t, err)
	session, err := k.client.CreateSession(ctx, apiclient.NewSession{Cwd: path.Dir(f.Path)})
	require.NoError(k.t, err)
	there := &talk{server: k.server, key: session.Key}
	there.untilEnded(time.Minute, there.send("say here"))
	require.Eventually(k.t, func() bool {
		all, err := k.client.ListMCPProjects(ctx)
		return err == nil && len(all) == 1 && all[0].State == "asks"
	}, time.Minute, 50*time.Millisecond)
}
