package vector_test

import (
	"cmp"
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
	var x vector.Index
	require.Empty(t, x.Nearest(at(0), 3))
	x.Put(map[chat.ArchivalID][]float32{1: at(10), 2: at(90), 3: at(40)})
	x.Put(map[chat.ArchivalID][]float32{4: {1, 0, 0}, 5: nil})
	require.Equal(t, 6, x.Floats(), "other lengths are passed over")
	got := x.Nearest(at(45), 2)
	require.Equal(t, []chat.ArchivalID{3, 1}, []chat.ArchivalID{got[0].ID, got[1].ID})
	require.InDelta(t, math.Cos(5*math.Pi/180), got[0].Score, 1e-5)

	x.Delete(3, 99)
	x.Put(map[chat.ArchivalID][]float32{2: at(46)})
	got = x.Nearest(at(45), 9)
	require.Len(t, got, 2)
	require.Equal(t, chat.ArchivalID(2), got[0].ID, "a new embedding replaces the old one")
	require.Empty(t, x.Nearest([]float32{1}, 9))
	require.Empty(t, x.Nearest(at(45), 0))
}

// TestIndex_FindsWhatASearchOfAllFinds compares with the plainest search there is, in float64, over any changes and over
// more than one block.
func TestIndex_FindsWhatASearchOfAllFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 19).Draw(t, "dim")
		var x vector.Index
		have := map[chat.ArchivalID][]float32{}
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			first := chat.ArchivalID(rapid.IntRange(1, 1500).Draw(t, "first"))
			last := first + chat.ArchivalID(rapid.SampledFrom([]int{0, 1, 300, 1100}).Draw(t, "many"))
			if rapid.IntRange(0, 2).Draw(t, "put") > 0 {
				page, version := map[chat.ArchivalID][]float32{}, rapid.Uint64Range(0, 3).Draw(t, "version")
				for id := first; id <= last; id++ {
					page[id] = drawn(uint64(id)<<2|version, dim)
				}
				x.Put(page)
				maps.Copy(have, page)
				continue
			}
			for id := first; id <= last; id++ {
				x.Delete(id)
				delete(have, id)
			}
		}
		require.ElementsMatch(t, slices.Collect(maps.Keys(have)), x.IDs())
		require.Equal(t, len(have)*dim, x.Floats())
		to, n := drawn(99_999, dim), rapid.SampledFrom([]int{1, 7, 50, 9999}).Draw(t, "n")
		want := searchAll(have, to)
		want = want[:min(n, len(want))]
		got := x.Nearest(to, n)
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
	var x vector.Index
	x.Put(map[chat.ArchivalID][]float32{1: at(45)})
	var busy sync.WaitGroup
	for n := range chat.ArchivalID(4) {
		busy.Go(func() {
			for i := range chat.ArchivalID(2000) {
				id := 2 + n*2000 + i
				x.Put(map[chat.ArchivalID][]float32{id: at(90 + float64(i%90))})
				if i%3 == 0 {
					x.Delete(id)
				}
			}
		})
		busy.Go(func() {
			for range 200 {
				if got := x.Nearest(at(45), 1); len(got) != 1 || got[0].ID != 1 {
					t.Errorf("found %v", got)
				}
			}
		})
	}
	busy.Wait()
}

// TestIndex_TakesLittleBesideItsNumbers holds what docs/memory.md says of memory.
func TestIndex_TakesLittleBesideItsNumbers(t *testing.T) {
	const n, dim = 50_000, 64
	before := heap()
	var x vector.Index
	for id := range chat.ArchivalID(n) {
		x.Put(map[chat.ArchivalID][]float32{id: drawn(uint64(id), dim)})
	}
	each := float64(heap()-before) / n
	require.Less(t, each, 4.0*dim+100, "bytes an entry")
	require.Len(t, x.Nearest(drawn(7, dim), 3), 3)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkNearest(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var x vector.Index
			for id := range chat.ArchivalID(n) {
				x.Put(map[chat.ArchivalID][]float32{id: drawn(uint64(id), 256)})
			}
			to := drawn(1<<40, 256)
			for b.Loop() {
				x.Nearest(to, 50)
			}
		})
	}
}
