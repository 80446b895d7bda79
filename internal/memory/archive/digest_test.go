package archive_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/archive"
	"xbot/internal/memory/embed/embedtest"
)

// shortener says the same of every text, or fails.
type shortener struct {
	mu    sync.Mutex
	says  string
	fails error
	read  []string
}

func (s *shortener) Digest(_ context.Context, _ chat.UserID, text string, _ int) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = append(s.read, text)
	return s.says, s.fails
}

// long is a text whose end is not read by an embedder that takes 60 tokens.
var long = strings.Repeat("The weather was fine on that day. ", 20) + "And she drives an automobile."

// compressing shortens what has more than 60 tokens.
func compressing(t *testing.T) (b *bundle, said *bytes.Buffer) {
	b = setup(t)
	b.embedder = &embedtest.Embedder{Thesaurus: map[string]string{"automobile": "car"}, Max: 60}
	said = &bytes.Buffer{}
	b.Archive = archive.New(b.store.Memory, b.embedder, slog.New(slog.NewTextHandler(said, nil)))
	b.Compress = true
	return b, said
}

// catchUp runs rounds until nothing is left to do, ten at most.
func (b *bundle) catchUp(d archive.Digester) {
	b.t.Helper()
	for range 10 {
		n, err := b.Catch(b.t.Context(), d)
		require.NoError(b.t, err)
		if n == 0 {
			return
		}
	}
	b.t.Fatal("it does not end")
}

func (b *bundle) nearest(query string) string {
	b.t.Helper()
	got := found(b.t, b.Archive, b.me, query, archive.ByMeaning)
	if len(got) == 0 {
		return ""
	}
	return got[0]
}

func TestCatch_WhatIsTooLongIsShortenedOnceAndFoundByAllThatItSays(t *testing.T) {
	b, said := compressing(t)
	d := &shortener{says: "Fine weather; she drives an automobile."}
	b.insert(b.me, "She likes green tea")
	b.insert(b.me, long)
	require.Equal(t, []string{long}, found(t, b.Archive, b.me, "automobile", archive.ByWords), "words find it at once, and all of it")
	require.Equal(t, "She likes green tea", b.nearest("who has a car"), "its embedding waits")
	b.catchUp(d)
	require.Equal(t, long, b.nearest("who has a car"), "the entry stays whole")
	require.Equal(t, []string{long}, d.read)
	require.Empty(t, said.String())

	another := &embedtest.Embedder{Name: "another", Thesaurus: b.embedder.Thesaurus, Max: 60}
	b.Archive = b.replica(another)
	b.Compress = true
	b.catchUp(d)
	require.Equal(t, long, b.nearest("who has a car"), "of another model, too")
	require.Len(t, d.read, 1, "a digest is kept")
}

func TestCatch_WhatIsTooLongIsCutWhereNobodyShortensIt(t *testing.T) {
	b, _ := compressing(t)
	b.Compress = false
	b.insert(b.me, "She likes green tea")
	b.insert(b.me, long)
	require.Equal(t, long, b.nearest("fine weather on that day"), "at once")
	require.Equal(t, "She likes green tea", b.nearest("who has a car"))
	n, err := b.Catch(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestCatch_WhatCannotBeShortenedIsCutAndSaid(t *testing.T) {
	b, said := compressing(t)
	d := &shortener{fails: fault.Errorf(fault.Unavailable, "the provider is away")}
	b.insert(b.me, long)
	b.catchUp(d)
	require.Equal(t, long, b.nearest("fine weather on that day"))
	require.Len(t, d.read, 1, "once")
	require.Contains(t, said.String(), "level=WARN")
	require.Contains(t, said.String(), "the provider is away")
	require.NotContains(t, said.String(), "weather", "logs hold nothing of what people wrote")
}

func TestCatch_WhatHasToWaitForAPlaceHoldsUpNoOther(t *testing.T) {
	b, said := compressing(t)
	busy := &shortener{fails: fault.Limited(time.Hour, "as many calls as may")}
	b.insert(b.me, long)
	b.embedder.Break(fault.Errorf(fault.Unavailable, "down"))
	b.insert(b.me, "She likes green tea")
	b.embedder.Break(nil)
	b.catchUp(busy)
	require.Len(t, busy.read, 1, "it is not asked again at once")
	require.NotContains(t, said.String(), "shortened")
	require.Equal(t, []string{"She likes green tea"}, found(t, b.replica(b.embedder), b.me, "tea", archive.ByMeaning))
	require.Equal(t, []string{long}, found(t, b.Archive, b.me, "automobile", archive.ByWords))
}

func TestCatch_TwoProcessesShortenAnEntryOnce(t *testing.T) {
	b, _ := compressing(t)
	d := &shortener{says: "She drives an automobile."}
	for _, who := range []string{"ann", "bob", "eve"} {
		b.insert(b.me, who+": "+long)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { b.catchUp(d) })
	}
	both.Wait()
	b.catchUp(d)
	require.Len(t, d.read, 3)
	require.Len(t, found(t, b.Archive, b.me, "car", archive.ByMeaning), 3)
}

func TestSearch_AQuestionThatIsTooLongIsCut(t *testing.T) {
	b, _ := compressing(t)
	b.insert(b.me, "She likes green tea")
	require.Equal(t, "She likes green tea", b.nearest("green tea "+strings.Repeat("or whatever else there is to drink ", 60)))
}
