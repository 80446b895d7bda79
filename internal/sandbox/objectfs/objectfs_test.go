package objectfs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/objectfs"
	"xbot/internal/storage"
	"xbot/internal/storage/disk"
	"xbot/internal/storage/s3"
	"xbot/internal/storage/storagestore"
	"xbot/internal/storage/storagetest"
)

// edits records edits in memory, as storagestore does in Postgres.
type edits struct {
	mu   sync.Mutex
	rows map[chat.CallID]storagestore.Edit
}

func (e *edits) Edit(_ context.Context, user chat.UserID, call chat.CallID) (storagestore.Edit, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	row, ok := e.rows[call]
	return row, ok && row.User == user, nil
}

func (e *edits) BeginEdit(_ context.Context, row storagestore.Edit) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.rows[row.Call].Done {
		e.rows[row.Call] = row
	}
	return nil
}

func (e *edits) EndEdit(_ context.Context, user chat.UserID, call chat.CallID) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if row, ok := e.rows[call]; ok && row.User == user {
		row.Done = true
		e.rows[call] = row
	}
	return nil
}

// each runs a test over both back ends.
func each(t *testing.T, test func(t *testing.T, store storage.Store, box *objectfs.FileSystem)) {
	for name, open := range map[string]func() storage.Store{
		"disk": func() storage.Store {
			s, err := disk.Open(t.TempDir())
			require.NoError(t, err)
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
		"s3": func() storage.Store {
			s, err := s3.New(storagetest.NewServer(t).Config())
			require.NoError(t, err)
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := open()
			test(t, store, objectfs.New(store, objectfs.Root(1, "svc_0a1b2c3d", "0123456789"), 7, &edits{rows: map[chat.CallID]storagestore.Edit{}}))
		})
	}
}

func kind(t *testing.T, want fault.Kind, err error) {
	t.Helper()
	require.Equal(t, want, fault.KindOf(err), "%v", err)
}

func write(t *testing.T, box sandbox.Sandbox, name, text string) {
	t.Helper()
	require.NoError(t, box.WriteFile(t.Context(), name, []byte(text), sandbox.WriteReplace))
}

func text(t *testing.T, box sandbox.Sandbox, name string) string {
	t.Helper()
	got, err := box.ReadFile(t.Context(), name, 0, 0)
	require.NoError(t, err)
	return string(got.Data)
}

func paths(infos []sandbox.FileInfo) (out []string) {
	for _, i := range infos {
		out = append(out, i.Path)
	}
	return out
}

func TestObjectFS_FilesAndFolders(t *testing.T) {
	each(t, func(t *testing.T, store storage.Store, box *objectfs.FileSystem) {
		ctx := t.Context()
		write(t, box, "/gen/a/b/c.txt", "deep")
		write(t, box, "gen/a.txt", "flat")
		o, err := store.Stat(ctx, "1/svc/svc_0a1b2c3d/0123456789/gen/a/b/c.txt")
		require.NoError(t, err, "the key is the one that the specification has")
		require.EqualValues(t, 4, o.Size)
		for folder, want := range map[string][]string{"/": {"/gen"}, ".": {"/gen"}, "/gen": {"/gen/a", "/gen/a.txt"}, "/gen/a/": {"/gen/a/b"}} {
			got, err := box.ReadDir(ctx, folder)
			require.NoError(t, err)
			require.Equal(t, want, paths(got))
		}
		info, err := box.Stat(ctx, "/gen/a/../a")
		require.NoError(t, err)
		require.True(t, info.Dir)
		kind(t, fault.Conflict, box.WriteFile(ctx, "/gen/a.txt", nil, sandbox.WriteCreate))
		kind(t, fault.Invalid, box.WriteFile(ctx, "/gen/a", nil, sandbox.WriteReplace))
		kind(t, fault.Invalid, box.WriteFile(ctx, "/gen/a.txt/b", nil, sandbox.WriteReplace))
		kind(t, fault.Invalid, box.WriteFile(ctx, "/gen/x", nil, "append"))
		kind(t, fault.Conflict, box.MkdirAll(ctx, "/gen/a.txt/x"))
		require.NoError(t, box.MkdirAll(ctx, "/gen/new"))
		_, err = box.ReadFile(ctx, "/gen/none", 0, 0)
		kind(t, fault.NotFound, err)
		_, err = box.ReadFile(ctx, "/gen/a", 0, 0)
		kind(t, fault.Invalid, err)
		_, err = box.ReadDir(ctx, "/gen/a.txt")
		kind(t, fault.Invalid, err)
		_, err = box.ReadDir(ctx, "/none")
		kind(t, fault.NotFound, err)
		part, err := box.ReadFile(ctx, "/gen/a/b/c.txt", 1, 2)
		require.NoError(t, err)
		require.Equal(t, "ee", string(part.Data))
		require.True(t, part.ModTime.Equal(o.Modified))
		size, err := box.Size(ctx, "/gen", 10)
		require.NoError(t, err)
		require.EqualValues(t, 8, size)
		_, err = box.Size(ctx, "/gen", 1)
		kind(t, fault.TooLarge, err)
	})
}

