package memory_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/memory"
	"xbot/internal/tool/tooltest"
)

// fakeStore is the notes of user 1.
type fakeStore struct {
	notes []chat.Note
	err   error
}

func (b *fakeStore) Memories(_ context.Context, user chat.UserID, _ chat.SessionKey) ([]chat.Note, error) {
	if user != 1 {
		return nil, b.err
	}
	return b.notes, b.err
}

func (b *fakeStore) SetMemory(_ context.Context, user chat.UserID, _ chat.SessionKey, path, content string) error {
	if b.err == nil && user == 1 {
		b.notes = append(b.notes, chat.Note{Path: path, Content: content, UpdatedAt: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)})
	}
	return b.err
}

func run(t *testing.T, of tool.Tool, arguments string) (string, bool) {
	t.Helper()
	result, err := of.Run(t.Context(), tooltest.New(t).Call("turn.0.0", arguments))
	require.NoError(t, err)
	return result.Content, result.IsError
}

func TestMemoryWrite_KeepsANoteUnderACanonicalPath(t *testing.T) {
	t.Parallel()
	b := &fakeStore{}
	for given, want := range map[string]string{"a.md": "a.md", "/people/./bob.md": "people/bob.md", "../../etc/passwd": "etc/passwd", "笔记/": "笔记"} {
		b.notes = nil
		said, failed := run(t, memory.NewWrite(b), `{"path":"`+given+`","content":" x \n"}`)
		require.False(t, failed, said)
		require.Equal(t, want, b.notes[0].Path)
		require.Equal(t, "x", b.notes[0].Content)
	}
	said, failed := run(t, memory.NewWrite(b), `{"path":"a.md","content":""}`)
	require.False(t, failed)
	require.Equal(t, "Deleted a.md.", said)
}

func TestMemoryWrite_RefusesWhatCannotBeKept(t *testing.T) {
	t.Parallel()
	b := &fakeStore{}
	for arguments, want := range map[string]string{
		`{"path":"","content":"x"}`:                                    "path is empty",
		`{"path":"/..","content":"x"}`:                                 "path is empty",
		`{"path":"` + strings.Repeat("x", 201) + `","content":"x"}`:    "longer than 200 bytes",
		`{"path":"a\nb","content":"x"}`:                                "control character",
		`{"path":"a","content":"` + strings.Repeat("x", 20_001) + `"}`: "at most 20000 are kept",
		`{"path":"a"}`: "content is missing",
	} {
		said, failed := run(t, memory.NewWrite(b), arguments)
		require.True(t, failed)
		require.Contains(t, said, want)
	}
	require.Empty(t, b.notes)

	b.err = fault.Errorf(fault.TooLarge, "there are 200 notes")
	said, failed := run(t, memory.NewWrite(b), `{"path":"a","content":"x"}`)
	require.True(t, failed, "the model can mend it")
	require.Contains(t, said, "200 notes")

	b.err = fault.Errorf(fault.Unavailable, "the database is away")
	_, err := memory.NewWrite(b).Run(t.Context(), tooltest.New(t).Call("turn.0.0", `{"path":"a","content":"x"}`))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

func TestMemoryList_NamesNotesAndShowsOne(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC) // the next day has begun where the person is
	b := &fakeStore{notes: []chat.Note{{Path: "a.md", Content: "tea", UpdatedAt: day}, {Path: "people/bob.md", Content: "brother", UpdatedAt: day}}}
	for arguments, want := range map[string]string{
		`{}`:                        "a.md  3 bytes  2026-11-21\npeople/bob.md  7 bytes  2026-11-21",
		`{"path":"/people/bob.md"}`: "brother",
		`{"path":"people"}`:         "people/bob.md  7 bytes  2026-11-21",
		`{"path":"people/"}`:        "people/bob.md  7 bytes  2026-11-21",
	} {
		said, failed := run(t, memory.NewList(b, tooltest.Zone("Asia/Shanghai")), arguments)
		require.False(t, failed, said)
		require.Equal(t, want, said)
	}
	said, failed := run(t, memory.NewList(b, tooltest.Zone("Asia/Shanghai")), `{"path":"peo"}`)
	require.True(t, failed)
	require.Contains(t, said, "there is no note peo")
	said, _ = run(t, memory.NewList(&fakeStore{}, tooltest.Zone("UTC")), `{}`)
	require.Equal(t, "There are no notes.", said)
}
