package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/trigger"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// newTrigger makes a trigger.
func (s *server) newTrigger(d chat.TriggerDraft) apiclient.Made {
	s.t.Helper()
	made, err := s.client.AddTrigger(s.t.Context(), d)
	require.NoError(s.t, err)
	return made
}

// call calls a trigger as another program does; 0 is no answer at all.
func (s *server) call(m apiclient.Made, secret, id, body string, at time.Time) int {
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
func (s *server) fires(m apiclient.Made, done int) []chat.Fire {
	s.t.Helper()
	var all []chat.Fire
	require.Eventually(s.t, func() bool {
		var err error
		all, err = s.client.ListFires(s.t.Context(), m.Trigger.ID, apiclient.ListFiresParams{})
		n := 0
		for _, f := range all {
			if f.Outcome == "done" {
				n++
			}
		}
		return err == nil && n == done
	}, crashLimit, 50*time.Millisecond, "%d calls should be answered", done)
	return all
}

func TestTrigger_KilledBehindTheCommitIsCalledOnce(t *testing.T) {
	t.Parallel()
	s := newServerWithStack(t)
	m := s.newTrigger(chat.TriggerDraft{Name: "ci"})
	require.Equal(t, http.StatusForbidden, s.call(m, "a guess", "d-1", "{}", time.Now()), "forged")
	require.Equal(t, http.StatusForbidden, s.call(m, m.Secret, "d-1", "{}", time.Now().Add(-time.Hour)), "stale")
	require.Equal(t, http.StatusRequestEntityTooLarge, s.call(m, m.Secret, "d-1", strings.Repeat("x", trigger.MaxBody+1), time.Now()))

	temporal := s.child("xbot-temporal")
	signal(t, temporal, syscall.SIGSTOP) // the wake behind the commit gets no answer
	db := s.look()
	answered := make(chan int, 1)
	go func() { answered <- s.call(m, m.Secret, "d-1", `{"n":1}`, time.Now()) }()
	require.Eventually(t, func() bool {
		var n int
		return db.QueryRow(t.Context(), `SELECT count(*) FROM trigger_deliveries`).Scan(&n) == nil && n == 1
	}, time.Minute, time.Millisecond)
	s.crash()
	signal(t, temporal, syscall.SIGCONT)
	require.Contains(t, []int{0, http.StatusAccepted}, <-answered, "the kill may come before the answer or behind it")
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

func TestTrigger_ItsOwnerChangesRenewsAndRemovesIt(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.newTrigger(chat.TriggerDraft{Name: "ci"})
	now, body := time.Now(), "{}"
	require.Equal(t, http.StatusAccepted, s.call(m, m.Secret, "d-1", body, now))
	s.fires(m, 1)
	s.crash()
	s.boot()
	require.Equal(t, http.StatusOK, s.call(m, m.Secret, "d-1", body, now), "a copy of the request is known after a restart")
	all, err := s.client.ListTriggers(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, 1, all[0].Fires)
	changed, err := s.client.SetTrigger(t.Context(), m.Trigger.ID, chat.TriggerDraft{Name: "build", Off: true})
	require.NoError(t, err)
	require.Equal(t, "build", changed.Name)
	require.Equal(t, http.StatusConflict, s.call(m, m.Secret, "d-2", body, time.Now()))
	_, err = s.client.SetTrigger(t.Context(), m.Trigger.ID, chat.TriggerDraft{Name: "build"})
	require.NoError(t, err)
	renewed, err := s.client.RenewTrigger(t.Context(), m.Trigger.ID)
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, s.call(m, m.Secret, "d-2", body, time.Now()))
	require.Equal(t, http.StatusAccepted, s.call(m, renewed.Secret, "d-2", body, time.Now()))
	require.NoError(t, s.client.DeleteTrigger(t.Context(), m.Trigger.ID))
	require.Equal(t, http.StatusNotFound, s.call(m, renewed.Secret, "d-3", body, time.Now()))
	_, err = s.client.ListFires(t.Context(), m.Trigger.ID, apiclient.ListFiresParams{})
	require.Error(t, err)
}
