package sandboxtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

var fileCases = cases{
	"a big file comes back as it was":                      bigFile,
	"a part of a file can be read":                         partOfFile,
	"any bytes and no bytes can be written":                anyBytes,
	"names may be in any script":                           unicodeNames,
	"create refuses what exists and replace does not":      createAndReplace,
	"replace keeps permissions":                            keepsPermissions,
	"writing through a link changes its target":            writeThroughLink,
	"stat describes files, folders and links":              statDescribes,
	"a link that leads nowhere can be seen and removed":    danglingLink,
	"removing a link leaves its target":                    removeLink,
	"folders are made with those above them":               makesFolders,
	"a folder is listed by name":                           listsFolder,
	"only an empty folder can be removed":                  removesEmptyFolder,
	"what is missing is not found":                         missing,
	"a folder is not a file and a file is not a folder":    wrongKind,
	"a FIFO is refused rather than waited for":             refusesFIFO,
	"permissions are respected":                            permissions,
	"nonsense paths are refused":                           nonsensePaths,
	"absolute and relative paths mean the same":            absoluteAndRelative,
	"files of /proc are read although they have no size":   procFile,
	"a file too large for memory is refused with a reason": tooLarge,
	"no temporary files stay behind":                       noLeftovers,
	"files of any size stream up and down":                 transfers,
	"a transfer is refused like a file":                    transferRefused,
	"an edit happens once":                                 editsOnce,
	"a move replaces nothing":                              movesBesides,
	"a folder is removed with all that it holds":           removesAll,
}

func editsOnce(b *bench) {
	path, big := b.dir+"/edited", randomBytes(3*wire.MaxChunk)
	edit := func(id chat.CallID, before, after []byte) error {
		e := sandbox.Edit{ID: id, Path: path, From: bytes.NewReader(after), Mode: sandbox.WriteReplace}
		if before != nil {
			sum := sha256.Sum256(before)
			e.Before = hex.EncodeToString(sum[:])
		}
		size, err := b.Box.Edit(b.ctx, e)
		if err == nil {
			require.EqualValues(b.T, len(after), size)
		}
		return err
	}
	first, second := b.id(), b.id()
	b.must(edit(first, nil, []byte("one")))
	b.must(b.Box.WriteFile(b.ctx, path, []byte("two"), sandbox.WriteReplace))
	b.must(edit(first, nil, []byte("one")))
	require.Equal(b.T, "two", string(b.read(path)), "what came later stays")
	require.True(b.T, fault.Is(edit(second, []byte("one"), big), fault.Conflict), "it is not what it was")
	done, err := b.Box.Edited(b.ctx, second)
	b.must(err)
	require.False(b.T, done)
	b.must(edit(second, []byte("two"), big))
	require.Equal(b.T, big, b.read(path))
	done, err = b.Box.Edited(b.ctx, second)
	b.must(err)
	require.True(b.T, done)
}

func randomBytes(n int) []byte {
	data := make([]byte, n)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(data) // never fails
	return data
}

func (b *bench) read(path string) []byte {
	b.Helper()
	got, err := b.Box.ReadFile(b.ctx, path, 0, 0)
	b.must(err)
	require.EqualValues(b.T, len(got.Data), got.Size)
	return got.Data
}

func bigFile(b *bench) {
	data := randomBytes(wire.MaxFrame + 17) // more than one frame may have
	b.must(b.Box.WriteFile(b.ctx, b.path("big"), data, sandbox.WriteCreate))
	require.True(b.T, bytes.Equal(data, b.read(b.path("big"))))
	data = data[5 : wire.MaxChunk+17]
	b.must(b.Box.WriteFile(b.ctx, b.path("big"), data, sandbox.WriteReplace))
	require.True(b.T, bytes.Equal(data, b.read(b.path("big"))))
	b.kind(fault.Conflict, b.Box.WriteFile(b.ctx, b.path("big"), data, sandbox.WriteCreate))
}

func partOfFile(b *bench) {
	data := randomBytes(3 << 20)
	b.must(b.Box.WriteFile(b.ctx, b.path("f"), data, sandbox.WriteCreate))
	for _, part := range [][2]int64{{0, 1}, {1 << 20, 1 << 20}, {1<<20 - 1, 1<<20 + 2}, {3<<20 - 5, 100}, {3 << 20, 10}, {4 << 20, 10}} {
		got, err := b.Box.ReadFile(b.ctx, b.path("f"), part[0], part[1])
		b.must(err)
		from := min(part[0], int64(len(data)))
		want := data[from:min(from+part[1], int64(len(data)))]
		require.True(b.T, bytes.Equal(want, got.Data), "offset %d limit %d", part[0], part[1])
		require.EqualValues(b.T, len(data), got.Size)
		info, err := b.Box.Stat(b.ctx, b.path("f"))
		b.must(err)
		require.True(b.T, info.ModTime.Equal(got.ModTime), "a reader knows which state of the file it has")
	}
}

