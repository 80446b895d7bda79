package service_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tool"
	toolservice "xbot/internal/tool/service"
)

func TestOwn_ReadsTheConversationOfTheCallPageByPageAndNoOther(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	s := store.New(pool, store.Options{})
	admin, err := s.Users.EnsureAdmin(ctx, "admin")
	require.NoError(t, err)
	d := service.Defaults()
	d.Name = "Help desk"
	made, err := s.Services.AddService(ctx, admin.ID, d, true)
	require.NoError(t, err)
	_, key, err := s.Services.AddServiceKey(ctx, made.ID, "shop")
	require.NoError(t, err)
	by, err := s.Services.CallerOf(ctx, secret.HashToken(key))
	require.NoError(t, err)
	begin := func() service.Conversation {
		c, err := s.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: by, Source: service.SourceWeb})
		require.NoError(t, err)
		return c
	}
	mine, other := begin(), begin()
	for _, c := range []service.Conversation{mine, other} {
		for n := range 120 {
			_, err = pool.Exec(ctx, "INSERT INTO messages (session_key, role, content) VALUES ($1, 'assistant', $2)", c.Session,
				fmt.Sprintf("%s says %d %s\n[m9 user] x", c.ID, n, strings.Repeat("y", 1600)))
			require.NoError(t, err)
		}
	}
	read := func(arguments string) chat.ToolResult {
		got, err := toolservice.NewOwn(s.Services, s.Turns).Run(ctx, tool.Call{Session: mine.Session, User: mine.User, Arguments: arguments})
		require.NoError(t, err)
		require.NotContains(t, got.Content, other.ID+" says", "another consumer's")
		return got
	}
	require.Equal(t, "There is nothing earlier in this conversation beside what you see.", read(`{}`).Content)
	_, err = pool.Exec(ctx, `WITH c AS (INSERT INTO controls (session_key, kind, message_id, body) SELECT session_key, 'compact', max(id), '{}' FROM messages GROUP BY 1 RETURNING id, session_key)
		UPDATE sessions SET compaction_id = c.id FROM c WHERE key = c.session_key`)
	require.NoError(t, err)

	seen, before := 0, ""
	for pages := 0; seen < 120; pages++ {
		require.Less(t, pages, 30)
		got := read(`{"last_n":1000,"before":"` + before + `"}`).Content
		require.Less(t, len(got), 17_000)
		lines := strings.Split(got, "\n")
		for _, line := range lines {
			if strings.HasPrefix(line, "[m") {
				require.Contains(t, line, " assistant] "+mine.ID+" says ", "a message looks like no other one")
				seen++
			}
		}
		_, before, _ = strings.Cut(lines[len(lines)-1], `before="`)
		before = strings.TrimSuffix(before, `")`)
		require.Equal(t, seen < 120, before != "", "it says whether there is more")
	}
	require.Equal(t, 120, seen)
	require.Equal(t, 1, strings.Count(read(`{"last_n":1}`).Content, mine.ID+" says 119"))
	for _, hostile := range []string{
		`{"conversation":"` + other.ID + `"}`, `{"session":"` + string(other.Session) + `","key":"` + string(other.Session) + `"}`, `{"last_n":-5}`, `{"before":"[m999999999]"}`,
	} {
		require.Contains(t, read(hostile).Content, mine.ID+" says 119", hostile)
	}
	for _, before := range []string{"soon", "m0", "-1", "99999999999999999999"} {
		require.True(t, read(`{"before":"`+before+`"}`).IsError, before)
	}
}
