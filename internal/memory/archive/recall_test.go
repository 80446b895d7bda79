package archive_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/memory/archive"
	"xbot/internal/memory/archive/archivetest"
	"xbot/internal/memory/embed/embedtest"
)

// TestSearch_RecallOfACorpus measures how many of 200 questions have the memory that answers them among the first five.
func TestSearch_RecallOfACorpus(t *testing.T) {
	b := setup(t)
	memories, questions := archivetest.Corpus()
	require.GreaterOrEqual(t, len(memories), 1_000)
	require.Len(t, questions, 200)
	e := &embedtest.Embedder{Thesaurus: archivetest.Thesaurus()}
	embeddings, err := e.Embed(t.Context(), memories)
	require.NoError(t, err)
	m := chat.Memorized{Key: "corpus"}
	for i, text := range memories {
		m.Archive = append(m.Archive, chat.ArchivalEntry{Content: text, Embedding: embeddings[i], Model: e.Model()})
	}
	_, err = b.store.Memory.Memorize(t.Context(), b.me, m)
	require.NoError(t, err)
	a := b.replica(e)
	part := map[string]float64{}
	for _, way := range []string{archive.ByWords, archive.ByMeaning, archive.Fused} {
		hits := map[string]int{}
		for _, q := range questions {
			got, err := a.SearchBy(t.Context(), b.me, q.Text, 5, way)
			require.NoError(t, err)
			lang := map[bool]string{true: "zh", false: "en"}[q.Chinese]
			hits[lang+" of"]++
			hits[q.Kind+" of"]++
			if slices.ContainsFunc(got, func(f archive.Found) bool { return f.Content == memories[q.Want] }) {
				hits["all"]++
				hits[lang]++
				hits[q.Kind]++
			}
		}
		part[way] = float64(hits["all"]) / float64(len(questions))
		t.Logf("%-8s %.3f  %v", way, part[way], hits)
	}
	require.Greater(t, part[archive.ByWords], 0.8)
	require.GreaterOrEqual(t, part[archive.Fused], part[archive.ByWords]-0.02, "meaning does not spoil what words find")
}
