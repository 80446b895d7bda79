package mcp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/mcp"
)

// everything installs the reference server of the protocol, of the version in testdata, into a cache of this machine, and returns its program.
// Without Node.js or npm's registry the test is left out, except in CI.
func everything(t *testing.T) string {
	t.Helper()
	lock, err := os.ReadFile("testdata/everything/package-lock.json")
	require.NoError(t, err)
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	sum := sha256.Sum256(lock)
	home := filepath.Join(cache, "xbot-test", "mcp-everything-"+hex.EncodeToString(sum[:8]))
	program := filepath.Join(home, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	if _, err := os.Stat(program); err == nil {
		return program
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(home), 0o755))
	fresh, err := os.MkdirTemp(filepath.Dir(home), "installing-")
	require.NoError(t, err)
	defer os.RemoveAll(fresh) //nolint:errcheck // what is left of it is in a cache
	for name, data := range map[string][]byte{"package-lock.json": lock, "package.json": nil} {
		if data == nil {
			data, err = os.ReadFile("testdata/everything/" + name)
			require.NoError(t, err)
		}
		require.NoError(t, os.WriteFile(filepath.Join(fresh, name), data, 0o600))
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	install.Dir = fresh
	if out, err := install.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("the reference server cannot be installed, which needs Node.js, npm and its registry: %v: %s", err, out)
		}
		require.NoError(t, err, string(out))
	}
	if err := os.Rename(fresh, home); err != nil {
		require.FileExists(t, program, "another process was not faster: %v", err)
	}
	return program
}

// talk uses of the reference server what every server may have.
func (f *fixture) talk(at mcp.At) {
	f.t.Helper()
	s, err := f.Refresh(f.t.Context(), at)
	require.NoError(f.t, err)
	require.GreaterOrEqual(f.t, s.Tools, 8)
	require.Empty(f.t, s.LeftOut, "every schema of a good server is one")
	require.Positive(f.t, s.MCPState.Prompts)
	require.Positive(f.t, s.MCPState.Resources)
	require.NotEmpty(f.t, s.Guide)
	require.Contains(f.t, f.call(at, "echo", chat.ClassOnce, `{"message":"hello"}`).Content, "hello")
	require.Contains(f.t, f.call(at, "get-sum", chat.ClassOnce, `{"a":2,"b":40}`).Content, "42")
	require.Contains(f.t, f.call(at, "get-tiny-image", chat.ClassOnce, "").Content, "[image: image/png · 4033 bytes · left out: the picture is broken", "its checksum is wrong")
	require.Contains(f.t, f.call(at, "get-structured-content", chat.ClassOnce, `{"location":"Chicago"}`).Content, "temperature")
	require.True(f.t, f.call(at, "get-sum", chat.ClassOnce, `{"a":"two"}`).IsError)
	list, err := f.Resources(f.t.Context(), at)
	require.NoError(f.t, err)
	uri, _, _ := strings.Cut(list.Content, " ")
	got, err := f.Read(f.t.Context(), at, uri)
	require.NoError(f.t, err)
	require.False(f.t, got.IsError, got.Content)
	prompts, err := f.Prompts(f.t.Context(), ann)
	require.NoError(f.t, err)
	require.NotEmpty(f.t, prompts)
	said, _, err := f.Prompt(f.t.Context(), at, "simple-prompt", nil)
	require.NoError(f.t, err)
	require.NotEmpty(f.t, said)
	got, err = f.Call(f.t.Context(), at, "trigger-long-running-operation", chat.ClassOnce, []byte(`{"duration":0.5,"steps":2}`), nil)
	require.NoError(f.t, err)
	require.Contains(f.t, got.Content, "completed")
}

func TestEverything_TheReferenceServerIsUnderstoodOverEachTransport(t *testing.T) {
	t.Parallel()
	program := everything(t)
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.talk(f.add(mcp.Draft{MCPConfig: chat.MCPConfig{Name: "reference", Command: "node", Args: []string{program, "stdio"}}}))
	})
	for mode, c := range map[string]struct {
		transport chat.MCPTransport
		path      string
	}{"streamableHttp": {chat.MCPHTTP, "/mcp"}, "sse": {chat.MCPSSE, "/sse"}} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var listen net.ListenConfig
			free, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
			require.NoError(t, err)
			_, port, err := net.SplitHostPort(free.Addr().String())
			require.NoError(t, err)
			require.NoError(t, free.Close())
			server := exec.CommandContext(t.Context(), "node", program, mode)
			server.Env = append(os.Environ(), "PORT="+port)
			require.NoError(t, server.Start())
			t.Cleanup(func() {
				_ = server.Process.Kill() // it may have ended
				_ = server.Wait()         // of the kill
			})
			base := "http://127.0.0.1:" + port
			require.Eventually(t, func() bool {
				var dial net.Dialer
				conn, err := dial.DialContext(t.Context(), "tcp", "127.0.0.1:"+port)
				if err == nil {
					_ = conn.Close() // it was only to see
				}
				return err == nil
			}, waitLong, waitShort)
			f := setup(t)
			f.talk(f.add(mcp.Draft{MCPConfig: chat.MCPConfig{Name: "reference", Transport: c.transport, URL: fmt.Sprint(base, c.path)}}))
		})
	}
}
