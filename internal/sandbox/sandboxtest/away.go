package sandboxtest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/internal/tool/file"
	"xbot/internal/tool/shell"
	"xbot/internal/tool/tooltest"
	"xbot/internal/tool/web"
)

// Away is a sandbox whose runner is out of reach, with a short offline wait.
type Away struct {
	Box    sandbox.Sandbox
	Runner string        // its name
	Waits  time.Duration // its offline wait
}

// RunAway checks that every tool reports the same of a runner that is away, after one wait. Open makes a sandbox that was
// used before its runner went away.
func RunAway(t *testing.T, open func(t *testing.T) Away) {
	a := open(t)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") }))
	t.Cleanup(page.Close)
	memory := tooltest.NewMemory()
	tools := []struct {
		tool tool.Tool
		args string
	}{
		{shell.New(), `{"command":"true"}`},
		{file.NewRead(nil), `{"path":"f"}`},
		{file.NewGrep(), `{"pattern":"x"}`},
		{file.NewGlob(), `{"pattern":"*"}`},
		{file.NewCreate(), `{"path":"f","content":"x"}`},
		{file.NewReplace(memory), `{"path":"f","old_string":"x","new_string":"y"}`},
		{file.NewCd(memory, memory), `{"path":"d"}`},
		{web.NewDownload(page.Client(), "test"), `{"url":"` + page.URL + `","output_path":"f"}`},
	}
	want := (&sandbox.OfflineError{Runner: a.Runner, Waited: a.Waits}).Error()
	for _, c := range tools {
		t.Run(c.tool.Spec().Name, func(t *testing.T) {
			t.Parallel()
			box := &counted{Sandbox: a.Box}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := c.tool.Run(ctx, tool.Call{ID: "turn.0.0", Session: "agent:main:web:thread:test", User: 1, Arguments: c.args, Box: box})
			require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
			require.EqualError(t, err, want)
			require.Equal(t, 1, box.waits, "a tool waits once for a runner that is away")
		})
	}
	t.Run("a search's own time does not run meanwhile", func(t *testing.T) {
		t.Parallel()
		_, err := a.Box.Glob(t.Context(), sandbox.GlobQuery{Pattern: "*", Time: a.Waits / 2})
		require.EqualError(t, err, want)
		_, err = a.Box.Grep(t.Context(), sandbox.GrepQuery{Pattern: "x", Time: a.Waits / 2})
		require.EqualError(t, err, want)
	})
	t.Run("a person's download", func(t *testing.T) {
		t.Parallel()
		_, err := a.Box.Download(t.Context(), "f", io.Discard)
		require.EqualError(t, err, want)
	})
}

// counted counts the operations that found the runner away.
type counted struct {
	sandbox.Sandbox

	waits int
}

func (c *counted) note(err error) error {
	if fault.Is(err, fault.Unavailable) {
		c.waits++
	}
	return err
}

func (c *counted) Exec(ctx context.Context, req sandbox.ExecRequest) (sandbox.ExecResult, error) {
	got, err := c.Sandbox.Exec(ctx, req)
	return got, c.note(err)
}

func (c *counted) ReadFile(ctx context.Context, path string, offset, limit int64) (sandbox.FileData, error) {
	got, err := c.Sandbox.ReadFile(ctx, path, offset, limit)
	return got, c.note(err)
}

func (c *counted) WriteFile(ctx context.Context, path string, data []byte, mode sandbox.WriteMode) error {
	return c.note(c.Sandbox.WriteFile(ctx, path, data, mode))
}

func (c *counted) Stat(ctx context.Context, path string) (sandbox.FileInfo, error) {
	got, err := c.Sandbox.Stat(ctx, path)
	return got, c.note(err)
}

func (c *counted) ReadDir(ctx context.Context, path string) ([]sandbox.FileInfo, error) {
	got, err := c.Sandbox.ReadDir(ctx, path)
	return got, c.note(err)
}

func (c *counted) MkdirAll(ctx context.Context, path string) error {
	return c.note(c.Sandbox.MkdirAll(ctx, path))
}

func (c *counted) Upload(ctx context.Context, path string, from io.Reader, mode sandbox.WriteMode) (int64, error) {
	n, err := c.Sandbox.Upload(ctx, path, from, mode)
	return n, c.note(err)
}

func (c *counted) Glob(ctx context.Context, q sandbox.GlobQuery) (sandbox.GlobResult, error) {
	got, err := c.Sandbox.Glob(ctx, q)
	return got, c.note(err)
}

func (c *counted) Grep(ctx context.Context, q sandbox.GrepQuery) (sandbox.GrepResult, error) {
	got, err := c.Sandbox.Grep(ctx, q)
	return got, c.note(err)
}
