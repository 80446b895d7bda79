package skill_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"xbot/internal/extension/skill"
	"xbot/internal/fault"
	"xbot/internal/tool/tooltest"
)

// put writes files below a folder, with their folders.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
}

// hostile makes a folder of skills with what nobody should be led by, and a secret outside of it.
func hostile(t *testing.T, dir string) {
	t.Helper()
	put(t, filepath.Dir(dir), map[string]string{"secret": "hers alone"})
	put(t, dir, map[string]string{
		"good/SKILL.md": "---\nname: good\ndescription: Works.\n---\nDo this.", "good/run.sh": "echo ran", "good/deep/er/note.md": "note",
		"good/binary": "a\x00b", "good/.git/config": "token", "good/big.txt": strings.Repeat("é", skill.MaxPiece),
		"README.md": "no skill", "empty/SKILL.md": "", "x\ny/SKILL.md": "---\ndescription: d\n---\n",
	})
	require.NoError(t, os.Truncate(filepath.Join(dir, "good", "binary"), 20<<20))
	require.NoError(t, os.Symlink("../../secret", filepath.Join(dir, "good", "link")))
	require.NoError(t, os.Symlink("..", filepath.Join(dir, "good", "up")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "linked"), 0o755))
	require.NoError(t, os.Symlink("../../secret", filepath.Join(dir, "linked", skill.File)))
	require.NoError(t, os.Symlink("/", filepath.Join(dir, "root")))
}

func names(found []skill.Found) (out []string) {
	for _, f := range found {
		out = append(out, f.Name)
	}
	return out
}

func TestServer_ListsSkillsAndPassesOverTheRest(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "skills")
	server := skill.Server{Dir: dir}
	found, err := server.List()
	require.NoError(t, err)
	require.Empty(t, found, "without the folder there are none")
	require.False(t, server.Any())
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.False(t, server.Any())
	hostile(t, dir)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "fifo"), 0o755))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "fifo", skill.File), 0o600), "which would wait for a writer for ever")
	found, err = server.List()
	require.NoError(t, err)
	require.Equal(t, []string{"good", "x y"}, names(found))
	require.True(t, server.Any())
	for i := range 2 * skill.MaxSkills {
		put(t, dir, map[string]string{strings.Repeat("m", i+1) + "/SKILL.md": "# many"})
	}
	found, err = server.List()
	require.NoError(t, err)
	require.Len(t, found, skill.MaxSkills)
}

// TestFolder_KeepsToItself holds the folder of a skill on the server and in a sandbox to the same.
func TestFolder_KeepsToItself(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	hostile(t, filepath.Join(box.Workspace(), "skills"))
	found, err := skill.Server{Dir: filepath.Join(box.Workspace(), "skills")}.List()
	require.NoError(t, err)
	server, ok := skill.Pick(found, "Good")
	require.True(t, ok)
	for name, folder := range map[string]skill.Folder{"server": server.Folder, "sandbox": skill.In(box, filepath.Join(box.Workspace(), "skills", "good"))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, more, err := folder.Files(t.Context())
			require.NoError(t, err)
			require.False(t, more)
			listed := map[string]int64{}
			for _, f := range files {
				listed[f.Name] = f.Size
			}
			require.Equal(t, map[string]int64{"SKILL.md": 47, "run.sh": 8, "deep/er/note.md": 4, "binary": 20 << 20, "big.txt": 2 * skill.MaxPiece}, listed)
			for _, file := range []string{"", ".", "..", "../../secret", "link", "up", "up/README.md", "/etc/passwd", "deep", "deep/../../../secret", "a\x00", "absent", `..\secret`} {
				_, err := folder.Read(t.Context(), file, 0)
				require.Contains(t, []fault.Kind{fault.Invalid, fault.Denied, fault.NotFound}, fault.KindOf(err), "%q: %v", file, err)
			}
			p, err := folder.Read(t.Context(), "./deep/er/note.md", 0)
			require.NoError(t, err)
			require.Equal(t, "note", string(p.Data))
			p, err = folder.Read(t.Context(), "binary", 0)
			require.NoError(t, err)
			require.Len(t, p.Data, skill.MaxPiece, "no more than a piece of 20 MB")
			_, err = p.Text(0)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			p, err = folder.Read(t.Context(), "big.txt", 0)
			require.NoError(t, err)
			text, err := p.Text(0)
			require.NoError(t, err)
			require.Equal(t, strings.Repeat("é", skill.MaxPiece/2), text)
			_, err = skill.Piece{Data: []byte("é")[:1], Size: 2}.Text(0)
			require.NoError(t, err, "a character that the piece cut")
		})
	}
}

func TestFolder_ListsNoMoreFilesThanItsBound(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	dir := filepath.Join(box.Workspace(), "skills")
	put(t, dir, map[string]string{"many/SKILL.md": "# Many"})
	for i := range skill.MaxFiles + 10 {
		put(t, dir, map[string]string{filepath.Join("many", strings.Repeat("f", i+1)): ""})
	}
	found, err := skill.Server{Dir: dir}.List()
	require.NoError(t, err)
	for _, folder := range []skill.Folder{found[0].Folder, skill.In(box, filepath.Join(dir, "many"))} {
		files, more, err := folder.Files(t.Context())
		require.NoError(t, err)
		require.True(t, more)
		require.Len(t, files, skill.MaxFiles)
	}
}
