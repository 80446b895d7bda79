package webhooks_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/ingress/webhooks"
	"xbot/internal/automation/trigger"
	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/users"
)

// bundle is two replicas of the handler over one database, and a person with a trigger.
type bundle struct {
	t     *testing.T
	pool  *pgxpool.Pool
	store *store.Store
	book  *trigger.Store
	user  users.User
	urls  [2]string
	log   *bytes.Buffer
	wakes *wakes
	now   time.Time
}

type wakes struct {
	mu   sync.Mutex
	rows []chat.Wake
}

func (w *wakes) Wake(wakes ...chat.Wake) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows = append(w.rows, wakes...)
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{t: t, pool: pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), log: &bytes.Buffer{}, wakes: &wakes{}, now: time.Now()}
	b.store = store.New(b.pool, store.Options{Wakes: b.wakes})
	b.book = &trigger.Store{Triggers: b.store.Triggers, Users: b.store.Users, Key: secret.Key{1}, Base: "https://xbot.example"}
	var err error
	b.user, err = b.store.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for i := range b.urls {
		h := &webhooks.Hooks{Store: b.store.Triggers, Key: secret.Key{1}, Log: log, Now: func() time.Time { return b.now }}
		server := httptest.NewServer(h.Handler())
		t.Cleanup(server.Close)
		b.urls[i] = server.URL
	}
	return b
}

func (b *bundle) add(d chat.TriggerDraft) trigger.Made {
	b.t.Helper()
	if d.Name == "" {
		d.Name = "ci"
	}
	made, err := b.book.Add(b.t.Context(), b.user.ID, d, "")
	require.NoError(b.t, err)
	return made
}

type reply struct {
	status int
	after  string
	webhooks.Answer
}