func anyBytes(b *bench) {
	for name, data := range map[string][]byte{"none": {}, "zero": {0}, "all": randomBytes(1000), "text": []byte("a\r\nb\n")} {
		b.must(b.Box.WriteFile(b.ctx, b.path(name), data, sandbox.WriteCreate))
		require.True(b.T, bytes.Equal(data, b.read(b.path(name))), name)
	}
}

func unicodeNames(b *bench) {
	for _, name := range []string{"日本語.txt", "äöü ß.md", "🦀", "with space", "-dash", "new\nline", `quote"'`, strings.Repeat("n", 255)} {
		b.must(b.Box.WriteFile(b.ctx, b.path(name), []byte(name), sandbox.WriteCreate))
		require.Equal(b.T, name, string(b.read(b.path(name))))
		info, err := b.Box.Stat(b.ctx, b.path(name))
		b.must(err)
		require.True(b.T, strings.HasSuffix(info.Path, "/"+name))
	}
	infos, err := b.Box.ReadDir(b.ctx, b.dir)
	b.must(err)
	require.Len(b.T, infos, 8)
}

func createAndReplace(b *bench) {
	path := b.path("f")
	b.must(b.Box.WriteFile(b.ctx, path, []byte("one"), sandbox.WriteCreate))
	b.kind(fault.Conflict, b.Box.WriteFile(b.ctx, path, []byte("two"), sandbox.WriteCreate))
	require.Equal(b.T, "one", string(b.read(path)))
	b.must(b.Box.WriteFile(b.ctx, path, []byte("two"), sandbox.WriteReplace))
	require.Equal(b.T, "two", string(b.read(path)))
	b.must(b.Box.WriteFile(b.ctx, b.path("new"), []byte("three"), sandbox.WriteReplace))
	b.kind(fault.Invalid, b.Box.WriteFile(b.ctx, path, nil, "append"))
}

func keepsPermissions(b *bench) {
	b.sh("echo old > script; chmod 751 script")
	b.must(b.Box.WriteFile(b.ctx, b.path("script"), []byte("new"), sandbox.WriteReplace))
	info, err := b.Box.Stat(b.ctx, b.path("script"))
	b.must(err)
	require.Equal(b.T, fs.FileMode(0o751), info.Mode.Perm())
}

func writeThroughLink(b *bench) {
	b.sh("mkdir d; echo old > d/target; ln -s d/target link; ln -s nowhere dangling")
	b.must(b.Box.WriteFile(b.ctx, b.path("link"), []byte("new"), sandbox.WriteReplace))
	require.Equal(b.T, "new", b.sh("cat d/target; test -L link"))
	b.must(b.Box.WriteFile(b.ctx, b.path("dangling"), []byte("made"), sandbox.WriteReplace))
	require.Equal(b.T, "made", b.sh("cat nowhere; test -L dangling"))
	b.kind(fault.Conflict, b.Box.WriteFile(b.ctx, b.path("link"), nil, sandbox.WriteCreate))
}

func statDescribes(b *bench) {
	b.sh("mkdir d; printf 12345 > f; ln -s f link; ln -s d dirlink")
	for name, want := range map[string]sandbox.FileInfo{
		"f": {Size: 5}, "d": {Dir: true}, "link": {Size: 5, Link: "f"}, "dirlink": {Dir: true, Link: "d"},
	} {
		got, err := b.Box.Stat(b.ctx, b.path(name))
		b.must(err)
		require.Equal(b.T, want.Dir, got.Dir, name)
		require.Equal(b.T, want.Link, got.Link, name)
		require.True(b.T, strings.HasPrefix(got.Path, "/") && strings.HasSuffix(got.Path, "/"+name), got.Path)
		require.False(b.T, got.ModTime.IsZero(), name)
		if !want.Dir {
			require.Equal(b.T, want.Size, got.Size, name)
		}
	}
}

func danglingLink(b *bench) {
	b.sh("ln -s nowhere link")
	got, err := b.Box.Stat(b.ctx, b.path("link"))
	b.must(err)
	require.Equal(b.T, "nowhere", got.Link)
	_, err = b.Box.ReadFile(b.ctx, b.path("link"), 0, 0)
	b.kind(fault.NotFound, err)
	b.must(b.Box.Remove(b.ctx, b.path("link")))
	_, err = b.Box.Stat(b.ctx, b.path("link"))
	b.kind(fault.NotFound, err)
}

