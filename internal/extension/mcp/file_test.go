package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// folder is the data folder of a server whose administrator writes mcp.json.
type folder struct {
	*mcp.File

	t    *testing.T
	rows *rows
	log  *lockedBuffer
}

// lockedBuffer is a log that a test reads while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) said() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.String()
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	key := secret.NewKey()
	r, log := &rows{offers: map[int64]chat.MCPOffers{}}, &lockedBuffer{}
	return &folder{t: t, rows: r, log: log, File: &mcp.File{
		Path: filepath.Join(t.TempDir(), mcp.FileName), Env: map[string]string{"TRACKER_TOKEN": "sesame-90210"}, Servers: &mcp.Servers{Rows: r, Key: key}, Log: slog.New(slog.NewTextHandler(log, nil)), MissingFor: 1,
	}}
}

// refusing is a network in which nobody answers; it says what a request was authorized by.
type refusing struct{}

func (refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("asked with %s", r.Header.Get("K"))
}

func (f *folder) write(content string) {
	f.t.Helper()
	require.NoError(f.t, os.WriteFile(f.Path, []byte(content), 0o600))
}

func (f *folder) list() []chat.MCPServer {
	f.t.Helper()
	all, err := f.Servers.List(f.t.Context(), ann)
	require.NoError(f.t, err)
	return all
}

func TestFile_ItsServersAreTheInstallationsAndFollowIt(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	require.NoError(t, f.Sync(t.Context()))
	require.Empty(t, f.list(), "there is no file")
	f.write(`{"mcpServers":{"tracker":{"url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer ${TRACKER_TOKEN}"},"instructions":"for bugs"},"files":{"command":"npx","args":["-y","x"],"disabled":true}}}`)
	require.NoError(t, f.Sync(t.Context()))
	all := f.list()
	require.Len(t, all, 2)
	require.Equal(t, []any{"files", true, true, false}, []any{all[0].Name, all[0].Shared, all[0].FromFile, all[0].Enabled})
	require.Equal(t, []any{"tracker", []string{"Authorization"}, "for bugs", int64(1)}, []any{all[1].Name, all[1].HeaderNames, all[1].Instructions, all[1].Revision})
	require.NoError(t, f.Sync(t.Context()))
	require.Equal(t, all, f.list(), "what has not changed stays as it is")
	f.Env["TRACKER_TOKEN"] = "another-one"
	f.write(`{"mcpServers":{"tracker":{"url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer ${TRACKER_TOKEN}"}}}}`)
	require.NoError(t, f.Sync(t.Context()))
	all = f.list()
	require.Len(t, all, 1)
	require.Equal(t, []any{"", int64(2)}, []any{all[0].Instructions, all[0].Revision})
	require.NoError(t, os.Remove(f.Path))
	require.NoError(t, f.Sync(t.Context()))
	require.Empty(t, f.list())
	require.NotContains(t, f.log.said(), "sesame-90210")
	require.NotContains(t, f.log.said(), "another-one")
}

func TestFile_OneThatIsWrongChangesNothingAndQuotesNoValue(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(`{"mcpServers":{"files":{"command":"npx"}}}`)
	require.NoError(t, f.Sync(t.Context()))
	for _, wrong := range []string{
		`not JSON the-value`, `{}`, `null`, `{"servers":{"x":{"command":"npx"}}}`, `{"mcpServers":null}`, `{"mcpServers":{"Files":{"command":"npx"}}}`, `{"mcpServers":{"x":{"command":"npx","url":"https://x.example"}}}`,
		`{"mcpServers":{"x":{"command":"npx","args":["--key=${TRACKER_TOKEN}"]}}}`, `{"mcpServers":{"x":{"url":"https://x.example/${TRACKER_TOKEN}"}}}`,
		`{"mcpServers":{"x":{"command":"${TRACKER_TOKEN}"}}}`,
		strings.Repeat(" ", 2<<20),
	} {
		f.write(wrong)
		err := f.Sync(t.Context())
		require.Equal(t, fault.Invalid, fault.KindOf(err), wrong[:min(len(wrong), 90)])
		require.NotContains(t, err.Error(), "the-value")
		require.Len(t, f.list(), 1)
	}
	f.Env["TRACKER_TOKEN"] = "two\nlines"
	f.write(`{"mcpServers":{"files":{"command":"npx"},"x":{"url":"https://x.example","headers":{"A":"${TRACKER_TOKEN}"}},"y":{"command":"uvx"}}}`)
	require.NoError(t, f.Sync(t.Context()), "a variable can break out of a header no more than a value can, and the others are taken")
	require.Equal(t, []string{"files", "y"}, []string{f.list()[0].Name, f.list()[1].Name})
	require.Len(t, f.list(), 2)
	require.Contains(t, f.log.said(), "left out")
	f.write(`{"mcpServers":{"files":{"command":"npx"}}}`)
	require.NoError(t, f.Sync(t.Context()))
	require.NotContains(t, f.log.said(), "the-value")
	require.NoError(t, os.Remove(f.Path))
	require.NoError(t, os.Mkdir(f.Path, 0o700))
	require.Equal(t, fault.Invalid, fault.KindOf(f.Sync(t.Context())))
	require.Len(t, f.list(), 1)
}

