package vector_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/memory/vector"
)

// open returns an empty index.
func open(t require.TestingT) *vector.Index {
	x, err := vector.New(nil).Create("test")
	require.NoError(t, err)
	return x
}

func put(t require.TestingT, x *vector.Index, embeddings map[chat.ArchivalID][]float32) {
	require.NoError(t, x.Put(context.Background(), embeddings))
}

func nearest(t require.TestingT, x *vector.Index, to []float32, n int) []vector.Hit {
	found, err := x.Nearest(context.Background(), to, n)
	require.NoError(t, err)
	return found
}

func at(degrees float64) []float32 {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return []float32{float32(c), float32(s)}
}

// drawn is an embedding of length 1 that follows from a number.
func drawn(seed uint64, dim int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	e := make([]float32, dim)
	sum := 0.0
	for i := range e {
		e[i] = float32(r.NormFloat64())
		sum += float64(e[i]) * float64(e[i])
	}
	for i := range e {
		e[i] = float32(float64(e[i]) / math.Sqrt(sum))
	}
	return e
}

func TestIndex_FindsTheNearestFirst(t *testing.T) {
	t.Parallel()
	x := open(t)
	require.Empty(t, nearest(t, x, at(0), 3))
	put(t, x, map[chat.ArchivalID][]float32{1: at(10), 2: at(90), 3: at(40)})
	put(t, x, map[chat.ArchivalID][]float32{4: {1, 0, 0}, 5: nil})
	require.Equal(t, 6, x.Floats(), "other lengths are passed over")
	got := nearest(t, x, at(45), 2)
	require.Equal(t, []chat.ArchivalID{3, 1}, []chat.ArchivalID{got[0].ID, got[1].ID})
	require.InDelta(t, math.Cos(5*math.Pi/180), got[0].Score, 1e-5)

	require.NoError(t, x.Delete(t.Context(), 3, 99))
	put(t, x, map[chat.ArchivalID][]float32{2: at(46)})
	got = nearest(t, x, at(45), 9)
	require.Len(t, got, 2)
	require.Equal(t, chat.ArchivalID(2), got[0].ID, "a new embedding replaces the old one")
	require.Empty(t, nearest(t, x, []float32{1}, 9))
	require.Empty(t, nearest(t, x, at(45), 0))
}

// TestIndex_FindsWhatASearchOfAllFinds compares with the plainest search there is, in float64, over any changes.
func TestIndex_FindsWhatASearchOfAllFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 19).Draw(t, "dim")
		x := open(t)
		have := map[chat.ArchivalID][]float32{}
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			first := chat.ArchivalID(rapid.IntRange(1, 1500).Draw(t, "first"))
			last := first + chat.ArchivalID(rapid.SampledFrom([]int{0, 1, 300, 1100}).Draw(t, "many"))
			if rapid.IntRange(0, 2).Draw(t, "put") > 0 {
				page, version := map[chat.ArchivalID][]float32{}, rapid.Uint64Range(0, 3).Draw(t, "version")
				for id := first; id <= last; id++ {
					page[id] = drawn(uint64(id)<<2|version, dim)
				}
				put(t, x, page)
				maps.Copy(have, page)
				continue
			}
			for id := first; id <= last; id++ {
				require.NoError(t, x.Delete(context.Background(), id))
				delete(have, id)
			}
		}
		require.ElementsMatch(t, slices.Collect(maps.Keys(have)), x.IDs())
		require.Equal(t, len(have)*dim, x.Floats())
		to, n := drawn(99_999, dim), rapid.SampledFrom([]int{1, 7, 50, 9999}).Draw(t, "n")
		want := searchAll(have, to)
		want = want[:min(n, len(want))]
		got := nearest(t, x, to, n)
		require.Len(t, got, len(want))
		for i, h := range got {
			if math.Abs(want[i].Score-h.Score) > 1e-5 || math.Abs(cosine(have[h.ID], to)-h.Score) > 1e-5 {
				t.Fatalf("place %d of %d is %v; it should be %v", i, len(want), h, want[i])
			}
		}
	})
}

