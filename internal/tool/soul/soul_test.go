package soul_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tool"
	"xbot/internal/tool/conversation"
	"xbot/internal/tool/soul"
	"xbot/internal/tool/tooltest"
	"xbot/internal/turn/agentprofile"
	conversationrows "xbot/internal/turn/conversation"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
)

// bench is the tools for two people with a conversation each, on the real store.
type bench struct {
	*store.Store

	pool  *pgxpool.Pool
	t     *testing.T
	tools *tool.Registry
	users map[string]chat.UserID
	calls int
}

func setup(t *testing.T) *bench {
	t.Helper()
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	s := store.New(pool, store.Options{})
	who := &agentprofile.Resolver{Subagents: s.Agents, Settings: s.Settings, Policies: &policy.Live{Services: s.Services, Settings: s.Settings}, Log: slog.New(slog.DiscardHandler)}
	past := agentprofile.Past{Memory: s.Memory, Search: s.Search, Profiles: who}
	b := &bench{Store: s, pool: pool, t: t, users: map[string]chat.UserID{}, tools: tool.New(
		soul.NewList(who, s.Memory, s.Turns), soul.NewRead(who, s.Memory), soul.NewWrite(who, s.Memory), soul.NewDelete(who, s.Memory), conversation.NewList(past, s.Turns), conversation.NewRead(past, s.Turns),
	)}
	for _, name := range []string{"alice", "bob"} {
		user, err := s.Users.CreateUser(t.Context(), name, users.RoleMember)
		require.NoError(t, err)
		b.users[name] = user.ID
		_, err = s.Conversations.CreateSession(t.Context(), conversationrows.NewSession{Key: home(name), Owner: user.ID, Channel: "web", Title: "talk of " + name})
		require.NoError(t, err)
		for i := range 50 {
			_, err = pool.Exec(t.Context(), "INSERT INTO messages (session_key, role, content) VALUES ($1, 'user', $2)", home(name), fmt.Sprintf("%s says boiler %d %s", name, i, strings.Repeat("x", 200)))
			require.NoError(t, err)
		}
	}
	return b
}

func home(name string) chat.SessionKey { return chat.SessionKey("agent:main:web:thread:" + name) }

// call runs a tool for somebody, twice: a repeated call says and does the same.
func (b *bench) call(name, tool, arguments string) string {
	b.t.Helper()
	b.calls++
	call := tooltest.New(b.t).Call(chat.CallID(fmt.Sprint("turn.0.", b.calls)), arguments)
	call.User, call.Session = b.users[name], home(name)
	first, err := b.tools.Run(b.t.Context(), tool, call)
	require.NoError(b.t, err)
	again, err := b.tools.Run(b.t.Context(), tool, call)
	require.NoError(b.t, err)
	require.Equal(b.t, first, again)
	require.Equal(b.t, first.IsError, strings.HasPrefix(first.Content, "Error: "))
	return first.Content
}

func TestSoulTools_KeepFilesOnceACallAndOverwriteNothingUnseen(t *testing.T) {
	b := setup(t)
	require.Equal(t, "There are no soul files.", b.call("alice", "soul_list", `{}`))
	require.Equal(t, "Wrote tone.md, version "+chat.SoulVersion("dry")+".", b.call("alice", "soul_write", `{"name":"tone.md","content":"dry"}`))
	require.Contains(t, b.call("alice", "soul_write", `{"name":"tone.md","content":"warm"}`), "its version is "+chat.SoulVersion("dry"))
	require.Equal(t, "[version "+chat.SoulVersion("dry")+"]\ndry", b.call("alice", "soul_read", `{"name":"tone.md"}`))
	b.call("alice", "soul_write", `{"name":"tone.md","content":"warm","version":"`+chat.SoulVersion("dry")+`"}`)
	require.Contains(t, b.call("alice", "soul_read", `{"name":"tone.md"}`), "warm")
	require.Contains(t, b.call("alice", "soul_list", `{}`), "tone.md  4 bytes")
	require.Contains(t, b.call("alice", "soul_write", `{"name":"habits.json","content":"{"}`), "no valid JSON")
	require.Contains(t, b.call("alice", "soul_write", `{"name":"../x.md","content":"x"}`), "is no name of a soul file")
	require.Contains(t, b.call("alice", "soul_write", `{"name":"x.md","content":" "}`), "content is empty")
	require.Contains(t, b.call("alice", "soul_delete", `{"name":"tone.md","version":""}`), "version is missing")
	require.Contains(t, b.call("bob", "soul_read", `{"name":"tone.md"}`), "there is no soul file", "of another one nothing is seen")
	require.Contains(t, b.call("bob", "soul_delete", `{"name":"tone.md","version":"`+chat.SoulVersion("warm")+`"}`), "any more")
	require.Equal(t, "Deleted tone.md.", b.call("alice", "soul_delete", `{"name":"tone.md","version":"`+chat.SoulVersion("warm")+`"}`))
	require.Equal(t, "There are no soul files.", b.call("alice", "soul_list", `{}`))
}

