package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestUnclaimed_WhatWaitsBehindOthersIsNotHeldUp(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", nil, "t1")
	_, err := b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	b.writes("m2", nil, "t2")
	_, err = b.pool.Exec(t.Context(), "UPDATE inbox SET outcome = NULL, turn_id = NULL, accepted_at = now() - interval '1 hour' WHERE platform_id = 'm2'")
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), "DELETE FROM turns WHERE id = 't2'")
	require.NoError(t, err)
	held, err := b.Unclaimed(t.Context(), 5*time.Minute)
	require.NoError(t, err)
	require.Empty(t, held, "a turn has just ended: the next one is not late")
	_, err = b.pool.Exec(t.Context(), "UPDATE turns SET ended_at = now() - interval '6 minutes'")
	require.NoError(t, err)
	held, err = b.Unclaimed(t.Context(), 5*time.Minute)
	require.NoError(t, err)
	require.Len(t, held, 1)
}
