package flat_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/memory"
	"xbot/internal/memory/flat"
)

// fakeStore is notes by user.
type fakeStore struct {
	flat.Store

	notes map[chat.UserID][]chat.Note
}

func (b fakeStore) Memories(_ context.Context, user chat.UserID, _ string) ([]chat.Note, error) {
	return b.notes[user], nil
}

func at(hour int) time.Time { return time.Date(2026, 11, 21, hour, 0, 0, 0, time.UTC) }

func TestRecall_TellsAPersonsOwnNotesNewestFirst(t *testing.T) {
	t.Parallel()
	p := flat.Provider{Store: fakeStore{notes: map[chat.UserID][]chat.Note{
		1: {{Path: "a.md", Content: "old", UpdatedAt: at(1)}, {Path: "b.md", Content: "new\n", UpdatedAt: at(2)}},
		2: {{Path: "c.md", Content: "of somebody else", UpdatedAt: at(3)}},
	}}}
	got, err := p.Recall(t.Context(), memory.Query{User: 1})
	require.NoError(t, err)
	require.Equal(t, "<note path=\"b.md\">\nnew\n</note>\n<note path=\"a.md\">\nold\n</note>", got)
	got, err = p.Recall(t.Context(), memory.Query{User: 3})
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestRender_NamesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	got := flat.Render([]chat.Note{
		{Path: "new.md", Content: strings.Repeat("字", 5_000), UpdatedAt: at(3)}, {Path: "big.md", Content: strings.Repeat("x", 5_000), UpdatedAt: at(2)},
		{Path: "small.md", Content: "small", UpdatedAt: at(1)},
	})
	require.Contains(t, got, strings.Repeat("字", 5_000))
	require.NotContains(t, got, "xxx")
	require.Contains(t, got, "small\n", "an older one that fits is told")
	require.True(t, strings.HasSuffix(got, "More notes, which memory_list shows: big.md"), got[len(got)-80:])
}

func TestRender_BeginsWithWhatWasMemorized(t *testing.T) {
	t.Parallel()
	got := flat.Render([]chat.Note{{Path: "a.md", Content: "new", UpdatedAt: at(3)}, {Path: flat.Path, Content: "old", UpdatedAt: at(1)}, {Path: "Z.md", Content: "z", UpdatedAt: at(4)}})
	require.Equal(t, "<note path=\"MEMORY.md\">\nold\n</note>\n<note path=\"Z.md\">\nz\n</note>\n<note path=\"a.md\">\nnew\n</note>", got)
}

func TestRender_KeepsWithinItsLimitAndLosesNoNote(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var notes []chat.Note
		for i := range rapid.IntRange(0, 200).Draw(t, "notes") {
			notes = append(notes, chat.Note{
				Path:    fmt.Sprintf("%s%d", strings.Repeat("p", rapid.IntRange(0, 190).Draw(t, "path")), i),
				Content: strings.Repeat("字", rapid.IntRange(1, 6_000).Draw(t, "size")), UpdatedAt: at(rapid.IntRange(0, 23).Draw(t, "hour")),
			})
		}
		got := flat.Render(notes)
		if n := utf8.RuneCountInString(got); n > flat.Limit {
			t.Fatalf("%d characters", n)
		}
		told, more := 0, 0
		for _, n := range notes {
			if strings.Contains(got, fmt.Sprintf("path=%q", n.Path)) || strings.Contains(got, " "+n.Path+",") || strings.HasSuffix(got, " "+n.Path) ||
				strings.Contains(got, " "+n.Path+" and ") {
				told++
			}
		}
		if i := strings.LastIndex(got, " and "); i >= 0 && strings.HasSuffix(got, " more") {
			_, _ = fmt.Sscanf(got[i:], " and %d more", &more)
		}
		if told+more != len(notes) {
			t.Fatalf("%d told and %d counted of %d", told, more, len(notes))
		}
		if again := flat.Render(notes); again != got {
			t.Fatal("another text for the same notes")
		}
	})
}
