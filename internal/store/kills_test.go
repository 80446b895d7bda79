package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestKills_StayOpenUntilTheRunnerTookThem(t *testing.T) {
	s := setup(t)
	ctx := t.Context()
	require.NoError(t, s.Calls.NoteKill(ctx, "t.0.0", "1/laptop"))
	require.NoError(t, s.Calls.NoteKill(ctx, "t.0.1", "1/laptop"))
	require.NoError(t, s.Calls.NoteKill(ctx, "t.0.2", "2/laptop"))
	open, err := s.Calls.OpenKills(ctx, []string{"1/laptop", "local"})
	require.NoError(t, err)
	require.Equal(t, map[string][]chat.CallID{"1/laptop": {"t.0.0", "t.0.1"}}, open, "those of other runners are not ours")

	require.NoError(t, s.Calls.KillSent(ctx, "t.0.0"))
	require.NoError(t, s.Calls.KillSent(ctx, "never asked for"))
	open, err = s.Calls.OpenKills(ctx, []string{"1/laptop"})
	require.NoError(t, err)
	require.Equal(t, map[string][]chat.CallID{"1/laptop": {"t.0.1"}}, open)

	require.NoError(t, s.Calls.NoteKill(ctx, "t.0.0", "1/laptop"))
	open, err = s.Calls.OpenKills(ctx, []string{"1/laptop"})
	require.NoError(t, err)
	require.Len(t, open["1/laptop"], 2, "asked again, it is open again")
}