func TestConversationTools_ReadThoseOfThePersonPageByPage(t *testing.T) {
	b := setup(t)
	listed := b.call("alice", "list_conversations", `{}`)
	require.Contains(t, listed, string(home("alice")))
	require.Contains(t, listed, "talk of alice")
	require.NotContains(t, listed, "bob")

	seen := map[string]bool{}
	for before := ""; len(seen) < 50; {
		page := b.call("alice", "read_conversation", `{"conversation":"`+string(home("alice"))+`","before":"`+before+`"}`)
		require.LessOrEqual(t, len(page), 6_200)
		require.NotContains(t, page, "bob")
		lines := strings.Split(page, "\n")
		for _, line := range lines {
			require.False(t, seen[line], "no message is shown twice")
			seen[line] = true
		}
		before, _, _ = strings.Cut(strings.TrimPrefix(lines[0], "["), " ")
	}
	require.Contains(t, b.call("alice", "read_conversation", `{"conversation":"`+string(home("bob"))+`"}`), "nothing is there")
	require.Contains(t, b.call("alice", "read_conversation", `{"conversation":"x","before":"soon"}`), "write the number of a message")
	require.NoError(t, b.Search.IndexWords(t.Context(), slog.New(slog.DiscardHandler)))
	require.NotContains(t, b.call("bob", "list_conversations", `{"query":"boiler"}`), "alice")
}

func TestTools_OfSoulShowTimesInTheZoneOfThePerson(t *testing.T) {
	b := setup(t)
	_, err := b.Memory.SetProfile(t.Context(), b.users["alice"], chat.UserProfile{Timezone: "Asia/Shanghai"})
	require.NoError(t, err)
	b.call("alice", "soul_write", `{"name":"tone.md","content":"dry"}`)
	_, err = b.Conversations.CreateSession(t.Context(), conversationrows.NewSession{Key: home("alice") + "2", Owner: b.users["alice"], Channel: "web", Title: "of June"})
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), "INSERT INTO messages (session_key, role, content) VALUES ($1, 'user', 'we fly to Berlin')", home("alice")+"2")
	require.NoError(t, err)
	require.NoError(t, b.Search.IndexWords(t.Context(), slog.New(slog.DiscardHandler)))
	for _, late := range []string{
		"UPDATE soul_files SET updated_at = '2026-11-20 23:30Z'", "UPDATE messages SET created_at = '2026-11-20 23:30Z'",
		"UPDATE sessions SET last_interaction_at = '2026-11-20 23:30Z'",
	} {
		_, err := b.pool.Exec(t.Context(), late)
		require.NoError(t, err)
	}
	require.Equal(t, "tone.md  3 bytes  2026-11-21", b.call("alice", "soul_list", `{}`))
	require.Contains(t, b.call("alice", "list_conversations", `{}`), "  2026-11-21 07:30  talk of alice")
	require.Contains(t, b.call("alice", "list_conversations", `{"query":"Berlin"}`), "  2026-11-21 07:30 user: ")
	require.Contains(t, b.call("alice", "read_conversation", `{"conversation":"`+string(home("alice"))+`"}`), " 2026-11-21 07:30 user] ")
}

func TestTools_OfSoulCostFewTokens(t *testing.T) {
	b := setup(t)
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	total := 0
	for _, spec := range b.tools.Specs() {
		text, err := json.Marshal(map[string]any{"type": "function", "function": map[string]any{"name": spec.Name, "description": spec.Description, "parameters": spec.Parameters}})
		require.NoError(t, err)
		n, err := codec.Count(string(text))
		require.NoError(t, err)
		t.Logf("%-20s %4d tokens", spec.Name, n)
		total += n
	}
	require.LessOrEqual(t, total, 420)
}
