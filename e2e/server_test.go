package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/host/localstack"
	"xbot/internal/llm/llmtest"
	"xbot/internal/testing/dirtest"
)

// server is a running xbot with its own data folder and a scripted model.
type server struct {
	*process
	t      *testing.T
	home   string
	url    string
	traces string // folder outside the home, for what commands write
	model  *llmtest.Server
	client *apiclient.Client
	db     *pgxpool.Pool         // opened by database
	given  *localstack.Endpoints // Postgres and Temporal that others run; nil: the server runs its own

	temporal func() client.Client // the operator's, opened by the first call
}

// newServer starts "xbot serve" on a data folder in which nothing was said yet, with a database and a namespace on the shared
// Postgres and Temporal.
func newServer(t *testing.T, env ...string) *server {
	t.Helper()
	s := prepareServer(t, env...)
	s.boot()
	return s
}

// newServerWithStack is newServer for a test that kills the server, Postgres or Temporal, or looks at what their operator sees:
// the server runs a Postgres and a Temporal of its own.
func newServerWithStack(t *testing.T, env ...string) *server {
	t.Helper()
	s := prepareServerWithStack(t, env...)
	s.boot()
	return s
}

// diskServer is newServer for a test of the walls around the data folder: it lies on the disk, as an operator's, and not in
// /dev/shm, of which commands see one of their own in any case.
func diskServer(t *testing.T, env ...string) *server {
	t.Helper()
	s := prepareGiven(t, diskHome(t), env...)
	s.boot()
	return s
}

// diskServerWithStack is diskServer where the data of Postgres and Temporal are behind the walls, too.
func diskServerWithStack(t *testing.T, env ...string) *server {
	t.Helper()
	s := prepareServerIn(t, diskHome(t), env...)
	giveStack(t, s.home)
	s.boot()
	return s
}

func diskHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "xe")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(home)) })
	return home
}

func prepareServer(t *testing.T, env ...string) *server {
	t.Helper()
	return prepareGiven(t, dirtest.New(t), env...)
}

// prepareGiven prepares a server in a home on the shared Postgres and Temporal.
func prepareGiven(t *testing.T, home string, env ...string) *server {
	t.Helper()
	given := newEndpoints(t)
	s := prepareServerIn(t, home, append(settings(*given), env...)...)
	s.given = given
	return s
}

func prepareServerWithStack(t *testing.T, env ...string) *server {
	t.Helper()
	s := prepareServerIn(t, dirtest.New(t), env...)
	giveStack(t, s.home)
	return s
}

// prepareServerIn gives it no servers: to start it makes them, as at an operator's.
func prepareServerIn(t *testing.T, home string, env ...string) *server {
	t.Helper()
	s := &server{t: t, home: home, traces: t.TempDir(), url: "http://" + freeAddress(t), model: llmtest.New(t)}
	s.temporal = sync.OnceValue(s.dialTemporal)
	workspace := t.TempDir()
	all := append([]string{
		"XBOT_HOME=" + home, "XBOT_HTTP_ADDR=" + strings.TrimPrefix(s.url, "http://"), "XBOT_WORKSPACE=" + workspace,
		"LLM_BASE_URL=" + s.model.BaseURL(), "LLM_MODEL=scripted", "LLM_API_KEY=sk-test-secret",
		"AGENT_TITLES=off", // the scripted model does what it is told in the conversation
	}, env...)
	t.Cleanup(func() { endServersOf(t, home) })
	s.process = newProcess(t, "xbot", all, "serve")
	s.client = apiclient.New(s)
	t.Cleanup(s.client.Close)
	t.Cleanup(s.showLogs)
	return s
}

// Endpoint reads where the server is, as a local program does.
func (s *server) Endpoint(context.Context) (apiclient.Endpoint, error) {
	var note struct{ URL, Token string }
	data, err := os.ReadFile(filepath.Join(s.home, "run", "serve.json"))
	if err == nil {
		err = json.Unmarshal(data, &note)
	}
	return apiclient.Endpoint{URL: note.URL, Token: note.Token}, err
}

