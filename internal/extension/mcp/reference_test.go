package mcp_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/extension/mcp/mcptest"
)

// talk uses of the reference server what every server may have.
func (f *fixture) talk(at mcp.At) {
	f.t.Helper()
	s, err := f.Refresh(f.t.Context(), at)
	require.NoError(f.t, err)
	require.GreaterOrEqual(f.t, s.Tools, 8)
	require.Equal(f.t, []string{"tool simulate-research-query: it can be called as a task only, which is not supported"}, s.LeftOut)
	require.Positive(f.t, s.MCPState.Prompts)
	require.Positive(f.t, s.MCPState.Resources)
	require.NotEmpty(f.t, s.Guide)
	require.Contains(f.t, f.call(at, "echo", chat.ClassOnce, `{"message":"hello"}`).Content, "hello")
	require.Contains(f.t, f.call(at, "get-sum", chat.ClassOnce, `{"a":2,"b":40}`).Content, "42")
	tiny := f.call(at, "get-tiny-image", chat.ClassOnce, "")
	require.Len(f.t, tiny.Pictures, 1, "a checksum of what is no pixel is wrong: %s", tiny.Content)
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
	program := mcptest.Reference(t, "everything")
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

func TestReference_FilesAndNotesAreKeptByTheirServers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	folder := t.TempDir()
	files := f.add(mcp.Draft{MCPConfig: chat.MCPConfig{Name: "files", Command: "node", Args: []string{mcptest.Reference(t, "filesystem"), folder}}})
	notes := f.add(mcp.Draft{
		Env: map[string]string{"MEMORY_FILE_PATH": filepath.Join(folder, "notes.jsonl")}, MCPConfig: chat.MCPConfig{Name: "notes", Command: "node", Args: []string{mcptest.Reference(t, "memory")}},
	})
	for _, at := range []mcp.At{files, notes} {
		s, err := f.Refresh(t.Context(), at)
		require.NoError(t, err)
		require.GreaterOrEqual(t, s.Tools, 8)
		require.Empty(t, s.LeftOut)
	}
	said := func(at mcp.At, name, arguments string) string {
		t.Helper()
		got := f.call(at, name, chat.ClassOnce, arguments)
		require.False(t, got.IsError, got.Content)
		return got.Content
	}
	path := filepath.Join(folder, "a.txt")
	said(files, "write_file", fmt.Sprintf(`{"path":%q,"content":"quinces"}`, path))
	require.Contains(t, said(files, "read_text_file", fmt.Sprintf(`{"path":%q}`, path)), "quinces")
	require.Contains(t, said(files, "list_directory", fmt.Sprintf(`{"path":%q}`, folder)), "a.txt")
	outside := f.call(files, "read_text_file", chat.ClassOnce, `{"path":"/etc/hostname"}`)
	require.True(t, outside.IsError)
	require.Contains(t, outside.Content, "outside allowed directories")

	said(notes, "create_entities", `{"entities":[{"name":"Ann","entityType":"person","observations":["grows quinces"]}]}`)
	require.Contains(t, said(notes, "search_nodes", `{"query":"quinces"}`), "Ann")

	tools := f.tools(mcp.NewSource(f.rows, f.Connections), ann)
	require.Equal(t, chat.ClassOnce, tools["mcp_files_read_text_file"].Spec().Class, "nobody trusts what it says of itself")
	require.Equal(t, chat.ClassOnce, tools["mcp_files_write_file"].Spec().Class)
}
