package main

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/internal/chat"
	"xbot/internal/host/localstack"
	"xbot/internal/memory/archive"
	"xbot/internal/memory/archive/archivetest"
	"xbot/internal/memory/embed/embedtest"
	"xbot/internal/store"
	"xbot/internal/user/users"
)

// ways are how memory is searched, each with its name in the table.
var ways = []struct{ way, name string }{{archive.ByWords, "words"}, {archive.ByMeaning, "meaning (test embedder)"}, {archive.Fused, "both"}}

// largeArchive is how many entries the latency of a search is measured with.
const largeArchive = 100_000

// library is archives in the Postgres of the server.
type library struct {
	*archive.Archive

	store *store.Store
	made  *embedtest.Embedder
}

// searchMemory measures how well and how fast memory is searched.
func searchMemory(ctx context.Context, s *stack) ([]figure, error) {
	ends, err := localstack.Read(s.home)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.New(ctx, ends.DatabaseURL)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	l := library{store: store.New(pool, store.Options{}), made: &embedtest.Embedder{Thesaurus: archivetest.Thesaurus()}}
	l.Archive = archive.New(l.store.Memory, l.made, slog.New(slog.DiscardHandler))
	found, err := l.recall(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := pool.Exec(ctx, "ANALYZE archival_memory"); err != nil {
		return nil, err
	}
	speed, err := l.latency(ctx, pool)
	return append(found, speed...), err
}

// fill gives a new user a memory of some texts.
func (l library) fill(ctx context.Context, name string, texts []string) (chat.MemoryOwner, error) {
	user, err := l.store.Users.CreateUser(ctx, name, users.RoleMember)
	w := chat.MemoryOwner{User: user.ID, Agent: "main"}
	for part := range slices.Chunk(texts, 1000) {
		if err != nil {
			break
		}
		m := chat.Memorized{}
		embeddings, _ := l.made.Embed(ctx, part) // it fails only if scripted to
		for i, text := range part {
			m.Archive = append(m.Archive, chat.ArchivalEntry{Content: text, Embedding: embeddings[i], Model: l.made.Model()})
		}
		_, err = l.store.Memory.Memorize(ctx, w, m)
	}
	return w, err
}

// recall measures how many questions have the memory that answers them among the first five.
func (l library) recall(ctx context.Context) ([]figure, error) {
	memories, questions := archivetest.Corpus()
	w, err := l.fill(ctx, "bench-recall", memories)
	if err != nil {
		return nil, err
	}
	var out []figure
	for _, by := range ways {
		hits := 0
		for _, q := range questions {
			got, err := l.SearchBy(ctx, w, q.Text, 5, by.way)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(got, func(f archive.Found) bool { return f.Content == memories[q.Want] }) {
				hits++
			}
		}
		what := fmt.Sprintf("memory: recall@5 of %d questions to %d memories, by %s", len(questions), len(memories), by.name)
		out = append(out, figure{what, percent(hits, len(questions)), "%", ""})
	}
	return out, nil
}

// largeTexts returns the corpus again and again, with a note in each entry.
func largeTexts(memories []string) []string {
	texts := make([]string, largeArchive)
	for i := range texts {
		texts[i] = fmt.Sprintf("%s Note %d of volume %d, page %x.", memories[i%len(memories)], i, i%97, i*7919)
	}
	return texts
}

// latency measures searches of a large archive.
func (l library) latency(ctx context.Context, pool *pgxpool.Pool) ([]figure, error) {
	memories, questions := archivetest.Corpus()
	w, err := l.fill(ctx, "bench-large", largeTexts(memories))
	if err != nil {
		return nil, err
	}
	if _, err := pool.Exec(ctx, "VACUUM ANALYZE archival_memory"); err != nil {
		return nil, err
	}
	before, began := heap(), time.Now()
	if _, err := l.SearchBy(ctx, w, "warm", 5, archive.ByMeaning); err != nil {
		return nil, err
	}
	out := []figure{
		{fmt.Sprintf("memory: reading the index of %d entries, once a process", largeArchive), float64(time.Since(began).Milliseconds()), "ms", ""},
		{fmt.Sprintf("memory: that index (%d numbers an entry)", embedtest.Dim), float64(heap()-before) / (1 << 20), "MB", ""},
	}
	for _, by := range ways {
		var took []time.Duration
		for _, q := range questions[:100] {
			began := time.Now()
			if _, err := l.SearchBy(ctx, w, q.Text, 5, by.way); err != nil {
				return nil, err
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		name, _, _ := strings.Cut(by.name, " ")
		for _, p := range []int{50, 95} {
			what := fmt.Sprintf("memory: search of %d entries by %s, p%d", largeArchive, name, p)
			out = append(out, figure{what, float64(took[len(took)*p/100].Microseconds()) / 1000, "ms", ""})
		}
	}
	return out, nil
}

// heap returns what the process holds, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
