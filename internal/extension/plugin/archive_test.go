package plugin_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/plugin"
	"xbot/internal/fault"
)

type entry struct {
	name string
	mode fs.FileMode
	text string
}

func zipped(t testing.TB, entries ...entry) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(h)
		require.NoError(t, err)
		_, err = w.Write([]byte(e.text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return out.Bytes()
}

func tarred(t testing.TB, kind byte, entries ...entry) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i, e := range entries {
		h := &tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(e.text)), Typeflag: tar.TypeReg}
		if i == len(entries)-1 && kind != tar.TypeReg {
			h.Typeflag, h.Size, h.Linkname = kind, 0, "/etc/passwd"
		}
		require.NoError(t, w.WriteHeader(h))
		if h.Size > 0 {
			_, err := w.Write([]byte(e.text))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

var manifest = entry{"plugin.json", 0o644, "{}"}

func TestReadArchive_ReadsZipAndTarAlike(t *testing.T) {
	entries := []entry{manifest, {"bin/run", 0o755, "#!/bin/sh"}, {"a/b/c.txt", 0o644, "c"}}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(tarred(t, tar.TypeReg, entries...))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	var inside []entry
	for _, e := range entries {
		inside = append(inside, entry{"feeds-1.0/" + e.name, e.mode, e.text})
	}
	digests := map[string]bool{}
	for name, data := range map[string][]byte{"zip": zipped(t, entries...), "tar": tarred(t, tar.TypeReg, entries...), "tar.gz": packed.Bytes(), "in one folder": zipped(t, inside...)} {
		files, err := plugin.ReadArchive(data)
		require.NoError(t, err, name)
		require.Len(t, files, 3, name)
		require.True(t, files["bin/run"].Exec)
		require.False(t, files["a/b/c.txt"].Exec)
		digests[files.Digest()] = true
		packed, err := files.Zip()
		require.NoError(t, err)
		again, err := plugin.ReadArchive(packed)
		require.NoError(t, err)
		require.Equal(t, files, again, "what xbot packs it reads")
	}
	require.Len(t, digests, 1, "the same files have one digest")
}

func TestReadArchive_RefusesWhatLeadsOutOrIsNoFile(t *testing.T) {
	for _, name := range []string{"../x", "/etc/x", "a/../../x", `a\b`, "C:x", "a//b", "./a/./b", "a\nb", strings.Repeat("d/", 17) + "x", strings.Repeat("x", 241), "plugin.json/x", "PLUGIN.JSON"} {
		_, err := plugin.ReadArchive(zipped(t, manifest, entry{name, 0o644, "x"}))
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%q", name)
	}
	_, err := plugin.ReadArchive(zipped(t, manifest, entry{"link", fs.ModeSymlink | 0o777, "/etc/passwd"}))
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	for _, kind := range []byte{tar.TypeSymlink, tar.TypeLink, tar.TypeChar, tar.TypeFifo} {
		_, err := plugin.ReadArchive(tarred(t, kind, manifest, entry{"link", 0o644, ""}))
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%c", kind)
	}
	for _, data := range [][]byte{nil, []byte("PK\x03\x04 no zip"), []byte("no tar"), zipped(t, entry{"x", 0o644, "x"}), zipped(t, entry{"a/plugin.json", 0o644, "{}"}, entry{"b/x", 0o644, "x"})} {
		_, err := plugin.ReadArchive(data)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

func TestReadArchive_IsBounded(t *testing.T) {
	_, err := plugin.ReadArchive(make([]byte, plugin.MaxArchive+1))
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
	_, err = plugin.ReadArchive(zipped(t, manifest, entry{"bomb", 0o644, strings.Repeat("\x00", 100<<20)}))
	require.Equal(t, fault.TooLarge, fault.KindOf(err), "a small archive may hold much")
	many := []entry{manifest}
	for i := range 2001 {
		many = append(many, entry{strings.Repeat("x", i%200+1) + string(rune('a'+i/200)), 0o644, ""})
	}
	_, err = plugin.ReadArchive(zipped(t, many...))
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
}

func FuzzReadArchive(f *testing.F) {
	f.Add(zipped(f, manifest, entry{"a/b", 0o755, "x"}))
	f.Add(tarred(f, tar.TypeReg, manifest, entry{"a/b", 0o755, "x"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := plugin.ReadArchive(data)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.KindOf(err), "%s", err)
			return
		}
		dir := filepath.Join(t.TempDir(), "p")
		require.NoError(t, files.Unpack(dir))
		for name := range files {
			require.True(t, filepath.IsLocal(name), "%q", name)
		}
	})
}

func TestReadFolder_RefusesLinksAndLeavesOutWhatBeginsWithADot(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plugin.json"), []byte("{}"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "config"), nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "src"), 0o700))
	for _, name := range []string{".env", ".npmrc", "src/.git", "src/.env.local"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("key"), 0o600))
	}
	files, err := plugin.ReadFolder(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "what begins with a dot is no part of it")
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	_, err = plugin.ReadFolder(dir)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestUnpack_WritesAllOrNothingAndNeverOverWhatIsThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "code", "feeds", "digest")
	files := plugin.Tree{"plugin.json": {Data: []byte("{}")}, "bin/run": {Data: []byte("x"), Exec: true}}
	require.NoError(t, files.Unpack(dir))
	require.NoError(t, plugin.Tree{"plugin.json": {Data: []byte("other")}}.Unpack(dir), "somebody else was faster")
	text, err := os.ReadFile(filepath.Join(dir, "plugin.json"))
	require.NoError(t, err)
	require.Equal(t, "{}", string(text))
	info, err := os.Stat(filepath.Join(dir, "bin", "run"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o500), info.Mode().Perm())
	left, err := os.ReadDir(filepath.Dir(dir))
	require.NoError(t, err)
	require.Len(t, left, 1)
}
