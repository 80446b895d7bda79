package decode

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// Waiting returns how many files wait for their turn.
func Waiting() int {
	turns.mu.Lock()
	defer turns.mu.Unlock()
	return len(turns.waiting)
}

func TestQueue_OwnersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{running: map[string]int{}, last: map[string]uint64{}}
		var order string
		next := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{}), "c": make(chan struct{})}
		start := func(owner string) {
			go func() {
				done, err := q.wait(t.Context(), owner)
				if err != nil {
					return
				}
				order += owner
				<-next[owner]
				done()
			}()
			synctest.Wait()
		}
		for _, owner := range []string{"a", "a", "a", "a", "b", "b", "c"} {
			start(owner)
		}
		require.Equal(t, "ab", order, "one owner has one slot, however many are free")
		for _, owner := range []string{"a", "c", "b", "a", "a", "b"} {
			next[owner] <- struct{}{}
			synctest.Wait()
		}
		require.Equal(t, "abcabaa", order)
		close(next["a"])
		close(next["b"])
		synctest.Wait()
		require.Empty(t, q.running)
		require.Empty(t, q.last)
		require.Empty(t, q.waiting)
	})
}

func TestQueue_WhoGivesUpKeepsNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{running: map[string]int{}, last: map[string]uint64{}}
		done, err := q.wait(t.Context(), "a")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = q.wait(ctx, "a")
		require.ErrorIs(t, err, context.Canceled)
		done()
		require.Empty(t, q.running)
		require.Empty(t, q.last)
	})
}
