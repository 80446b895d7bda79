package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestSetMemory_IsOfOnePerson(t *testing.T) {
	b := setup(t)
	var other chat.UserID
	require.NoError(t, b.pool.QueryRow(t.Context(), "INSERT INTO users (name, role) VALUES ('bob', 'member') RETURNING id").Scan(&other))
	require.NoError(t, b.Memory.SetMemory(t.Context(), b.user.ID, "main", "a.md", "one\x00"))
	require.NoError(t, b.Memory.SetMemory(t.Context(), other, "main", "a.md", "two"))
	mine, err := b.Memory.Memories(t.Context(), b.user.ID, "main")
	require.NoError(t, err)
	require.Len(t, mine, 1)
	require.Equal(t, "one", mine[0].Content)

	require.NoError(t, b.Memory.SetMemory(t.Context(), b.user.ID, "main", "a.md", "one"))
	again, err := b.Memory.Memories(t.Context(), b.user.ID, "main")
	require.NoError(t, err)
	require.Equal(t, mine, again, "a repeated call changes nothing, not even the time")

	require.NoError(t, b.Memory.SetMemory(t.Context(), b.user.ID, "main", "a.md", ""))
	require.NoError(t, b.Memory.SetMemory(t.Context(), b.user.ID, "main", "a.md", ""), "twice is fine")
	mine, err = b.Memory.Memories(t.Context(), b.user.ID, "main")
	require.NoError(t, err)
	require.Empty(t, mine)
	theirs, err := b.Memory.Memories(t.Context(), other, "main")
	require.NoError(t, err)
	require.Len(t, theirs, 1)
}

func TestSetMemory_KeepsAtMost200WhoeverWritesAtOnce(t *testing.T) {
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), "INSERT INTO memories (user_id, path, content) SELECT $1, 'n' || i, 'x' FROM generate_series(1, 195) i", b.user.ID)
	require.NoError(t, err)
	errs := make([]error, 20)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = b.Memory.SetMemory(t.Context(), b.user.ID, "main", fmt.Sprintf("new%d", i), "x") })
	}
	wg.Wait()
	refused := 0
	for _, err := range errs {
		if err != nil {
			require.Equal(t, fault.TooLarge, fault.KindOf(err))
			refused++
		}
	}
	require.Equal(t, 15, refused)
	require.NoError(t, b.Memory.SetMemory(t.Context(), b.user.ID, "main", "n1", "changed"), "what is there can be changed")
}

func TestFreezeSystem_TheFirstStandsWithItsParts(t *testing.T) {
	b := setup(t)
	b.send("1", "hello")
	b.claim("t1")
	step := b.begin("t1", 0)
	scene, err := b.Turns.Scene(t.Context(), key, "t1")
	require.NoError(t, err)
	require.False(t, scene.Frozen)
	require.Equal(t, chat.Scene{
		Session: key, Turn: "t1", Channel: "web", User: b.user.ID, UserName: "admin", Admin: true, Permits: chat.UserPermissions{At: chat.Location{Channel: "web", ChatType: chat.ChatDirect}, Admin: true, Rules: []chat.ToolRule{}}, Held: map[string]chat.Part{},
		UserPrompt: chat.UserPrompt{Own: &chat.OwnPrompts{Sections: map[string]chat.OwnPrompt{}}},
	}, scene)

	part := chat.Part{Key: "20_memory", Source: "s", Body: "tea"}
	got, err := b.Turns.FreezeSystem(t.Context(), step, "first", []chat.Part{part})
	require.NoError(t, err)
	require.Equal(t, "first", got)
	got, err = b.Turns.FreezeSystem(t.Context(), step, "second", nil)
	require.NoError(t, err)
	require.Equal(t, "first", got, "an attempt that comes late gets what stands")

	require.NoError(t, b.Permissions.SetPermission(t.Context(), b.user.ID, chat.ToolRule{Tool: "Shell", Rule: chat.RuleAsk}))
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, "language", "zh"))
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, "active_runner", "laptop"))
	scene, err = b.Turns.Scene(t.Context(), key, "t1")
	require.NoError(t, err)
	require.True(t, scene.Frozen)
	require.Equal(t, "first", scene.System)
	require.Equal(t, map[string]chat.Part{"20_memory": part}, scene.Held)
	require.Equal(t, []chat.ToolRule{{Tool: "Shell", Rule: chat.RuleAsk}}, scene.Permits.Rules)
	require.Equal(t, "zh", scene.Language)
	require.Equal(t, "laptop", scene.Runner)

	scene, err = b.Turns.Scene(t.Context(), key, "")
	require.NoError(t, err)
	require.False(t, scene.Frozen, "the next turn renders anew")
	_, err = b.Turns.Scene(t.Context(), "agent:main:web:thread:none", "")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}
