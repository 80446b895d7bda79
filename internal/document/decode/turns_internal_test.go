package decode

import (
	"context"
	"fmt"
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
		for _, owner := range []string{"a", "a", "b", "c", "a"} {
			next[owner] <- struct{}{}
			synctest.Wait()
		}
		require.Equal(t, "abacbaa", order)
		close(next["a"])
		close(next["b"])
		synctest.Wait()
		require.Empty(t, q.running)
		require.Empty(t, q.last)
		require.Empty(t, q.waiting)
	})
}

func TestAttack_NewOwnersDoNotOvertakeOneThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{running: map[string]int{}, last: map[string]uint64{}}
		first, err := q.wait(t.Context(), "victim")
		require.NoError(t, err)
		other, err := q.wait(t.Context(), "attacker")
		require.NoError(t, err)
		served := make(chan func(), 1)
		go func() {
			done, err := q.wait(t.Context(), "victim")
			if err == nil {
				served <- done
			}
		}()
		synctest.Wait()
		for n := range 20 {
			go func() {
				if done, err := q.wait(t.Context(), fmt.Sprint("attacker ", n)); err == nil {
					done()
				}
			}()
			synctest.Wait()
		}
		first()
		synctest.Wait()
		require.Len(t, served, 1, "the next free slot is theirs")
		(<-served)()
		other()
		synctest.Wait()
		require.Empty(t, q.last)
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
