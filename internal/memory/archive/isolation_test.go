package archive_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/memory/archive"
)

// TestSearch_NobodyFindsWhatIsAnothers makes archives of several people, groups and agents that say nearly the same, in any
// order, with deletions and two processes, and searches all of them in every way. Each entry names whose it is.
func TestSearch_NobodyFindsWhatIsAnothers(t *testing.T) {
	b := setup(t)
	words := []string{"tea", "绿茶", "Berlin", "born", "喜欢", "allergies", "car"}
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		var all []chat.MemoryOwner
		for i := range 3 {
			w := b.person(fmt.Sprintf("p%d-%d", round, i))
			all = append(all, w, chat.MemoryOwner{User: w.User, Agent: "ops"})
		}
		processes := []*archive.Archive{b.Archive, b.replica(b.embedder)}
		holds := map[chat.MemoryOwner]map[chat.ArchivalID]string{}
		for range rapid.IntRange(1, 25).Draw(rt, "changes") {
			w := rapid.SampledFrom(all).Draw(rt, "whose")
			a := rapid.SampledFrom(processes).Draw(rt, "process")
			if len(holds[w]) > 0 && rapid.IntRange(0, 4).Draw(rt, "delete") == 0 {
				id := rapid.SampledFrom(sorted(holds[w])).Draw(rt, "entry")
				require.NoError(rt, b.store.Memory.Forget(t.Context(), w, id))
				delete(holds[w], id)
				continue
			}
			b.calls++
			text := mark(w) + " " + strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 4).Draw(rt, "text"), " ")
			got, err := a.Insert(t.Context(), w, fmt.Sprint(b.calls), text, 0)
			require.NoError(rt, err)
			for _, f := range got.Similar {
				require.Equal(rt, f.Content, holds[w][f.ID])
			}
			if got.Duplicate != nil {
				require.Contains(rt, holds[w], got.Duplicate.ID)
				continue
			}
			if holds[w] == nil {
				holds[w] = map[chat.ArchivalID]string{}
			}
			holds[w][got.ID] = text
		}
		query := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(words, mark(all[0]), mark(all[3]))), 1, 4).Draw(rt, "query"), " ")
		for _, w := range all {
			for _, way := range []string{archive.ByWords, archive.ByMeaning, archive.Fused} {
				got, err := rapid.SampledFrom(processes).Draw(rt, "asked").SearchBy(t.Context(), w, query, 50, way)
				require.NoError(rt, err)
				for _, f := range got {
					require.Equal(rt, f.Content, holds[w][f.ID], "%v found by %s what is not theirs", w, way)
				}
			}
		}
	})
}

func mark(w chat.MemoryOwner) string { return fmt.Sprintf("u%dof%s", w.User, w.Agent) }

func sorted(m map[chat.ArchivalID]string) []chat.ArchivalID { return slices.Sorted(maps.Keys(m)) }
