package e2e

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/trigger"
)

// newTrigger makes a trigger through the API, as the page does.
func (s *server) newTrigger(d chat.TriggerDraft) trigger.Made {
	s.t.Helper()
	var made trigger.Made
	s.api(http.MethodPost, "/api/triggers", d, http.StatusCreated, &made)
	return made
}

// api makes a request with the token of local programs.
func (s *server) api(method, path string, body any, status int, out any) {
	s.t.Helper()
	e, err := s.Endpoint(s.t.Context())
	require.NoError(s.t, err)
	data, err := json.Marshal(body)
	require.NoError(s.t, err)
	r, err := http.NewRequestWithContext(s.t.Context(), method, e.URL+path, bytes.NewReader(data))
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "Bearer "+e.Token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, status, resp.StatusCode, "%s", answer)
	require.NoError(s.t, json.Unmarshal(answer, out), "%s", answer)
}

// call calls a trigger as another program does; 0 is no answer at all.
func (s *server) call(m trigger.Made, secret, id, body string, at time.Time) int {
	s.t.Helper()
	stamp := strconv.FormatInt(at.Unix(), 10)
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(stamp + "." + id + "." + body))
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, m.Trigger.URL, strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Webhook-Timestamp", stamp)
	r.Header.Set("X-Webhook-Id", id)
	r.Header.Set("X-Webhook-Signature", "sha256="+hex.EncodeToString(h.Sum(nil)))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close() // only the status is of interest
	return resp.StatusCode
}

// fires waits until so many calls of a trigger are answered by a turn, and returns all of them.
func (s *server) fires(m trigger.Made, done int) []chat.Fire {
	s.t.Helper()
	var list struct{ Fires []chat.Fire }
	require.Eventually(s.t, func() bool {
		s.api(http.MethodGet, "/api/triggers/"+m.Trigger.ID+"/fires", nil, http.StatusOK, &list)
		n := 0
		for _, f := range list.Fires {
			if f.Outcome == "done" {
				n++
			}
		}
		return n == done
	}, crashLimit, 50*time.Millisecond, "%d calls should be answered", done)
	return list.Fires
}

func TestTrigger_KilledBehindTheCommitIsCalledOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.newTrigger(chat.TriggerDraft{Name: "ci"})
	require.Equal(t, http.StatusForbidden, s.call(m, "a guess", "d-1", "{}", time.Now()), "forged")
	require.Equal(t, http.StatusForbidden, s.call(m, m.Secret, "d-1", "{}", time.Now().Add(-time.Hour)), "stale")
	require.Equal(t, http.StatusRequestEntityTooLarge, s.call(m, m.Secret, "d-1", strings.Repeat("x", trigger.MaxBody+1), time.Now()))

	temporal := s.child("xbot-temporal")
	signal(t, temporal, syscall.SIGSTOP) // the wake behind the commit gets no answer, nor does the caller
	db := s.look()
	answered := make(chan int, 1)
	go func() { answered <- s.call(m, m.Secret, "d-1", `{"n":1}`, time.Now()) }()
	require.Eventually(t, func() bool {
		var n int
		return db.QueryRow(t.Context(), `SELECT count(*) FROM trigger_deliveries`).Scan(&n) == nil && n == 1
	}, time.Minute, time.Millisecond)
	s.crash()
	signal(t, temporal, syscall.SIGCONT)
	require.Zero(t, <-answered, "the caller does not know that it was accepted")
	s.boot()
	require.Equal(t, http.StatusOK, s.call(m, m.Secret, "d-1", `{"n":1}`, time.Now()), "the same delivery again is a duplicate")
	fires := s.fires(m, 1)
	require.Len(t, fires, 1)
	require.Equal(t, 1, fires[0].Repeats)
	k := &talk{server: s, key: m.Trigger.Session}
	require.Len(t, k.answers(), 1, "one turn answers it")
	k.wellFormed()
}

func TestTrigger_AFloodIsHeldOffAndTheRestIsAnswered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.newTrigger(chat.TriggerDraft{Name: "flood", PerMinute: 3, Template: "say {{.EventType}} done"})
	statuses := map[int]int{}
	for i := range 30 {
		statuses[s.call(m, m.Secret, "d-"+strconv.Itoa(i), "{}", time.Now())]++
	}
	require.Equal(t, map[int]int{http.StatusAccepted: 3, http.StatusTooManyRequests: 27}, statuses)
	require.Len(t, s.fires(m, 3), 3)
}

func TestTrigger_TheExampleCallsIt(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, source := range []chat.TriggerSource{chat.TriggerGitHub, chat.TriggerGitLab, chat.TriggerGeneric} {
		m := s.newTrigger(chat.TriggerDraft{Name: string(source), Source: source})
		out, err := exec.CommandContext(t.Context(), "sh", "-c", m.Example).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), `"status":"accepted"`, string(source))
		require.Len(t, s.fires(m, 1), 1)
	}
}
