package auth

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

// order is who gets the turns of a gate with room for one, when those named wait while somebody is inside.
func order(t *testing.T, g *gate, in ...lane) (out []lane) {
	t.Helper()
	turns := make([]waiter, len(in))
	var err error
	for i, l := range in {
		turns[i], err = g.enter(l)
		require.NoError(t, err)
	}
	for range in {
		g.leave()
		for i, w := range turns {
			select {
			case <-w.turn:
				out = append(out, in[i])
				turns[i].turn = make(chan struct{})
			default:
			}
		}
	}
	return out
}

func occupied(t *testing.T) *gate {
	t.Helper()
	g := &gate{room: 1}
	w, err := g.enter(lane{name: "inside"})
	require.NoError(t, err)
	<-w.turn
	return g
}

func TestGate_AKnownBrowserPassesTwoHundredGuessers(t *testing.T) {
	var waiting []lane
	for i := range 200 {
		waiting = append(waiting, lane{name: fmt.Sprint("guesser ", i)})
	}
	known := lane{known: true, name: "browser"}
	waiting = append(waiting[:100:100], append([]lane{known}, waiting[100:]...)...)
	require.Equal(t, known, order(t, occupied(t), waiting...)[0])
}

func TestGate_AnAddressThatTriesOncePassesThoseThatTryAgain(t *testing.T) {
	g := occupied(t)
	var guessers []lane
	for i := range 200 {
		guessers = append(guessers, lane{name: fmt.Sprint("guesser ", i)})
	}
	first := order(t, g, guessers...)
	require.Len(t, first, 200)
	w, err := g.enter(lane{name: "inside again"}) // the last of them left
	require.NoError(t, err)
	select {
	case <-w.turn:
		t.Fatal("somebody is inside")
	default:
	}
	person := lane{name: "person"}
	got := order(t, g, slices.Insert(slices.Clone(guessers), 100, person)...)
	require.Contains(t, got[:2], person, "before all two hundred, those that came earlier and those that came later")
}

func TestGate_OneAddressFillsOnlyItsOwnLane(t *testing.T) {
	g := occupied(t)
	flood := lane{name: "flood"}
	for range laneLength {
		_, err := g.enter(flood)
		require.NoError(t, err)
	}
	_, err := g.enter(flood)
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	_, err = g.enter(lane{name: "person"})
	require.NoError(t, err)
}

func TestGate_WhoGivesUpTakesNoTurn(t *testing.T) {
	g := occupied(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- g.hashed(ctx, lane{name: "gone"}, func() error { return nil })
	}()
	require.Eventually(t, func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.waiting == 1 }, 10*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	g.leave()
	require.NoError(t, g.hashed(t.Context(), lane{name: "next"}, func() error { return nil }))
	require.Zero(t, g.busy)
	require.Zero(t, g.waiting)
	require.Empty(t, g.lanes)
}