// send posts a body with headers to a replica.
func (b *bundle) send(replica int, id, body string, pairs ...string) reply {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.urls[replica]+trigger.Prefix+id, strings.NewReader(body))
	require.NoError(b.t, err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(pairs); i += 2 {
		r.Header.Set(pairs[i], pairs[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(b.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(b.t, err)
	out := reply{status: resp.StatusCode, after: resp.Header.Get("Retry-After")}
	if resp.Header.Get("Content-Type") == "application/json" {
		require.NoError(b.t, json.Unmarshal(data, &out.Answer), "%s", data)
	}
	return out
}

func mac(key, text string) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(text))
	return "sha256=" + hex.EncodeToString(h.Sum(nil))
}

func (b *bundle) generic(m trigger.Made, replica int, id, body string, more ...string) reply {
	b.t.Helper()
	stamp := strconv.FormatInt(b.now.Unix(), 10)
	return b.send(replica, m.Trigger.ID, body, append([]string{
		"X-Webhook-Timestamp", stamp, "X-Webhook-Id", id, "X-Webhook-Signature", mac(m.Secret, stamp+"."+id+"."+body),
	}, more...)...)
}

func (b *bundle) told(key chat.SessionKey) (texts []string) {
	b.t.Helper()
	rows, err := b.pool.Query(b.t.Context(), `SELECT body FROM inbox WHERE session_key = $1 AND account = 'hook' ORDER BY id`, key)
	require.NoError(b.t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(b.t, rows.Scan(&text))
		texts = append(texts, text)
	}
	return texts
}

func (b *bundle) trigger(id string) chat.Trigger {
	b.t.Helper()
	t, err := b.book.Find(b.t.Context(), b.user.ID, id)
	require.NoError(b.t, err)
	return t
}

func TestCall_TellsTheConversationOnceForEachDelivery(t *testing.T) {
	b := setup(t)
	m := b.add(chat.TriggerDraft{Template: "Look at {{.Payload.n}}."})
	require.Equal(t, "https://xbot.example/hooks/"+m.Trigger.ID, m.Trigger.URL)
	key := chat.SessionKey("hook:" + m.Trigger.ID)

	got := b.generic(m, 0, "d-1", `{"n":1}`)
	require.Equal(t, http.StatusAccepted, got.status)
	require.Equal(t, "accepted", got.Status)
	for replica := range b.urls {
		again := b.generic(m, replica, "d-1", `{"n":1}`)
		require.Equal(t, http.StatusOK, again.status)
		require.Equal(t, "duplicate", again.Status)
	}
	require.Equal(t, http.StatusAccepted, b.generic(m, 1, "d-2", `{"n":2}`).status)
	told := b.told(key)
	require.Len(t, told, 2)
	require.True(t, strings.HasPrefix(told[0], "[hook ci called]\n"))
	require.True(t, strings.HasSuffix(told[1], "Look at ⟦2⟧."))
	require.Equal(t, chat.Wake{Kind: chat.WakeTurn, ID: string(key), Channel: "hook", Text: "hook ci"}, b.wakes.rows[0])

	s, owner, err := b.store.Conversations.Session(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, b.user.ID, owner)
	require.Equal(t, chat.ChatHook, s.ChatType)
	require.Equal(t, "ci", s.Title)
	_, ok, err := b.store.Turns.Claim(t.Context(), key, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, ok)
	fires, err := b.store.Triggers.TriggerFires(t.Context(), b.user.ID, m.Trigger.ID, 10)
	require.NoError(t, err)
	require.Equal(t, []string{"d-2 waiting 0", "d-1 running 2"}, []string{shown(fires[0]), shown(fires[1])})
	require.Equal(t, chat.TurnID("t1"), fires[1].Turn)
}

func shown(f chat.Fire) string { return f.Delivery + " " + f.Outcome + " " + strconv.Itoa(f.Repeats) }

func TestCall_OfAllReplicasAtOnceIsOne(t *testing.T) {
	b := setup(t)
	m := b.add(chat.TriggerDraft{OneShot: true})
	var wg sync.WaitGroup
	statuses := make([]int, 16)
	for i := range statuses {
		wg.Go(func() { statuses[i] = b.generic(m, i%2, "d-1", "{}").status })
	}
	wg.Wait()
	accepted := 0
	for _, s := range statuses {
		if s == http.StatusAccepted {
			accepted++
		} else {
			require.Equal(t, http.StatusOK, s)
		}
	}
	require.Equal(t, 1, accepted)
	require.Len(t, b.told(m.Trigger.Session), 1)
	require.True(t, b.trigger(m.Trigger.ID).Off, "one call switches it off")
	require.Equal(t, http.StatusConflict, b.generic(m, 0, "d-2", "{}").status)
	require.Equal(t, http.StatusOK, b.generic(m, 0, "d-1", "{}").status, "a repeated delivery is known, also where it is off")
}

func TestCall_RefusesWhatIsNotWhatItSays(t *testing.T) {
	b := setup(t)
	m := b.add(chat.TriggerDraft{})
	stamp := strconv.FormatInt(b.now.Unix(), 10)
	stale := strconv.FormatInt(b.now.Add(-6*time.Minute).Unix(), 10)
	big := strings.Repeat("x", trigger.MaxBody+1)
	const forged = "payload-of-a-stranger"
	require.Equal(t, http.StatusForbidden, b.send(0, m.Trigger.ID, forged).status)
	require.Contains(t, b.trigger(m.Trigger.ID).Refused, "X-Webhook-Timestamp has to be")
	require.Equal(t, http.StatusForbidden, b.send(0, m.Trigger.ID, forged, "X-Webhook-Timestamp", stamp, "X-Webhook-Id", "d-1", "X-Webhook-Signature", mac("guess", stamp+".d-1."+forged)).status)
	require.Equal(t, http.StatusForbidden, b.send(0, m.Trigger.ID, "{}", "X-Webhook-Timestamp", stale, "X-Webhook-Id", "d-1", "X-Webhook-Signature", mac(m.Secret, stale+".d-1.{}")).status)
	require.Equal(t, http.StatusRequestEntityTooLarge, b.generic(m, 0, "d-1", big).status)
	require.Equal(t, http.StatusUnsupportedMediaType, b.generic(m, 0, "d-1", "{}", "Content-Type", "image/png").status)
	require.Equal(t, http.StatusUnsupportedMediaType, b.generic(m, 0, "d-1", "{}", "Content-Encoding", "gzip").status)
	require.Equal(t, http.StatusNotFound, b.send(0, "nobody", "{}").status)
	require.Empty(t, b.told(m.Trigger.Session))
	require.Equal(t, http.StatusAccepted, b.generic(m, 0, "d-1", strings.Repeat("x", trigger.MaxBody)).status, "a whole megabyte is accepted")

	_, err := b.book.Enable(t.Context(), b.user.ID, "ci", false)
	require.NoError(t, err)
	require.Equal(t, http.StatusConflict, b.generic(m, 0, "d-2", "{}").status)
	require.Equal(t, http.StatusForbidden, b.send(0, m.Trigger.ID, "{}").status, "a stranger does not learn that it is off")

	renewed, err := b.book.Renew(t.Context(), b.user.ID, m.Trigger.ID)
	require.NoError(t, err)
	require.NotEqual(t, m.Secret, renewed.Secret)
	require.Equal(t, http.StatusForbidden, b.generic(m, 0, "d-3", "{}").status)
	for _, hidden := range []string{m.Secret, renewed.Secret, forged, "xxx"} {
		require.NotContains(t, b.log.String(), hidden)
	}
	var sealed []byte
	require.NoError(t, b.pool.QueryRow(t.Context(), `SELECT secret FROM triggers`).Scan(&sealed))
	require.NotContains(t, string(sealed), renewed.Secret)
}

func TestCall_KeepsToItsRateOnAllReplicasTogether(t *testing.T) {
	b := setup(t)
	m := b.add(chat.TriggerDraft{PerMinute: 5})
	var wg sync.WaitGroup
	var mu sync.Mutex
	counts := map[int]int{}
	for i := range 20 {
		wg.Go(func() {
			got := b.generic(m, i%2, "d-"+strconv.Itoa(i), "{}")
			mu.Lock()
			defer mu.Unlock()
			counts[got.status]++
			if got.status == http.StatusTooManyRequests {
				after, err := strconv.Atoi(got.after)
				require.NoError(t, err)
				require.InDelta(t, 57, after, 4)
			}
		})
	}
	wg.Wait()
	require.Equal(t, map[int]int{http.StatusAccepted: 5, http.StatusTooManyRequests: 15}, counts)
	_, err := b.pool.Exec(t.Context(), `UPDATE trigger_deliveries SET received_at = received_at - interval '1 minute'`)
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, b.generic(m, 0, "d-21", "{}").status)
	require.Len(t, b.told(m.Trigger.Session), 6)
}

func TestCall_OfGitHubAndGitLab(t *testing.T) {
	b := setup(t)
	hub := b.add(chat.TriggerDraft{Name: "hub", Source: chat.TriggerGitHub})
	lab := b.add(chat.TriggerDraft{Name: "lab", Source: chat.TriggerGitLab})
	signed := []string{"X-Hub-Signature-256", mac(hub.Secret, "{}"), "X-GitHub-Delivery", "8f2c", "X-GitHub-Event", "ping"}
	require.Equal(t, http.StatusAccepted, b.send(0, hub.Trigger.ID, "{}", signed...).status)
	require.Equal(t, http.StatusOK, b.send(1, hub.Trigger.ID, "{}", signed...).status)
	token := []string{"X-Gitlab-Token", lab.Secret, "X-Gitlab-Event-UUID", "8f2c", "X-Gitlab-Event", "Push Hook"}
	require.Equal(t, http.StatusAccepted, b.send(0, lab.Trigger.ID, "{}", token...).status)
	require.Equal(t, http.StatusOK, b.send(1, lab.Trigger.ID, "{}", token...).status)
	require.Equal(t, http.StatusForbidden, b.send(1, lab.Trigger.ID, "{}", signed...).status, "a trigger takes what its source sends")
	require.Contains(t, b.told(hub.Trigger.Session)[0], "(github, event ping)")
}

func TestCall_OfAConversationOfItsOwner(t *testing.T) {
	b := setup(t)
	const mine, theirs = chat.SessionKey("agent:main:web:thread:mine"), chat.SessionKey("agent:main:web:thread:theirs")
	bob, err := b.store.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	for key, owner := range map[chat.SessionKey]chat.UserID{mine: b.user.ID, theirs: bob.ID} {
		_, err := b.store.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: key, Owner: owner, Channel: "web"})
		require.NoError(t, err)
	}
	_, err = b.book.Add(t.Context(), b.user.ID, chat.TriggerDraft{Name: "x", Session: theirs}, "")
	require.ErrorContains(t, err, "no session")
	m := b.add(chat.TriggerDraft{Session: mine})
	require.Equal(t, http.StatusAccepted, b.generic(m, 0, "d-1", "{}").status)
	require.Len(t, b.told(mine), 1)
	require.NoError(t, b.store.Agents.DeleteSession(t.Context(), mine))
	require.Equal(t, http.StatusConflict, b.generic(m, 0, "d-2", "{}").status)
	fires, err := b.store.Triggers.TriggerFires(t.Context(), b.user.ID, m.Trigger.ID, 10)
	require.NoError(t, err)
	require.Equal(t, "gone", fires[0].Outcome)
	_, err = b.store.Triggers.TriggerFires(t.Context(), bob.ID, m.Trigger.ID, 10)
	require.Error(t, err, "nobody sees the calls of others")
}

func TestCall_OfATriggerWithItsOwnConversationMakesItAgain(t *testing.T) {
	b := setup(t)
	m := b.add(chat.TriggerDraft{})
	require.Equal(t, http.StatusAccepted, b.generic(m, 0, "d-1", "{}").status)
	require.NoError(t, b.store.Agents.DeleteSession(t.Context(), m.Trigger.Session))
	require.Equal(t, http.StatusAccepted, b.generic(m, 0, "d-2", "{}").status)
	require.Len(t, b.told(m.Trigger.Session), 1)
}

func TestPing_SaysThatThereIsATrigger(t *testing.T) {
	b := setup(t)
	m := b.add(chat.TriggerDraft{})
	for id, want := range map[string]int{m.Trigger.ID: http.StatusOK, "nobody": http.StatusNotFound} {
		resp, err := http.Get(b.urls[0] + trigger.Prefix + id + "/ping")
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, want, resp.StatusCode)
	}
}
