package registry_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/registry"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
)

const skillMD = "---\nname: release-notes\ndescription: Writes release notes.\ntags: [Git, writing]\nsharing: everybody\nauthor: alice\n---\nRun scripts/run.sh.\n"

// entry is one of an archive as whoever likes can make it.
type entry struct {
	name string
	data string
	mode fs.FileMode
}

func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		head := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.mode != 0 {
			head.SetMode(e.mode)
		}
		to, err := w.CreateHeader(head)
		require.NoError(t, err)
		if !strings.HasSuffix(e.name, "/") {
			_, err = to.Write([]byte(e.data))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func mainFile(name string) entry { return entry{name: name, data: skillMD} }

func TestRead_BothLayoutsAreTheSameSkill(t *testing.T) {
	t.Parallel()
	script := entry{name: "scripts/run.sh", data: "echo hi", mode: 0o755}
	flat, err := registry.Read(pack(t, mainFile("SKILL.md"), script), "upload")
	require.NoError(t, err)
	nested, err := registry.Read(pack(t, entry{name: "x/"}, entry{name: "x/scripts/run.sh", data: "echo hi", mode: 0o700}, mainFile("x/SKILL.md"),
		entry{name: "__MACOSX/x/._SKILL.md", data: "junk"}, entry{name: "x/.DS_Store"}, entry{name: "x/.git/config", data: "token"}), "upload")
	require.NoError(t, err)
	require.Equal(t, flat, nested)
	require.Equal(t, flat.Digest(), nested.Digest())
	require.Equal(t, registry.Bundle{
		Kind: registry.Skill, Name: "release-notes", Description: "Writes release notes.", Tags: []string{"git", "writing"},
		Files: []registry.File{{Name: "SKILL.md", Data: []byte(skillMD)}, {Name: "scripts/run.sh", Data: []byte("echo hi"), Executable: true}},
	}, flat)
	require.Equal(t, skillMD, string(flat.Main().Data))
}

func TestRead_OneMarkdownFileIsARole(t *testing.T) {
	t.Parallel()
	file := "---\nname: scout\ndescription: Looks around.\ntools: [Read]\n---\nYou look.\n"
	packed, err := registry.Read(pack(t, entry{name: "agents/scout.md", data: file}), "upload")
	require.NoError(t, err)
	bare, err := registry.Read([]byte(file), "whatever")
	require.NoError(t, err)
	require.Equal(t, packed, bare)
	require.Equal(t, registry.Role, bare.Kind)
	require.Equal(t, "scout", bare.Name)
	made, err := registry.RoleBundle(role.RoleDefinition{Name: "scout", Description: "Looks around.", Prompt: "You look.", Tools: []string{"Read"}}.Role())
	require.NoError(t, err)
	require.Equal(t, bare.Name, made.Name)
}

func TestRead_RefusesWhatLeadsElsewhereOrIsNoFile(t *testing.T) {
	t.Parallel()
	ok := mainFile("SKILL.md")
	for name, c := range map[string]struct {
		entries []entry
		want    string
	}{
		"up":                    {[]entry{ok, {name: "../evil", data: "x"}}, "leads elsewhere"},
		"up within":             {[]entry{ok, {name: "a/../../evil", data: "x"}}, "leads elsewhere"},
		"absolute":              {[]entry{ok, {name: "/etc/passwd", data: "x"}}, "leads elsewhere"},
		"backslashes":           {[]entry{ok, {name: `..\evil`, data: "x"}}, "leads elsewhere"},
		"a drive":               {[]entry{ok, {name: "C:evil", data: "x"}}, "leads elsewhere"},
		"a dot":                 {[]entry{ok, {name: "./a", data: "x"}}, "leads elsewhere"},
		"two slashes":           {[]entry{ok, {name: "a//b", data: "x"}}, "leads elsewhere"},
		"a NUL":                 {[]entry{ok, {name: "a\x00b", data: "x"}}, "no text"},
		"a line":                {[]entry{ok, {name: "a\nb", data: "x"}}, "no text"},
		"text the other way":    {[]entry{ok, {name: "a\u202egpj.sh", data: "x"}}, "no text"},
		"no UTF-8":              {[]entry{ok, {name: "a\xff", data: "x"}}, "no text"},
		"a link":                {[]entry{ok, {name: "link", data: "/etc/passwd", mode: fs.ModeSymlink | 0o777}}, "links and special files"},
		"a link for the main":   {[]entry{{name: "SKILL.md", data: "/etc/passwd", mode: fs.ModeSymlink | 0o777}}, "links and special files"},
		"a pipe":                {[]entry{ok, {name: "pipe", mode: fs.ModeNamedPipe | 0o644}}, "links and special files"},
		"a device":              {[]entry{ok, {name: "dev", mode: fs.ModeDevice | 0o644}}, "links and special files"},
		"a folder with content": {[]entry{ok, {name: "dir", data: "x", mode: fs.ModeDir | 0o755}}, "links and special files"},
		"twice":                 {[]entry{ok, mainFile("SKILL.md")}, "two names"},
		"twice in letters":      {[]entry{ok, mainFile("skill.md")}, "two names"},
		"twice in accents":      {[]entry{ok, {name: "\u00e9", data: "a"}, {name: "e\u0301", data: "b"}}, "two names"},
		"folders in letters":    {[]entry{ok, {name: "a/x", data: "a"}, {name: "A/y", data: "b"}}, "two names"},
		"a file that is one":    {[]entry{ok, {name: "a", data: "a"}, {name: "a/b", data: "b"}}, "two names"},
		"one that is a file":    {[]entry{ok, {name: "a/b", data: "a"}, {name: "a", data: "b"}}, "two names"},
		"too deep":              {[]entry{ok, {name: strings.Repeat("a/", 7) + "b", data: "x"}}, "too deep"},
		"far too deep":          {[]entry{ok, {name: strings.Repeat("a/", 200) + "b", data: "x"}}, "too deep"},
		"too long":              {[]entry{ok, {name: strings.Repeat("a", 201), data: "x"}}, "too long"},
		"nothing":               {nil, "neither a skill"},
		"no skill":              {[]entry{{name: "a.txt", data: "x"}, {name: "b.txt", data: "x"}}, "neither a skill"},
		"a skill too deep":      {[]entry{{name: "a/b/SKILL.md", data: skillMD}, {name: "a/c", data: "x"}}, "neither a skill"},
		"a skill of nothing":    {[]entry{{name: "SKILL.md", data: ""}, {name: "b", data: "x"}}, "neither what"},
		"a name with slashes":   {[]entry{{name: "SKILL.md", data: "---\nname: ../../x\ndescription: d\n---\nx"}}, "is none"},
		"a role of nothing":     {[]entry{{name: "a.md", data: "hello"}}, "is no role"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := registry.Read(pack(t, c.entries...), "upload")
			require.ErrorContains(t, err, c.want)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
	for name, data := range map[string][]byte{"no archive": []byte("PK\x03\x04 nothing"), "nothing": {}, "text": []byte("hello")} {
		_, err := registry.Read(data, "upload")
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%s: %v", name, err)
	}
}

func TestRead_RefusesBombs(t *testing.T) {
	t.Parallel()
	ok := mainFile("SKILL.md")
	var many []entry
	for i := range registry.MaxFiles {
		many = append(many, entry{name: fmt.Sprint("f", i)})
	}
	halves := []entry{ok}
	for i := range 5 {
		halves = append(halves, entry{name: fmt.Sprint(i), data: noise(registry.MaxFile)})
	}
	lying := pack(t, ok, entry{name: "bomb", data: strings.Repeat("0", 30<<20)})
	for at := bytes.LastIndex(lying, []byte("PK\x01\x02")); at >= 0; at = -1 { // its directory says that the last file has 10 bytes
		binary.LittleEndian.PutUint32(lying[at+24:], 10)
	}
	for name, data := range map[string][]byte{
		"many files":         pack(t, append(many, ok)...),
		"one large file":     pack(t, ok, entry{name: "bomb", data: strings.Repeat("0", 100<<20)}),
		"all of them":        pack(t, halves...),
		"more than its size": pack(t, ok, entry{name: "bomb", data: strings.Repeat("0", registry.MaxFile)}),
		"a large archive":    append([]byte("PK"), make([]byte, registry.MaxArchive)...),
		"a large file":       make([]byte, registry.MaxArchive+1),
	} {
		_, err := registry.Read(data, "upload")
		require.Equal(t, fault.TooLarge, fault.KindOf(err), "%s: %v", name, err)
	}
	_, err := registry.Read(lying, "upload")
	require.Contains(t, []fault.Kind{fault.Invalid, fault.TooLarge}, fault.KindOf(err), "%v", err)
}

// noise is text that hardly packs, and packs to a bit less than a quarter.
func noise(n int) string {
	var b strings.Builder
	for x := uint32(1); b.Len() < n; x = x*1664525 + 1013904223 {
		fmt.Fprintf(&b, "%d%s", x>>16, strings.Repeat("0", 20))
	}
	return b.String()[:n]
}

func TestZip_MakesTheSameBundleAndTheSameBytes(t *testing.T) {
	t.Parallel()
	b, err := registry.Read(pack(t, entry{name: "scripts/run.sh", data: "echo hi", mode: 0o755}, mainFile("SKILL.md")), "upload")
	require.NoError(t, err)
	packed, err := b.Zip()
	require.NoError(t, err)
	twice, err := b.Zip()
	require.NoError(t, err)
	require.Equal(t, packed, twice)
	again, err := registry.Read(packed, "upload")
	require.NoError(t, err)
	require.Equal(t, b, again)
	folder, err := registry.FS(packed, b.Name)
	require.NoError(t, err)
	info, err := fs.Stat(folder, "scripts/run.sh")
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o755), info.Mode())
	b.Files = append(b.Files, registry.File{Name: "zeros", Data: make([]byte, 2<<20)})
	_, err = b.Zip()
	require.Equal(t, fault.TooLarge, fault.KindOf(err), "Read would refuse it")
}

func FuzzRead_WhatItReadsStaysWithinItsBounds(f *testing.F) {
	f.Add(pack(f, mainFile("SKILL.md"), entry{name: "scripts/run.sh", data: "echo", mode: 0o755}))
	f.Add(pack(f, mainFile("x/SKILL.md"), entry{name: "x/../y", data: "echo"}))
	f.Add(pack(f, entry{name: "scout.md", data: "---\nname: scout\ndescription: d\n---\np"}))
	f.Add(pack(f, mainFile("SKILL.md"), entry{name: "l", data: "/", mode: fs.ModeSymlink | 0o777}))
	f.Add([]byte("---\nname: scout\ndescription: d\ntags: 7\n---\np"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := registry.Read(data, "upload")
		if err != nil {
			if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.TooLarge {
				t.Fatalf("%v has no kind", err)
			}
			return
		}
		if !registry.ValidName(b.Name) || b.Size() > registry.MaxSize || len(b.Files) == 0 || len(b.Files) > registry.MaxFiles {
			t.Fatalf("%q with %d bytes in %d files", b.Name, b.Size(), len(b.Files))
		}
		for _, file := range b.Files {
			if !fs.ValidPath(file.Name) || strings.ContainsAny(file.Name, "\\\x00:") {
				t.Fatalf("%q", file.Name)
			}
		}
		packed, err := b.Zip()
		if err != nil {
			return // too large
		}
		again, err := registry.Read(packed, "other")
		if err != nil || again.Digest() != b.Digest() {
			t.Fatalf("it is another one when it is packed again: %v", err)
		}
	})
}

func TestRead_RefusesNamesThatMeanSomethingWhereTheyAreUnpacked(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".synced-by-xbot", "a/.SYNCED-by-xbot", ".git", "a/.git", ".GIT/hooks/pre-commit"} {
		_, err := registry.Read(pack(t, mainFile("SKILL.md"), entry{name: name, data: "x"}), "upload")
		require.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
}

func TestRead_DescriptionsReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	b, err := registry.Read(pack(t, entry{name: "SKILL.md", data: "---\nname: a\ndescription: \"x\\u202Ey\\u2066z\\u0007\"\n---\n"}), "upload")
	require.NoError(t, err)
	require.Equal(t, "xyz", b.Description)
}