func TestObjectFS_MovesAndRemoves(t *testing.T) {
	each(t, func(t *testing.T, _ storage.Store, box *objectfs.FileSystem) {
		ctx := t.Context()
		write(t, box, "/gen/a/1", "one")
		write(t, box, "/gen/a/2", "two")
		write(t, box, "/gen/b", "b")
		kind(t, fault.Conflict, box.Move(ctx, "/gen/a/1", "/gen/b"))
		kind(t, fault.Conflict, box.Move(ctx, "/gen/b", "/gen/a"))
		kind(t, fault.Invalid, box.Move(ctx, "/gen/a", "/gen/a/inside"))
		kind(t, fault.NotFound, box.Move(ctx, "/gen/none", "/gen/c"))
		require.NoError(t, box.Move(ctx, "/gen/a/1", "/gen/c/1"))
		require.Equal(t, "one", text(t, box, "/gen/c/1"))
		require.NoError(t, box.Move(ctx, "/gen/c", "/gen/d"))
		require.Equal(t, "one", text(t, box, "/gen/d/1"))
		_, err := box.Stat(ctx, "/gen/c")
		kind(t, fault.NotFound, err)
		kind(t, fault.Invalid, box.Remove(ctx, "/gen/d"))
		require.NoError(t, box.Remove(ctx, "/gen/d/1"))
		_, err = box.Stat(ctx, "/gen/d")
		kind(t, fault.NotFound, err)
		kind(t, fault.NotFound, box.Remove(ctx, "/gen/d/1"))
		require.NoError(t, box.RemoveAll(ctx, "/gen/a"))
		kind(t, fault.NotFound, box.RemoveAll(ctx, "/gen/a"))
		require.Equal(t, "b", text(t, box, "/gen/b"))
		kind(t, fault.Invalid, box.RemoveAll(ctx, "/"))
	})
}

func TestObjectFS_Searches(t *testing.T) {
	each(t, func(t *testing.T, _ storage.Store, box *objectfs.FileSystem) {
		ctx := t.Context()
		write(t, box, "/gen/a.md", "first\nneedle\nlast")
		write(t, box, "/gen/x/b.md", "needle needle")
		write(t, box, "/gen/x/c.txt", "needle")
		write(t, box, "/gen/x/binary", "needle\x00\xff")
		write(t, box, "/gen/x/large", "needle"+strings.Repeat("\n", 1<<20))
		found, err := box.Glob(ctx, sandbox.GlobQuery{Pattern: "**/*.md", Root: "/gen"})
		require.NoError(t, err)
		require.ElementsMatch(t, []string{"/gen/a.md", "/gen/x/b.md"}, found.Paths)
		found, err = box.Glob(ctx, sandbox.GlobQuery{Pattern: "**", Root: "/gen", Limit: 2})
		require.NoError(t, err)
		require.Len(t, found.Paths, 2)
		require.True(t, found.Truncated)
		lines, err := box.Grep(ctx, sandbox.GrepQuery{Pattern: "NEEDLE", Root: "/gen", Include: "*.md", IgnoreCase: true, Context: 1})
		require.NoError(t, err)
		require.Equal(t, []sandbox.GrepMatch{
			{Path: "/gen/a.md", Line: 1, Text: "first"}, {Path: "/gen/a.md", Line: 2, Text: "needle", Match: true}, {Path: "/gen/a.md", Line: 3, Text: "last"},
			{Path: "/gen/x/b.md", Line: 1, Text: "needle needle", Match: true},
		}, lines.Matches)
		lines, err = box.Grep(ctx, sandbox.GrepQuery{Pattern: "needle", Root: "/gen/x"})
		require.NoError(t, err)
		require.Len(t, lines.Matches, 2)
		require.Equal(t, 2, lines.Skipped)
		lines, err = box.Grep(ctx, sandbox.GrepQuery{Pattern: "needle", Root: "/gen/x/c.txt"})
		require.NoError(t, err)
		require.Len(t, lines.Matches, 1)
		_, err = box.Grep(ctx, sandbox.GrepQuery{Pattern: "("})
		kind(t, fault.Invalid, err)
		_, err = box.Grep(ctx, sandbox.GrepQuery{Pattern: "x", Root: "/gen", Time: 1})
		require.ErrorIs(t, err, sandbox.ErrSlow)
	})
}

