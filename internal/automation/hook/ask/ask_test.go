package ask_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/automation/hook"
	"xbot/internal/automation/hook/ask"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// asks names the variable by which this program is a server that asks the command in it, and is killed meanwhile.
const asks = "XBOT_TEST_ASKS"

func TestMain(m *testing.M) {
	if command := os.Getenv(asks); command != "" {
		_, err := ask.Host{}.Ask(context.Background(), hook.Handler{Command: command, Host: true}, question())
		fmt.Println("asked:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

func question() hook.Question {
	return hook.Question{Session: "agent:main:web:dm:1", Payload: hook.Payload{Event: hook.PreToolUse, ID: "t.0.0", ToolName: "Shell", Cwd: "/project"}, Body: []byte(`{"hook_event_name":"PreToolUse"}`)}
}

func host(ctx context.Context, t *testing.T, command string) (hook.Answer, error) {
	t.Helper()
	return ask.Host{Dir: t.TempDir()}.Ask(ctx, hook.Handler{Command: command, Host: true}, question())
}

func TestHost_ReadsTheEndOfACommand(t *testing.T) {
	t.Parallel()
	a, err := host(t.Context(), t, `read line; echo "{\"decision\":\"ask\",\"reason\":\"saw $XBOT_HOOK_EVENT $XBOT_HOOK_EVENT_ID $XBOT_SESSION_ID $XBOT_PROJECT_DIR\"}"; test "$line" = '' `)
	require.Error(t, err, "exit status 1")
	require.ErrorContains(t, err, "exit status 1")
	require.Zero(t, a)
	a, err = host(t.Context(), t, `echo "{\"decision\":\"ask\",\"reason\":\"saw $XBOT_HOOK_EVENT $XBOT_HOOK_EVENT_ID $XBOT_SESSION_ID $XBOT_PROJECT_DIR\"}"`)
	require.NoError(t, err)
	require.Equal(t, hook.Answer{Decision: hook.Ask, Reason: "saw PreToolUse t.0.0 agent:main:web:dm:1 /project"}, a)
	a, err = host(t.Context(), t, "cat")
	require.NoError(t, err)
	require.Empty(t, a.Decision, "the payload is its standard input, and itself no decision")
	a, err = host(t.Context(), t, "echo not on Fridays >&2; exit 2")
	require.NoError(t, err)
	require.Equal(t, hook.Answer{Decision: hook.Deny, Reason: "not on Fridays"}, a)
	_, err = host(t.Context(), t, "head -c 300000 /dev/zero")
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
	a, err = host(t.Context(), t, "true & wait; read x <&3 || echo alone")
	require.NoError(t, err)
	require.Equal(t, "alone", a.Context, "it has neither the guard's descriptor nor its process to wait for")
	_, err = host(t.Context(), t, "kill -9 $$")
	require.ErrorContains(t, err, "signal: killed")
}

func TestHost_SeesNoSecretsOfTheServer(t *testing.T) {
	t.Setenv("LLM_API_KEY", "sk-secret")
	t.Setenv("XBOT_HOME", "/secret/home")
	a, err := host(t.Context(), t, "env")
	require.NoError(t, err)
	require.Contains(t, a.Context, "PATH=")
	require.NotContains(t, a.Context, "secret")
}

func TestHost_KillsTheWholeGroupWhenTheTimeIsUp(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := host(ctx, t, fmt.Sprintf("(while :; do touch %s; sleep 0.1; done) & sleep 600", trace))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_ = os.Remove(trace) // it may never have come to it
	require.Never(t, func() bool { _, err := os.Stat(trace); return err == nil }, 1500*time.Millisecond, 100*time.Millisecond)
}

func TestHost_ACommandEndsWithAServerThatIsKilled(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), asks+"="+fmt.Sprintf("trap '' TERM HUP; sleep 600 & echo $! >> %[1]s; echo $$ >> %[1]s; wait", pids))
	require.NoError(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill() }) // where the test fails before
	var left []int
	require.Eventually(t, func() bool { left = numbers(pids); return len(left) == 2 }, time.Minute, 10*time.Millisecond, "it runs, and what it left behind")
	require.NoError(t, server.Process.Kill())
	require.Error(t, server.Wait(), "it was killed")
	for _, pid := range left {
		require.Eventually(t, func() bool { return gone(pid) }, time.Minute, 10*time.Millisecond, "process %d", pid)
	}
}

// numbers reads the lines of a file that is being written.
func numbers(path string) (out []int) {
	data, _ := os.ReadFile(path) // not there yet
	for line := range strings.Lines(string(data)) {
		if n, err := strconv.Atoi(strings.TrimSuffix(line, "\n")); err == nil && strings.HasSuffix(line, "\n") {
			out = append(out, n)
		}
	}
	return out
}

