package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/store"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
)

type zoned struct{ name string }

func (z zoned) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Cron: policy.Cron{Timezone: z.name}}, nil
}

func TestClaim_SaysTheTimeAsThePersonReadsIt(t *testing.T) {
	b := setup(t)
	stamp := func(id string) string {
		t.Helper()
		_, err := b.Turns.Accept(t.Context(), engine.NewRow{Session: key, User: b.user.ID, Channel: "web", PlatformID: id, Text: "x"})
		require.NoError(t, err)
		turn := chat.TurnID("t-" + id)
		_, claimed := b.claim(turn)
		require.True(t, claimed)
		_, err = b.Turns.FinishTurn(t.Context(), key, turn, chat.TurnDone, "")
		require.NoError(t, err)
		var preface string
		require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT preface FROM messages WHERE turn_id = $1 AND role = 'user'", turn).Scan(&preface))
		return preface
	}
	require.Contains(t, stamp("m1"), " UTC]")
	b.Store = store.New(b.pool, store.Options{ServerZone: "Europe/Berlin"})
	require.Contains(t, stamp("m2"), " Europe/Berlin]")
	b.Store = store.New(b.pool, store.Options{ServerZone: "Europe/Berlin", Policies: zoned{"America/New_York"}})
	require.Contains(t, stamp("m3"), " America/New_York]")
	_, err := b.Memory.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Timezone: "Asia/Shanghai"})
	require.NoError(t, err)
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	before := time.Now().In(shanghai)
	got := stamp("m4")
	require.Contains(t, got, " Asia/Shanghai]")
	require.Contains(t, []string{before.Format("[2006-01-02 Mon 15:04"), time.Now().In(shanghai).Format("[2006-01-02 Mon 15:04")}, got[:len("[2006-01-02 Mon 15:04")])
}