func searchAll(have map[chat.ArchivalID][]float32, to []float32) (out []vector.Hit) {
	for id, e := range have {
		out = append(out, vector.Hit{ID: id, Score: cosine(e, to)})
	}
	slices.SortFunc(out, func(a, b vector.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestIndex_IsSearchedWhileItIsWritten(t *testing.T) {
	t.Parallel()
	x := open(t)
	put(t, x, map[chat.ArchivalID][]float32{1: at(45)})
	var busy sync.WaitGroup
	for n := range chat.ArchivalID(4) {
		busy.Go(func() {
			for i := range chat.ArchivalID(2000) {
				id := 2 + n*2000 + i
				if err := x.Put(t.Context(), map[chat.ArchivalID][]float32{id: at(90 + float64(i%90))}); err != nil {
					t.Error(err)
				}
				if i%3 == 0 {
					require.NoError(t, x.Delete(context.Background(), id))
				}
			}
		})
		busy.Go(func() {
			for range 200 {
				if got, err := x.Nearest(t.Context(), at(45), 1); err != nil || len(got) != 1 || got[0].ID != 1 {
					t.Errorf("found %v, error %v", got, err)
				}
			}
		})
	}
	busy.Wait()
}

func TestIndex_PassesOverWhatHasNoDirection(t *testing.T) {
	t.Parallel()
	x := open(t)
	nan := float32(math.NaN())
	put(t, x, map[chat.ArchivalID][]float32{1: {0, 0}, 2: {nan, 1}, 3: at(30)})
	require.Equal(t, []chat.ArchivalID{3}, x.IDs())
	require.Len(t, nearest(t, x, at(30), 9), 1)
	require.Empty(t, nearest(t, x, []float32{0, 0}, 9))
	require.Empty(t, nearest(t, x, []float32{nan, 0}, 9))
}

func TestIndex_ASearchThatIsBrokenOffReturnsNoPart(t *testing.T) {
	t.Parallel()
	x := open(t)
	put(t, x, map[chat.ArchivalID][]float32{1: at(10), 2: at(90), 3: at(40)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found, err := x.Nearest(ctx, at(45), 2)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, found)
}

func TestDB_AnIndexThatIsDroppedLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	db := vector.New(nil)
	mine, err := db.Create("mine")
	require.NoError(t, err)
	other, err := db.Create("other")
	require.NoError(t, err)
	put(t, mine, map[chat.ArchivalID][]float32{1: at(10)})
	put(t, other, map[chat.ArchivalID][]float32{2: at(10)})
	require.NoError(t, db.Drop("mine"))
	require.NoError(t, db.Drop("mine"), "it is gone")
	again, err := db.Create("mine")
	require.NoError(t, err)
	require.Empty(t, nearest(t, again, at(10), 9))
	require.Equal(t, []vector.Hit{{ID: 2, Score: nearest(t, other, at(10), 9)[0].Score}}, nearest(t, other, at(10), 9))
}

// TestIndex_TakesLittleBesideItsNumbers holds what docs/operate/memory.md says of memory.
func TestIndex_TakesLittleBesideItsNumbers(t *testing.T) {
	const n, dim = 50_000, 64
	before := heap()
	x := open(t)
	for id := range chat.ArchivalID(n) {
		put(t, x, map[chat.ArchivalID][]float32{id: drawn(uint64(id), dim)})
	}
	each := float64(heap()-before) / n
	require.Less(t, each, 4.0*dim+150, "bytes an entry")
	require.Len(t, nearest(t, x, drawn(7, dim), 3), 3)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkNearest(b *testing.B) {
	const dim = 1536 // of the embeddings that people use most
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := open(b)
			for id := range chat.ArchivalID(n) {
				put(b, x, map[chat.ArchivalID][]float32{id: drawn(uint64(id), dim)})
			}
			to := drawn(1<<40, dim)
			for b.Loop() {
				nearest(b, x, to, 50)
			}
		})
	}
}
