package vector_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/memory/vector"
)

func at(degrees float64) []float32 {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return []float32{float32(c), float32(s)}
}

func TestIndex_FindsTheNearestFirst(t *testing.T) {
	t.Parallel()
	x, err := vector.New()
	require.NoError(t, err)
	none, err := x.Nearest(t.Context(), at(0), 3)
	require.NoError(t, err)
	require.Empty(t, none)
	require.NoError(t, x.Put(t.Context(), map[chat.ArchivalID][]float32{1: at(10), 2: at(90), 3: at(40)}))
	require.NoError(t, x.Put(t.Context(), map[chat.ArchivalID][]float32{4: {1, 0, 0}, 5: nil}), "other lengths are passed over")
	require.Equal(t, 6, x.Floats())
	got, err := x.Nearest(t.Context(), at(45), 2)
	require.NoError(t, err)
	require.Equal(t, []chat.ArchivalID{3, 1}, []chat.ArchivalID{got[0].ID, got[1].ID})
	require.InDelta(t, math.Cos(5*math.Pi/180), got[0].Score, 1e-5)

	require.NoError(t, x.Delete(3, 99))
	require.NoError(t, x.Put(t.Context(), map[chat.ArchivalID][]float32{2: at(46)}), "a new embedding replaces the old one")
	got, err = x.Nearest(t.Context(), at(45), 9)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, chat.ArchivalID(2), got[0].ID)
	other, err := x.Nearest(t.Context(), []float32{1}, 9)
	require.NoError(t, err)
	require.Empty(t, other)
}

func TestIndex_HoldsWhatWasPutAndNotDeleted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x, err := vector.New()
		require.NoError(t, err)
		have := map[chat.ArchivalID]bool{}
		for range rapid.IntRange(0, 40).Draw(t, "changes") {
			id := chat.ArchivalID(rapid.IntRange(1, 10).Draw(t, "id"))
			if rapid.Bool().Draw(t, "put") {
				require.NoError(t, x.Put(t.Context(), map[chat.ArchivalID][]float32{id: at(float64(id))}))
				have[id] = true
			} else {
				require.NoError(t, x.Delete(id))
				delete(have, id)
			}
		}
		found, err := x.Nearest(t.Context(), at(0), 20)
		require.NoError(t, err)
		require.Len(t, found, len(have))
		require.Len(t, x.IDs(), len(have))
		for _, f := range found {
			require.True(t, have[f.ID])
		}
	})
}