// endpoints are those of the server's Postgres and Temporal.
func (s *server) endpoints() (localstack.Endpoints, error) {
	if s.given != nil {
		return *s.given, nil
	}
	return localstack.Read(s.home)
}

// boot starts the process and waits until it has said where it is.
func (s *server) boot() {
	s.t.Helper()
	s.process.start()
	s.booted()
}

// booted waits until a server that was started has said where it is.
func (s *server) booted() {
	s.t.Helper()
	ready := func() bool { return strings.Contains(s.out.String(), "data ") }
	require.Eventually(s.t, func() bool { return ready() || !s.running() }, startLimit, 10*time.Millisecond, "the server did not become ready")
	require.True(s.t, ready(), "the server ended: %s", s.out)
}

// endServersOf kills what a test that failed between a crash and a restart leaves running: the servers of the home have lost their parent.
func endServersOf(t *testing.T, home string) {
	t.Helper()
	left := find(t, home+"/")
	for _, pid := range find(t, "postgres -D") { // its folder is a descriptor
		if folder, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err == nil && strings.HasPrefix(folder, home+"/") {
			left = append(left, pid)
		}
	}
	for _, pid := range left {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may be ending already
	}
}

// crash kills the server without warning.
func (s *server) crash() { s.t.Helper(); s.kill() }

func (s *server) showLogs() {
	if !s.t.Failed() {
		return
	}
	logs := []string{"xbot.log", "runner-local.log"}
	containers, err := filepath.Glob(filepath.Join(s.home, "logs", "runner-docker-*.log"))
	require.NoError(s.t, err)
	for _, path := range containers {
		logs = append(logs, filepath.Base(path))
	}
	for _, name := range logs {
		data, err := os.ReadFile(filepath.Join(s.home, "logs", name))
		if err == nil {
			s.t.Logf("%s:\n%s", name, tail(string(data), 6000))
		}
	}
	s.t.Logf("printed:\n%s", s.out)
}

func tail(text string, n int) string { return text[max(0, len(text)-n):] }

// freeAddress finds a port on which nobody listens. It lies below those that the system gives to outgoing connections and those
// of the local stack, so that it stays free until a server takes it, and while that server is away.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 200 {
		address := fmt.Sprintf("127.0.0.1:%d", 10_000+mathrand.IntN(10_000))
		if _, taken := addresses.LoadOrStore(address, t.Name()); taken {
			continue
		}
		if l, err := net.Listen("tcp", address); err == nil {
			require.NoError(t, l.Close())
			return address
		}
	}
	require.Fail(t, "no port from 10000 to 19999 is free")
	return ""
}

// addresses are those that tests of this program were given.
var addresses sync.Map

// talk is one session of the server.
type talk struct {
	*server
	key chat.SessionKey
}

func (s *server) newTalk() *talk {
	s.t.Helper()
	session, err := s.client.CreateSession(s.t.Context(), apiclient.NewSession{})
	require.NoError(s.t, err)
	return &talk{server: s, key: session.Key}
}

// send sends a message until it is accepted, and returns the id of its row.
func (k *talk) send(lines ...string) chat.InboxID {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), startLimit)
	defer cancel()
	got, err := k.client.SendUntilAccepted(ctx, k.key, rand.Text(), strings.Join(lines, "\n"), nil)
	require.NoError(k.t, err)
	return got.ID
}

// until follows the feed from its beginning until an event satisfies the condition.
func (k *talk) until(limit time.Duration, what string, found func(chat.Event) bool) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), limit)
	defer cancel()
	for u := range k.client.Watch(ctx, k.key, 0) {
		if u.Event != nil && found(*u.Event) {
			return
		}
	}
	require.Fail(k.t, "not seen in the feed: "+what, "%s", k.dump())
}

func decode[T any](t *testing.T, e chat.Event) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal(e.Data, &v))
	return v
}

