package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/wire"
)

func TestMove_NothingThatBelongsToXbotGoesWithAFolderAboveIt(t *testing.T) {
	p := setup(t)
	outer := filepath.Join(p.dir, "outer")
	require.NoError(t, os.Mkdir(outer, 0o755))
	p.link(p.home, "door")
	require.NoError(t, os.WriteFile(p.workspace+"/mine", []byte("mine"), 0o600))
	for name, err := range map[string]error{
		"into a denied folder":           p.tree.Move(wire.Move{From: "mine", To: p.home + "/mine"}),
		"into one through a link":        p.tree.Move(wire.Move{From: "mine", To: "door/mine"}),
		"to the name of one":             p.tree.Move(wire.Move{From: "mine", To: filepath.Join(p.dir, "later")}),
		"above a denied folder, moved":   p.tree.Move(wire.Move{From: p.dir, To: outer + "/x"}),
		"above a denied folder, removed": p.tree.RemoveAll(t.Context(), p.dir),
		"a denied folder, moved":         p.tree.Move(wire.Move{From: p.home, To: "x"}),
		"a denied folder, removed":       p.tree.RemoveAll(t.Context(), p.home),
		"in a denied folder, moved":      p.tree.Move(wire.Move{From: p.home + "/keys/secret", To: "x"}),
		"in a denied folder, removed":    p.tree.RemoveAll(t.Context(), p.home+"/keys"),
		"the workspace, moved":           p.tree.Move(wire.Move{From: p.workspace, To: outer + "/w"}),
		"the workspace, removed":         p.tree.RemoveAll(t.Context(), p.workspace),
		"the root, removed":              p.tree.RemoveAll(t.Context(), "/"),
	} {
		require.True(t, wire.IsKind(err, wire.Denied), "%s: %v", name, err)
	}
	require.FileExists(t, p.home+"/keys/secret")
}

func TestRemoveAll_StopsAtADeniedFolderThatWasMovedMeanwhile(t *testing.T) {
	p := setup(t)
	inside := filepath.Join(p.workspace, "deep", "moved")
	require.NoError(t, os.MkdirAll(filepath.Dir(inside), 0o755))
	require.NoError(t, os.Rename(p.home, inside))
	err := p.tree.RemoveAll(t.Context(), "deep")
	require.True(t, wire.IsKind(err, wire.Denied), "%v", err)
	require.FileExists(t, inside+"/keys/secret")
}

func TestRemoveAll_RemovesLinksAndNotWhatTheyLeadTo(t *testing.T) {
	p := setup(t)
	p.link(p.home, "door")
	require.NoError(t, p.tree.RemoveAll(t.Context(), "door"))
	require.NoFileExists(t, p.workspace+"/door")
	require.FileExists(t, p.home+"/keys/secret")
}

func TestMove_StaysWithinTheFoldersThatMayBeChanged(t *testing.T) {
	p := setup(t)
	require.NoError(t, p.tree.Restrict([]string{p.workspace}))
	require.NoError(t, os.WriteFile(p.workspace+"/mine", []byte("mine"), 0o600))
	require.True(t, wire.IsKind(p.tree.Move(wire.Move{From: "mine", To: p.dir + "/out"}), wire.Denied))
	require.True(t, wire.IsKind(p.tree.Move(wire.Move{From: p.home + "less/open", To: "in"}), wire.Denied))
	require.True(t, wire.IsKind(p.tree.RemoveAll(t.Context(), p.home+"less"), wire.Denied))
	require.NoError(t, p.tree.Move(wire.Move{From: "mine", To: "yours"}))
	require.FileExists(t, p.workspace+"/yours")
}