func removeLink(b *bench) {
	b.sh("mkdir d; touch d/kept; ln -s d link")
	b.must(b.Box.Remove(b.ctx, b.path("link")))
	_, err := b.Box.Stat(b.ctx, b.path("d/kept"))
	b.must(err)
}

func makesFolders(b *bench) {
	b.must(b.Box.MkdirAll(b.ctx, b.path("a/b/c")))
	b.must(b.Box.MkdirAll(b.ctx, b.path("a/b/c")))
	info, err := b.Box.Stat(b.ctx, b.path("a/b/c"))
	b.must(err)
	require.True(b.T, info.Dir)
	b.sh("touch file")
	b.kind(fault.Conflict, b.Box.MkdirAll(b.ctx, b.path("file")))
}

func listsFolder(b *bench) {
	b.sh("mkdir z; touch b a .hidden; ln -s nowhere c")
	infos, err := b.Box.ReadDir(b.ctx, b.dir)
	b.must(err)
	var names []string
	for _, info := range infos {
		names = append(names, info.Path[strings.LastIndexByte(info.Path, '/')+1:])
	}
	require.Equal(b.T, []string{".hidden", "a", "b", "c", "z"}, names)
	require.Equal(b.T, "nowhere", infos[3].Link)
	require.True(b.T, infos[4].Dir)
}

func removesEmptyFolder(b *bench) {
	b.sh("mkdir -p full/sub")
	b.kind(fault.Invalid, b.Box.Remove(b.ctx, b.path("full")))
	b.must(b.Box.Remove(b.ctx, b.path("full/sub")))
	b.must(b.Box.Remove(b.ctx, b.path("full")))
}

func missing(b *bench) {
	_, err := b.Box.ReadFile(b.ctx, b.path("no"), 0, 0)
	b.kind(fault.NotFound, err)
	_, err = b.Box.Stat(b.ctx, b.path("no"))
	b.kind(fault.NotFound, err)
	_, err = b.Box.ReadDir(b.ctx, b.path("no"))
	b.kind(fault.NotFound, err)
	b.kind(fault.NotFound, b.Box.Remove(b.ctx, b.path("no")))
	b.kind(fault.NotFound, b.Box.WriteFile(b.ctx, b.path("no/f"), nil, sandbox.WriteCreate))
}

func wrongKind(b *bench) {
	b.sh("mkdir d; touch f")
	_, err := b.Box.ReadFile(b.ctx, b.path("d"), 0, 0)
	b.kind(fault.Invalid, err)
	_, err = b.Box.ReadDir(b.ctx, b.path("f"))
	b.kind(fault.Invalid, err)
	b.kind(fault.Invalid, b.Box.WriteFile(b.ctx, b.path("d"), nil, sandbox.WriteReplace))
	b.kind(fault.Invalid, b.Box.WriteFile(b.ctx, b.path("f/x"), nil, sandbox.WriteReplace))
}

func refusesFIFO(b *bench) {
	b.sh("mkfifo pipe")
	_, err := b.Box.ReadFile(b.ctx, b.path("pipe"), 0, 0)
	b.kind(fault.Invalid, err)
	b.kind(fault.Invalid, b.Box.WriteFile(b.ctx, b.path("pipe"), nil, sandbox.WriteReplace))
}

func permissions(b *bench) {
	if strings.TrimSpace(b.sh("id -u")) == "0" {
		return // nothing is forbidden to root; the suite also runs as an ordinary user
	}
	b.sh("echo secret > hidden; chmod 000 hidden; echo x > fixed; chmod 444 fixed; mkdir shut; touch shut/f; chmod 000 shut; mkdir still; chmod 555 still")
	b.Cleanup(func() { // what cannot be undone shows when the folder is removed
		_, _ = b.Box.Exec(b.ctx, sandbox.ExecRequest{ID: b.id(), Command: "chmod -R u+rwx " + b.dir})
	})
	_, err := b.Box.ReadFile(b.ctx, b.path("hidden"), 0, 0)
	b.kind(fault.Denied, err)
	_, err = b.Box.ReadFile(b.ctx, b.path("shut/f"), 0, 0)
	b.kind(fault.Denied, err)
	_, err = b.Box.ReadDir(b.ctx, b.path("shut"))
	b.kind(fault.Denied, err)
	b.kind(fault.Denied, b.Box.WriteFile(b.ctx, b.path("fixed"), nil, sandbox.WriteReplace))
	b.kind(fault.Denied, b.Box.WriteFile(b.ctx, b.path("still/f"), nil, sandbox.WriteCreate))
	b.kind(fault.Denied, b.Box.MkdirAll(b.ctx, b.path("still/d")))
}