// untilEnded waits until the turn that claimed a message has ended, and returns it.
func (k *talk) untilEnded(limit time.Duration, id chat.InboxID) chat.Turn {
	k.t.Helper()
	var turn chat.TurnID
	var ended chat.Turn
	k.until(limit, fmt.Sprintf("the end of the turn of message %d", id), func(e chat.Event) bool {
		switch e.Kind {
		case chat.EventMessage:
			if m := decode[chat.Message](k.t, e); m.Inbox == id {
				turn = m.Turn
			}
		case chat.EventTurn:
			if t := decode[chat.Turn](k.t, e); turn != "" && t.ID == turn && t.State != chat.TurnRunning {
				ended = t
			}
		}
		return ended.ID != "" && ended.State != chat.TurnReleased
	})
	return ended
}

// untilDelta waits until the model's text streams.
func (k *talk) untilDelta(limit time.Duration) {
	k.t.Helper()
	k.until(limit, "a delta", func(e chat.Event) bool { return e.Kind == chat.EventDelta })
}

// untilTool waits until a tool call of a step is in a state.
func (k *talk) untilTool(limit time.Duration, state chat.CallState) chat.ToolEvent {
	k.t.Helper()
	var got chat.ToolEvent
	k.until(limit, "a tool call that is "+string(state), func(e chat.Event) bool {
		if e.Kind != chat.EventTool {
			return false
		}
		got = decode[chat.ToolEvent](k.t, e)
		return got.State == state
	})
	return got
}

func (k *talk) transcript() apiclient.Transcript {
	k.t.Helper()
	t, err := k.client.ListMessages(k.t.Context(), k.key, apiclient.ListMessagesParams{Limit: 500})
	require.NoError(k.t, err)
	return t
}

func (k *talk) dump() string {
	t, err := k.client.ListMessages(context.Background(), k.key, apiclient.ListMessagesParams{Limit: 500})
	if err != nil {
		return err.Error()
	}
	data, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// wellFormed checks what every transcript must be: each message claimed once, each call with its result, each ended
// turn with one end.
func (k *talk) wellFormed() {
	k.t.Helper()
	seen := map[chat.InboxID]bool{}
	for _, m := range k.transcript().Messages {
		ofHook := m.Origin == chat.OriginHook && m.Inbox == 0 // context from a hook, which nobody sent
		if m.Role == chat.RoleUser && !ofHook {
			require.False(k.t, seen[m.Inbox], "message %d stands twice in the transcript", m.Inbox)
			seen[m.Inbox] = true
		}
		for _, c := range m.ToolCalls {
			require.Equal(k.t, chat.CallDone, c.State, "call %s of %s has no result", c.ID, m.Content)
		}
	}
	require.Empty(k.t, k.transcript().Queued, "messages still wait")
}

// answers returns the final answer of each turn, in the order of the transcript.
func (k *talk) answers() []string {
	k.t.Helper()
	var out []string
	for _, m := range k.transcript().Messages {
		if m.Role == chat.RoleAssistant && len(m.ToolCalls) == 0 {
			out = append(out, m.Content)
		}
	}
	return out
}

// file is where a command leaves its trace.
func (k *talk) file(name string) string {
	return filepath.Join(k.traces, strings.ReplaceAll(string(k.key), ":", "-")+"-"+name)
}

// trace returns the lines that commands wrote to a file, which is removed with the test.
func (k *talk) trace(name string) []string {
	data, err := os.ReadFile(k.file(name))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

// untilFile returns a command of a shell that ends when touch makes the file: for what has to be seen while a command runs, however slow the
// machine is.
func (k *talk) untilFile(name string) string {
	return fmt.Sprintf("until [ -e %s ]; do sleep 0.05; done", k.file(name))
}

// touch makes a file that a command waits for.
func (k *talk) touch(name string) {
	k.t.Helper()
	require.NoError(k.t, os.WriteFile(k.file(name), nil, 0o600))
}

func (k *talk) shell(format string, args ...any) string {
	k.t.Helper()
	command, err := json.Marshal(map[string]any{"command": fmt.Sprintf(format, args...)})
	require.NoError(k.t, err)
	return "call Shell " + string(command)
}