// gone reports whether a process has ended; one that nobody has waited for yet has.
func gone(pid int) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err != nil || strings.HasPrefix(string(state), "Z")
}

// reach is HTTP that may reach this machine, or not.
func reach(t *testing.T, allow ...string) ask.HTTP {
	t.Helper()
	list, err := safehttp.ParseAllow(allow)
	require.NoError(t, err)
	client := safehttp.New(list)
	t.Cleanup(client.CloseIdleConnections)
	return ask.NewHTTP(client, map[string]string{"TOKEN": "value-of-TOKEN"}, "xbot/test")
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestHTTP_PostsThePayloadWithItsHeaders(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, err := body.ReadFrom(r.Body)
		if err != nil || r.Method != http.MethodPost || body.String() != string(question().Body) || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"decision":"deny","reason":"%s %s"}`, r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key"))
	})
	a, err := reach(t, "127.0.0.1").Ask(t.Context(), hook.Handler{HTTPCall: hook.HTTPCall{URL: url, Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"}}}, question())
	require.NoError(t, err)
	require.Equal(t, hook.Answer{Decision: hook.Deny, Reason: "Bearer value-of-TOKEN t.0.0"}, a)
}

func TestHTTP_RefusesPrivateAddressesAndTellsNoSecret(t *testing.T) {
	t.Parallel()
	asked := false
	at := serve(t, func(http.ResponseWriter, *http.Request) { asked = true })
	_, err := reach(t).Ask(t.Context(), hook.Handler{HTTPCall: hook.HTTPCall{URL: at + "/?key=secret"}}, question())
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.NotContains(t, err.Error(), "secret")
	require.False(t, asked)
	_, err = reach(t).Ask(t.Context(), hook.Handler{HTTPCall: hook.HTTPCall{URL: "http://169.254.169.254/latest/meta-data"}}, question())
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestHTTP_RefusesThisMachineUnderEveryName(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	at, err := url.Parse(serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	require.NoError(t, err)
	for _, name := range []string{"localhost", "127.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[::1]", "0.0.0.0", "[::]", "2130706433", "0x7f.1"} {
		_, err := reach(t).Ask(t.Context(), hook.Handler{HTTPCall: hook.HTTPCall{URL: "http://" + name + ":" + at.Port()}}, question())
		require.Error(t, err, name)
	}
	require.Zero(t, asked.Load(), "a name is judged by the address that is dialled")
	_, err = reach(t, "localhost").Ask(t.Context(), hook.Handler{HTTPCall: hook.HTTPCall{URL: "http://localhost:" + at.Port()}}, question())
	require.NoError(t, err)
	require.EqualValues(t, 1, asked.Load())
}

func TestHTTP_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	asked := false
	to := serve(t, func(http.ResponseWriter, *http.Request) { asked = true })
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusTemporaryRedirect) })
	_, err := reach(t, "127.0.0.1").Ask(t.Context(), hook.Handler{HTTPCall: hook.HTTPCall{URL: url}}, question())
	require.ErrorContains(t, err, "it answered 307")
	require.False(t, asked, "its headers may be secret")
}

func TestHTTP_BoundsSlowAndHugeAnswers(t *testing.T) {
	t.Parallel()
	slow := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := reach(t, "127.0.0.1").Ask(ctx, hook.Handler{HTTPCall: hook.HTTPCall{URL: slow}}, question())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	huge := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 1000 {
			if _, err := w.Write(bytes.Repeat([]byte("x"), 64<<10)); err != nil {
				return
			}
		}
	})
	_, err = reach(t, "127.0.0.1").Ask(t.Context(), hook.Handler{HTTPCall: hook.HTTPCall{URL: huge}}, question())
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
}

func TestCallbacks_LogWithoutWhatPeopleWroteAndSurviveAPanic(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := ask.Standard(slog.New(slog.NewTextHandler(&out, nil)))
	c["panics"] = func(context.Context, hook.Question) (hook.Answer, error) { panic("oh") }
	require.Equal(t, []string{"log", "panics", "timing"}, c.Names())
	q := question()
	q.Payload.ToolInput, q.Payload.Elapsed = []byte(`{"command":"secret"}`), 12
	for _, name := range []string{"log", "timing"} {
		_, err := c.Ask(t.Context(), hook.Handler{Callback: name}, q)
		require.NoError(t, err)
	}
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), "ms=12")
	require.NotContains(t, out.String(), "secret")
	_, err := c.Ask(t.Context(), hook.Handler{Callback: "panics"}, q)
	require.ErrorContains(t, err, "panics: oh")
}