func nonsensePaths(b *bench) {
	for _, path := range []string{"", "a\x00b", strings.Repeat("x", 300), strings.Repeat("x/", 3000)} {
		_, err := b.Box.Stat(b.ctx, path)
		b.kind(fault.Invalid, err)
	}
}

func absoluteAndRelative(b *bench) {
	b.must(b.Box.WriteFile(b.ctx, b.path("f"), []byte("x"), sandbox.WriteCreate))
	require.True(b.T, strings.HasPrefix(b.Box.Workspace(), "/"))
	require.Equal(b.T, "x", string(b.read(b.Box.Workspace()+"/"+b.path("f"))))
	require.Equal(b.T, "x", string(b.read(b.path("../"+b.dir+"/./f"))))
}

func procFile(b *bench) {
	got, err := b.Box.ReadFile(b.ctx, "/proc/meminfo", 0, 1000)
	b.must(err)
	require.Contains(b.T, string(got.Data), "MemTotal:")
}

func tooLarge(b *bench) {
	b.sh("truncate -s 100M sparse")
	_, err := b.Box.ReadFile(b.ctx, b.path("sparse"), 0, 0)
	b.kind(fault.TooLarge, err)
	got, err := b.Box.ReadFile(b.ctx, b.path("sparse"), 99<<20, 0)
	b.must(err)
	require.Len(b.T, got.Data, 1<<20)
}

func noLeftovers(b *bench) {
	data := randomBytes(wire.MaxChunk + 1) // in two parts, so that there is something to leave
	for range 3 {
		b.must(b.Box.WriteFile(b.ctx, b.path("f"), data, sandbox.WriteReplace))
	}
	b.kind(fault.Conflict, b.Box.WriteFile(b.ctx, b.path("f"), data, sandbox.WriteCreate))
	require.Equal(b.T, "f\n", b.sh("ls -A"))
}

func transfers(b *bench) {
	const chunk = wire.MaxChunk
	data := randomBytes(2*chunk + 3)
	for _, size := range []int{0, 1, chunk, 2*chunk - 1, 2*chunk + 3} {
		path := b.path("transfer")
		// A plain reader, so that nothing can be read twice.
		n, err := b.Box.Upload(b.ctx, path, io.LimitReader(bytes.NewReader(data), int64(size)), sandbox.WriteReplace)
		b.must(err)
		require.EqualValues(b.T, size, n)
		var got bytes.Buffer
		n, err = b.Box.Download(b.ctx, path, &got)
		b.must(err)
		require.EqualValues(b.T, size, n)
		require.True(b.T, bytes.Equal(data[:size], got.Bytes()), "%d bytes", size)
	}
	b.sh("truncate -s 8M sparse")
	n, err := b.Box.Download(b.ctx, b.path("sparse"), io.Discard)
	b.must(err)
	require.EqualValues(b.T, 8<<20, n, "many times what is held in memory")
}

func transferRefused(b *bench) {
	b.sh("touch there")
	_, err := b.Box.Upload(b.ctx, b.path("there"), strings.NewReader("x"), sandbox.WriteCreate)
	b.kind(fault.Conflict, err)
	_, err = b.Box.Upload(b.ctx, b.path("no/f"), strings.NewReader("x"), sandbox.WriteCreate)
	b.kind(fault.NotFound, err)
	for _, torn := range []error{io.ErrNoProgress, io.ErrUnexpectedEOF, context.Canceled} {
		_, err = b.Box.Upload(b.ctx, b.path("torn"), io.MultiReader(strings.NewReader("x"), tornReader{torn}), sandbox.WriteCreate)
		require.ErrorIs(b.T, err, torn)
		_, err = b.Box.Stat(b.ctx, b.path("torn"))
		b.kind(fault.NotFound, err)
	}
	_, err = b.Box.Download(b.ctx, b.path("no"), io.Discard)
	b.kind(fault.NotFound, err)
	_, err = b.Box.Download(b.ctx, b.dir, io.Discard)
	b.kind(fault.Invalid, err)
}

// tornReader fails, as an upload does whose sender went away.
type tornReader struct{ err error }

func (r tornReader) Read([]byte) (int, error) { return 0, r.err }