func TestFile_WithoutItsVariableAServerIsNotUsedButWithWhatStandsForIt(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(`{"mcpServers":{"a":{"url":"https://a.example","headers":{"K":"Bearer ${NOT_SET}"}},"b":{"url":"https://b.example","headers":{"K":"${NOT_SET:-open}"}}}}`)
	require.NoError(t, f.Sync(t.Context()))
	require.Contains(t, f.log.said(), "NOT_SET")
	connections := mcp.NewConnections(mcp.Config{Rows: f.rows, Key: f.Servers.Key, Own: refusing{}})
	t.Cleanup(func() { require.NoError(t, connections.Close()) })
	_, err := connections.Refresh(t.Context(), mcp.At{Server: f.list()[0].ID, Person: ann})
	require.ErrorContains(t, err, "set the variable that mcp.json names")
	_, err = connections.Refresh(t.Context(), mcp.At{Server: f.list()[1].ID, Person: ann})
	require.ErrorContains(t, err, "asked with open")
}

func TestFile_OfProcessesWithDifferentOnesTheLastThatChangedCounts(t *testing.T) {
	t.Parallel()
	first, second := newFolder(t), newFolder(t)
	second.Servers = first.Servers
	sync := func(folders ...*folder) string {
		for _, f := range folders {
			require.NoError(t, f.Sync(t.Context()))
		}
		var names []string
		for _, s := range first.list() {
			names = append(names, s.Name+" "+s.URL)
		}
		return strings.Join(names, ", ")
	}
	first.write(`{"mcpServers":{"a":{"url":"https://a.example"},"both":{"url":"https://first.example"}}}`)
	second.write(`{"mcpServers":{"both":{"url":"https://second.example"}}}`)
	const ofSecond = "both https://second.example"
	require.Equal(t, ofSecond, sync(first, second))
	require.Equal(t, ofSecond, sync(first, second, first), "they do not go to and fro")
	first.write(`{"mcpServers":{"both":{"url":"https://changed.example"}}}`)
	require.Equal(t, "both https://changed.example", sync(second, first, second))
	require.NoError(t, os.Remove(first.Path))
	require.Empty(t, sync(first, first), "one that is removed was changed, too")
	second.write(`{"mcpServers":{"b":{"url":"https://b.example"}}}`)
	require.Equal(t, "b https://b.example", sync(second, first, second), "and is removed once")
}

// keys are the names of variables that hold keys; none at all: the database is away.
type keys struct{ names []string }

func (k *keys) KeyVariables(context.Context) ([]string, error) {
	if k.names == nil {
		return nil, fault.Errorf(fault.Unavailable, "the database is away")
	}
	return k.names, nil
}

func TestFile_AVariableThatHoldsAKeyOfTheInstallationIsHandedToNoServer(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	known := &keys{}
	f.Keys = known
	f.write(`{"mcpServers":{"a":{"url":"https://a.example","headers":{"K":"Bearer ${TRACKER_TOKEN}"}},"b":{"url":"https://b.example","headers":{"K":"${TRACKER_TOKEN:-open}"}}}}`)
	require.Equal(t, fault.Unavailable, fault.KindOf(f.Sync(t.Context())), "where nobody knows which hold one, none is read")
	require.Empty(t, f.list())

	connections := mcp.NewConnections(mcp.Config{Rows: f.rows, Key: f.Servers.Key, Own: refusing{}})
	t.Cleanup(func() { require.NoError(t, connections.Close()) })
	asked := func(i int) error {
		_, err := connections.Refresh(t.Context(), mcp.At{Server: f.list()[i].ID, Person: ann})
		return err
	}
	known.names = []string{"OTHER"}
	require.NoError(t, f.Sync(t.Context()))
	require.ErrorContains(t, asked(0), "asked with [hidden]")

	known.names = []string{"TRACKER_TOKEN"} // the policy names it from now on
	require.NoError(t, f.Sync(t.Context()))
	require.ErrorContains(t, asked(0), "set the variable that mcp.json names", "the value is gone from the server that had it")
	require.ErrorContains(t, asked(1), "asked with open")
	require.Contains(t, f.log.said(), "holds a key of the installation")
	require.NotContains(t, f.log.said(), "sesame")
}

