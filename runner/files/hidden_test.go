package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/files"
	"xbot/runner/wire"
)

func TestTree_WhatCommandsDoNotSeeIsNotReadEither(t *testing.T) {
	p := setup(t)
	run, media := filepath.Join(p.dir, "run"), filepath.Join(p.dir, "run", "media")
	inner := filepath.Join(p.workspace, "agent")
	for _, dir := range []string{media, inner} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	for _, file := range []string{run + "/secret", run + "/socket", media + "/film", inner + "/key", p.workspace + "/own"} {
		require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	}
	p.link(run+"/secret", "link")
	require.NotEmpty(t, p.refusals(run+"/secret"), "before anything is hidden")
	require.NoError(t, os.WriteFile(run+"/secret", []byte("text"), 0o600)) // the operations that went through changed it
	var unknown error
	require.NoError(t, p.tree.Hide(func() (hide, keep []string, err error) {
		return []string{run, inner, filepath.Join(p.dir, "not there")}, []string{media, filepath.Join(p.dir, "not there either")}, unknown
	}))
	for _, path := range []string{run, run + "/secret", run + "/new", run + "/media/../secret", "link", inner, inner + "/key", "agent/new"} {
		require.Empty(t, p.refusals(path), path)
	}
	for _, path := range []string{media + "/film", "own"} {
		got, err := p.tree.Read(wire.Read{Path: path, Limit: 10})
		require.NoError(t, err, path)
		require.Equal(t, "text", string(got.Data))
	}
	found, err := p.tree.Grep(t.Context(), wire.Grep{Pattern: "text", Root: p.dir})
	require.NoError(t, err)
	for _, m := range found.Matches {
		require.NotContains(t, m.Path, "secret")
		require.NotContains(t, m.Path, "agent/")
	}
	require.NotEmpty(t, found.Matches)

	unknown = errors.New("too many sockets")
	for _, path := range []string{media + "/film", "own", run + "/secret"} {
		require.Empty(t, p.refusals(path), "nothing is open while nobody knows what is hidden")
	}
	_, err = p.tree.Grep(t.Context(), wire.Grep{Pattern: "text", Root: p.dir})
	require.Error(t, err)
}

func TestTree_ASearchFromAboveReadsNoDeniedFile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	token := filepath.Join(dir, "keys", "token")
	require.NoError(t, os.MkdirAll(filepath.Dir(token), 0o755))
	require.NoError(t, os.WriteFile(token, []byte("secret"), 0o600))
	require.NoError(t, os.Link(token, filepath.Join(dir, "keys", "other name")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "keys", "open"), []byte("secretive"), 0o600))
	tree, err := files.Open(dir, []string{token}, t.TempDir())
	require.NoError(t, err)
	for _, root := range []string{"", "keys"} {
		found, err := tree.Grep(t.Context(), wire.Grep{Pattern: "secret", Root: filepath.Join(dir, root)})
		require.NoError(t, err)
		require.Len(t, found.Matches, 1, "the file that is nobody's secret")
		require.Equal(t, filepath.Join(dir, "keys", "open"), found.Matches[0].Path)
	}
}