// lossyStore is a store whose next write is carried out, but not confirmed, and which does not answer then.
type lossyStore struct {
	storage.Store
	lose, away bool
}

var errConnection = fault.Errorf(fault.Unavailable, "the connection broke")

func (b *lossyStore) Stat(ctx context.Context, key string) (storage.Object, error) {
	if b.away {
		return storage.Object{}, errConnection
	}
	return b.Store.Stat(ctx, key)
}

func (b *lossyStore) Put(ctx context.Context, key string, c storage.Content, when storage.Condition) (storage.Object, error) {
	o, err := b.Store.Put(ctx, key, c, when)
	if err == nil && b.lose {
		b.lose, b.away = false, true
		err = errConnection
	}
	return o, err
}

func TestObjectFS_AnEditThatWasNotConfirmedHappensOnce(t *testing.T) {
	each(t, func(t *testing.T, store storage.Store, _ *objectfs.FileSystem) {
		ctx, rows := t.Context(), &edits{rows: map[chat.CallID]storagestore.Edit{}}
		b := &lossyStore{Store: store}
		box := objectfs.New(b, "1/svc/s/c", 7, rows)
		edit := func(id chat.CallID, content string) error {
			size, err := box.Edit(ctx, sandbox.Edit{ID: id, Path: "/gen/f", From: strings.NewReader(content), Mode: sandbox.WriteReplace})
			if err == nil {
				require.EqualValues(t, len(content), size)
			}
			return err
		}
		for name, between := range map[string]func(){
			"nothing":       func() {},
			"another edit":  func() { require.NoError(t, edit("turn.1.1", "two")) },
			"another write": func() { write(t, box, "/gen/f", "two") },
			"a move":        func() { require.NoError(t, box.Move(ctx, "/gen/f", "/gen/moved")); write(t, box, "/gen/f", "two") },
		} {
			clear(rows.rows)
			write(t, box, "/gen/f", "zero")
			_ = box.Remove(ctx, "/gen/moved") // of the case before
			b.lose = true
			require.Error(t, edit("turn.1.0", "one"), name)
			b.away = false
			between()
			want := text(t, box, "/gen/f")
			done, err := box.Edited(ctx, "turn.1.0")
			require.NoError(t, err)
			require.True(t, done, name)
			require.NoError(t, edit("turn.1.0", "one"), name)
			require.Equal(t, want, text(t, box, "/gen/f"), name)
		}
	})
}

func TestObjectFS_AnEditNeedsTheContentThatItReplaces(t *testing.T) {
	each(t, func(t *testing.T, _ storage.Store, box *objectfs.FileSystem) {
		write(t, box, "/gen/f", "one")
		edit := func(id chat.CallID, before, after string) error {
			_, err := box.Edit(t.Context(), sandbox.Edit{ID: id, Path: "/gen/f", From: strings.NewReader(after), Mode: sandbox.WriteReplace, Before: storage.Bytes([]byte(before)).Digest})
			return err
		}
		require.NoError(t, edit("turn.1.0", "one", "two"))
		kind(t, fault.Conflict, edit("turn.1.1", "one", "three"))
		done, err := box.Edited(t.Context(), "turn.1.1")
		require.NoError(t, err)
		require.False(t, done)
		require.NoError(t, edit("turn.1.1", "two", "three"))
		require.Equal(t, "three", text(t, box, "/gen/f"))
	})
}

func TestObjectFS_LargeFilesAreReadInPartsAndWhole(t *testing.T) {
	each(t, func(t *testing.T, _ storage.Store, box *objectfs.FileSystem) {
		data := bytes.Repeat([]byte("0123456789"), 1<<20)
		n, err := box.Upload(t.Context(), "/gen/large", bytes.NewReader(data), sandbox.WriteCreate)
		require.NoError(t, err)
		require.EqualValues(t, len(data), n)
		part, err := box.ReadFile(t.Context(), "/gen/large", 9_999_995, 20)
		require.NoError(t, err)
		require.Equal(t, "56789"+"012345678901234", string(part.Data))
		require.EqualValues(t, len(data), part.Size)
		var out bytes.Buffer
		_, err = box.Download(t.Context(), "/gen/large", &out)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, out.Bytes()))
	})
}

// failingReader is a body whose client went away.
type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("the client went away") }

func TestObjectFS_ABrokenUploadStoresNothing(t *testing.T) {
	each(t, func(t *testing.T, store storage.Store, box *objectfs.FileSystem) {
		_, err := box.Upload(t.Context(), "/att/f", io.MultiReader(strings.NewReader("half"), failingReader{}), sandbox.WriteCreate)
		require.ErrorContains(t, err, "went away")
		all, err := storage.All(t.Context(), store, "", 10)
		require.NoError(t, err)
		require.Empty(t, all)
	})
}
