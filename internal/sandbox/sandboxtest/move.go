package sandboxtest

import (
	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

func movesBesides(b *bench) {
	put := func(name string) string {
		path := b.dir + "/" + name
		require.NoError(b.T, b.Box.WriteFile(b.ctx, path, []byte(name), sandbox.WriteCreate))
		return path
	}
	one, two := put("one"), put("two")
	require.True(b.T, fault.Is(b.Box.Move(b.ctx, one, two), fault.Conflict))
	require.True(b.T, fault.Is(b.Box.Move(b.ctx, one, b.dir+"/no/folder"), fault.NotFound))
	require.True(b.T, fault.Is(b.Box.Move(b.ctx, b.dir+"/nothing", b.dir+"/three"), fault.NotFound))
	require.NoError(b.T, b.Box.Move(b.ctx, one, b.dir+"/three"))
	moved, err := b.Box.ReadFile(b.ctx, b.dir+"/three", 0, 0)
	require.NoError(b.T, err)
	require.Equal(b.T, "one", string(moved.Data))
	_, err = b.Box.Stat(b.ctx, one)
	require.True(b.T, fault.Is(err, fault.NotFound))

	require.NoError(b.T, b.Box.MkdirAll(b.ctx, b.dir+"/folder/deep"))
	require.True(b.T, fault.Is(b.Box.Move(b.ctx, b.dir+"/folder", b.dir+"/folder/deep/in"), fault.Invalid), "not into itself")
	require.NoError(b.T, b.Box.Move(b.ctx, b.dir+"/folder", b.dir+"/renamed"))
	info, err := b.Box.Stat(b.ctx, b.dir+"/renamed/deep")
	require.NoError(b.T, err)
	require.True(b.T, info.Dir)
	require.True(b.T, fault.Is(b.Box.Move(b.ctx, b.Box.Workspace(), b.dir+"/w"), fault.Denied), "the workspace stays")
}

func removesAll(b *bench) {
	require.NoError(b.T, b.Box.MkdirAll(b.ctx, b.dir+"/all/deep/er"))
	for _, name := range []string{"kept", "all/a", "all/deep/b", "all/deep/er/c"} {
		require.NoError(b.T, b.Box.WriteFile(b.ctx, b.dir+"/"+name, []byte(name), sandbox.WriteCreate))
	}
	b.sh("ln -s ../kept all/link; ln -s .. all/deep/up")
	require.NoError(b.T, b.Box.RemoveAll(b.ctx, b.dir+"/all"))
	_, err := b.Box.Stat(b.ctx, b.dir+"/all")
	require.True(b.T, fault.Is(err, fault.NotFound))
	kept, err := b.Box.ReadFile(b.ctx, b.dir+"/kept", 0, 0)
	require.NoError(b.T, err, "links are not followed")
	require.Equal(b.T, "kept", string(kept.Data))
	require.True(b.T, fault.Is(b.Box.RemoveAll(b.ctx, b.dir+"/all"), fault.NotFound))
	require.NoError(b.T, b.Box.RemoveAll(b.ctx, b.dir+"/kept"))
	require.True(b.T, fault.Is(b.Box.RemoveAll(b.ctx, b.Box.Workspace()), fault.Denied), "the workspace stays")
	require.True(b.T, fault.Is(b.Box.RemoveAll(b.ctx, "/"), fault.Denied))
}
