package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/files"
	"xbot/runner/wire"
)

func (p *fixture) part(upload string, offset int64, data string, last, retry bool) (wire.WriteResult, error) {
	return p.tree.Write(wire.Write{
		Path: "f", Mode: wire.WriteCreate, Upload: upload, Offset: offset, Data: []byte(data), Last: last, Retry: retry,
	})
}

func (p *fixture) mustPart(upload string, offset int64, data string, last, retry bool) wire.WriteResult {
	p.Helper()
	result, err := p.part(upload, offset, data, last, retry)
	require.NoError(p.T, err)
	return result
}

func (p *fixture) content(name string) string {
	p.Helper()
	data, err := os.ReadFile(filepath.Join(p.workspace, name))
	require.NoError(p.T, err)
	return string(data)
}

func TestWrite_NothingIsSeenBeforeTheLastPart(t *testing.T) {
	p := setup(t)
	p.mustPart("u", 0, "one ", false, false)
	p.mustPart("u", 4, "two ", false, false)
	require.NoFileExists(t, filepath.Join(p.workspace, "f"))
	p.mustPart("u", 8, "three", true, false)
	require.Equal(t, "one two three", p.content("f"))
}

func TestWrite_ARepeatedPartIsTakenOnce(t *testing.T) {
	p := setup(t)
	p.mustPart("u", 0, "one ", false, false)
	require.False(t, p.mustPart("u", 0, "one ", false, true).Restart)
	p.mustPart("u", 4, "two", true, false)
	require.False(t, p.mustPart("u", 4, "two", true, true).Restart, "the whole is in place already")
	require.Equal(t, "one two", p.content("f"))
}

func TestWrite_PartsThatDoNotFollowBeginAnew(t *testing.T) {
	p := setup(t)
	require.True(t, p.mustPart("u", 4, "two", false, false).Restart, "an unknown upload")
	p.mustPart("v", 0, "one", false, false)
	require.True(t, p.mustPart("v", 7, "x", true, false).Restart, "a gap")
	require.True(t, p.mustPart("v", 3, "x", true, false).Restart, "it is gone after the gap")
	require.NoFileExists(t, filepath.Join(p.workspace, "f"))
}

func TestWrite_CreateAfterALostAnswerKnowsItsOwnWork(t *testing.T) {
	p := setup(t)
	p.mustPart("u", 0, "mine", true, false)

	// A runner that was started anew does not know the upload, so the content decides.
	var err error
	p.tree, err = files.Open(p.workspace, nil, filepath.Join(p.dir, "state"))
	require.NoError(t, err)
	_, err = p.part("v", 0, "mine", true, false)
	require.True(t, wire.IsKind(err, wire.Conflict), "without a lost answer it is somebody else's")
	_, err = p.part("w", 0, "mine", true, true)
	require.NoError(t, err)
	_, err = p.part("x", 0, "mane", true, true)
	require.True(t, wire.IsKind(err, wire.Conflict))
	require.Equal(t, "mine", p.content("f"))
}

func TestWrite_UnfinishedUploadsAreRemovedAtTheNextStart(t *testing.T) {
	p := setup(t)
	p.mustPart("u", 0, "one", false, false)
	spool := filepath.Join(p.dir, "state", "uploads")
	entries, err := os.ReadDir(spool)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	_, err = files.Open(p.workspace, nil, filepath.Join(p.dir, "state"))
	require.NoError(t, err)
	entries, err = os.ReadDir(spool)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestWrite_RefusesOddRequests(t *testing.T) {
	p := setup(t)
	for name, w := range map[string]wire.Write{
		"no mode":         {Path: "f", Upload: "u"},
		"no upload":       {Path: "f", Mode: wire.WriteCreate},
		"upload escapes":  {Path: "f", Mode: wire.WriteCreate, Upload: "../x"},
		"part too large":  {Path: "f", Mode: wire.WriteCreate, Upload: "u", Data: make([]byte, wire.MaxChunk+1)},
		"file too large":  {Path: "f", Mode: wire.WriteCreate, Upload: "u", Offset: wire.MaxUpload, Data: []byte("x")},
		"no permissions":  {Path: "f", Mode: wire.WriteCreate, Upload: "u", Last: true, Perm: 0o4755},
		"negative offset": {Path: "f", Mode: wire.WriteCreate, Upload: "u", Offset: -1},
	} {
		_, err := p.tree.Write(w)
		require.Error(t, err, name)
	}
}

func TestWrite_ANewFileHasThePermissionsThatItShouldHave(t *testing.T) {
	p := setup(t)
	for at, perm := range map[string]os.FileMode{"secret": 0o600, "run": 0o700, "fixed": 0o400} {
		_, err := p.tree.Write(wire.Write{Path: at, Mode: wire.WriteCreate, Upload: at, Data: []byte("x"), Last: true, Perm: uint32(perm)})
		require.NoError(t, err)
		info, err := os.Stat(filepath.Join(p.workspace, at))
		require.NoError(t, err)
		require.Equal(t, perm, info.Mode())
	}
}