func TestFile_NobodyElseChangesItsServersAndItChangesNobodyElses(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	ctx := t.Context()
	page := func(owner chat.UserID, name string, revision int64) error {
		_, err := f.Servers.Save(ctx, owner, mcp.Draft{Revision: revision, MCPConfig: chat.MCPConfig{Name: name, Command: "mine", Enabled: true}}, ann)
		return err
	}
	require.NoError(t, page(0, "added", 0))
	f.write(`{"mcpServers":{"added":{"command":"evil"},"files":{"command":"npx"}}}`)
	require.NoError(t, f.Sync(ctx))
	require.Contains(t, f.log.said(), "on the page")
	added, err := f.Servers.Own(ctx, 0, "added")
	require.NoError(t, err)
	require.Equal(t, "mine", added.Command)

	require.Equal(t, fault.Denied, fault.KindOf(page(0, "files", 1)))
	_, err = f.Servers.Put(ctx, 0, mcp.Draft{MCPConfig: chat.MCPConfig{Name: "files", Command: "mine"}}, ann)
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.Equal(t, fault.Denied, fault.KindOf(f.Servers.Remove(ctx, 0, "files")))
	require.NoError(t, page(ann, "files", 0), "a person's own of the same name is theirs")
	require.NoError(t, os.Remove(f.Path))
	require.NoError(t, f.Sync(ctx))
	all := f.list()
	require.Len(t, all, 2)
	require.Equal(t, []any{"added", "files", false}, []any{all[0].Name, all[1].Name, all[1].Shared})
}

func TestFile_IsFollowedWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Follow(ctx) }()
	f.write(`{"mcpServers":{"files":{"command":"npx"}}}`)
	require.Eventually(t, func() bool { return len(f.list()) == 1 }, waitLong, waitShort)
	f.write(`{"mcpServers":{"files":{"command":"npx"},"more":{"command":"uvx"}}}`)
	require.Eventually(t, func() bool { return len(f.list()) == 2 }, waitLong, waitShort)
	cancel()
	require.NoError(t, <-ended)
}

func TestFile_ThatIsNotThereRemovesNothingOfAProcessThatReadIt(t *testing.T) {
	t.Parallel()
	first := newFolder(t)
	first.write(`{"mcpServers":{"files":{"command":"npx"}}}`)
	require.NoError(t, first.Sync(t.Context()))
	second := newFolder(t)
	second.File.Servers = first.Servers
	for range 3 {
		require.NoError(t, second.Sync(t.Context()))
		require.Len(t, first.list(), 1, "another replica has no such file")
	}
	first.MissingFor = 0
	require.NoError(t, os.Remove(first.Path))
	for range 3 {
		require.NoError(t, first.Sync(t.Context()))
		require.Len(t, first.list(), 1, "it is gone for a moment only")
	}
	first.write(`{"mcpServers":{}}`)
	require.NoError(t, first.Sync(t.Context()))
	require.Empty(t, first.list())
}

func TestFile_AsksAllThatHaveNotSaidWhatTheyOfferAtOnce(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	var asked atomic.Int32
	both := make(chan struct{})
	silent := roundTrip(func(r *http.Request) (*http.Response, error) {
		if asked.Add(1) == 2 {
			close(both)
		}
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	f.File.Connections = mcp.NewConnections(mcp.Config{Rows: f.rows, Key: f.Servers.Key, Own: silent})
	t.Cleanup(func() { require.NoError(t, f.File.Connections.Close()) })
	f.write(`{"mcpServers":{"a":{"url":"https://a.example"},"b":{"url":"https://b.example"},"off":{"url":"https://c.example","disabled":true}}}`)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Follow(ctx) }()
	select {
	case <-both:
	case <-time.After(waitLong):
		require.Fail(t, "one waits for the other")
	}
	f.write(`{"mcpServers":{"a":{"url":"https://a.example"},"more":{"command":"uvx"}}}`)
	require.Eventually(t, func() bool { return len(f.list()) == 2 }, waitLong, waitShort, "the file is followed meanwhile")
	cancel()
	require.NoError(t, <-ended)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
