package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"xbot/internal/client/apiclient"
	"xbot/internal/secret"
)

// outside is a program that uses a service with one of its keys.
type outside struct {
	*server
	service, key string
}

// consumes sends a request until the server answers it, as a program that survives a restart does.
func (o outside) consumes(ctx context.Context, method, path, repeat string, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	for {
		request, err := http.NewRequestWithContext(ctx, method, o.url+path, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+o.key)
		request.Header.Set("Content-Type", "application/json")
		if repeat != "" {
			request.Header.Set("Idempotency-Key", repeat)
		}
		answer, err := http.DefaultClient.Do(request)
		if err == nil && answer.StatusCode != http.StatusServiceUnavailable && answer.StatusCode != http.StatusTooManyRequests {
			return answer, nil
		}
		if err == nil {
			_ = answer.Body.Close()
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(100 * time.Millisecond): // the server is away
		}
	}
}

// conversation begins a conversation and returns its id.
func (o outside) conversation(ctx context.Context) (string, error) {
	answer, err := o.consumes(ctx, http.MethodPost, "/api/v1/conversations", "", map[string]string{})
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var made struct{ ID string }
	if answer.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(answer.Body)
		return "", fmt.Errorf("%s: %s", answer.Status, text)
	}
	return made.ID, json.NewDecoder(answer.Body).Decode(&made)
}

// says sends a message and reads the answer to its end, over as many connections as it takes.
func (o outside) says(ctx context.Context, conversation, text string) (string, error) {
	repeat := rand.Text()
	for {
		answer, err := o.consumes(ctx, http.MethodPost, "/api/v1/chat", repeat, map[string]string{"conversation_id": conversation, "message": text})
		if err != nil {
			return "", err
		}
		if answer.StatusCode != http.StatusOK {
			why, _ := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			return "", fmt.Errorf("%s: %s", answer.Status, why)
		}
		said, over, err := readAnswer(answer.Body)
		_ = answer.Body.Close()
		if over || err != nil || ctx.Err() != nil {
			return said, err
		}
	}
}

// readAnswer reads the events of an answer. over is false where the connection broke before its end.
func readAnswer(from io.Reader) (said string, over bool, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct{ Type, Content string }
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return said, false, err
		}
		switch e.Type {
		case "message":
			said = e.Content
		case "error":
			return said, true, fmt.Errorf("the answer failed: %s", e.Content)
		case "done":
			return said, true, nil
		}
	}
	return said, false, nil
}

// madeService makes a service of the administrator, with a key.
func (s *server) madeService(name string, more map[string]any) outside {
	s.t.Helper()
	definition := map[string]any{"name": name}
	maps.Copy(definition, more)
	var made struct{ ID string }
	s.asAdmin(http.MethodPost, "/api/services", definition, &made)
	var key struct{ Key string }
	s.asAdmin(http.MethodPost, "/api/services/"+made.ID+"/keys", map[string]string{"name": "load"}, &key)
	return outside{s, made.ID, key.Key}
}

// asAdmin asks the administrator's API.
func (s *server) asAdmin(method, path string, body, into any) {
	s.t.Helper()
	at, err := s.Endpoint(s.t.Context())
	require.NoError(s.t, err)
	data, err := json.Marshal(body)
	require.NoError(s.t, err)
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(data))
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+at.Token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	require.Less(s.t, answer.StatusCode, 300, "%s %s: %s", method, path, text)
	if into != nil {
		require.NoError(s.t, json.Unmarshal(text, into))
	}
}

// serviceLoad is consumers of some services beside people of the house.
type serviceLoad struct {
	*server
	services, consumers, people, messages, kills int

	killed chan struct{} // closed once the last kill is over: everybody writes until then

	mu    sync.Mutex
	asked int
	wrong []string
}

// on reports whether somebody writes another message after so many.
func (l *serviceLoad) on(written int) bool {
	select {
	case <-l.killed:
		return written < l.messages
	default:
		return true
	}
}

// newServiceLoad is small, unless XBOT_SERVICE_LOAD says how often the server is killed: then it is 200 consumers of 5 services beside 20
// people.
func newServiceLoad(t *testing.T) *serviceLoad {
	t.Helper()
	l := &serviceLoad{services: 3, consumers: 18, people: 3, messages: 2, kills: 2, killed: make(chan struct{})}
	if text := os.Getenv("XBOT_SERVICE_LOAD"); text != "" {
		var err error
		l.kills, err = strconv.Atoi(text)
		require.NoError(t, err, "XBOT_SERVICE_LOAD is how many kills there are")
		l.services, l.consumers, l.people, l.messages = 5, 200, 20, 5
	}
	l.server = newServer(t)
	return l
}

// note counts an answer, and keeps it where it is another one than was asked for.
func (l *serviceLoad) note(who, want, got string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	if want != got {
		l.wrong = append(l.wrong, fmt.Sprintf("%s: %q instead of %q", who, got, want))
	}
}

// consumer has one conversation, and sends its messages one after the other.
func (l *serviceLoad) consumer(ctx context.Context, o outside, n int) error {
	conversation, err := o.conversation(ctx)
	if err != nil {
		return err
	}
	for i := 0; l.on(i); i++ {
		want := fmt.Sprintf("answer %d of %d", i, n)
		got, err := o.says(ctx, conversation, "say "+want)
		if err != nil {
			return fmt.Errorf("consumer %d, message %d: %w", n, i, err)
		}
		l.note(o.service, want, got)
	}
	return nil
}

// person writes on the page, as many messages as a consumer.
func (l *serviceLoad) person(ctx context.Context, c *apiclient.Client, n int) error {
	s, err := c.CreateSession(ctx, apiclient.NewSession{})
	if err != nil {
		return err
	}
	for i := 0; l.on(i); i++ {
		want := fmt.Sprintf("house %d of %d", i, n)
		_, err := c.SendUntilAccepted(ctx, s.Key, rand.Text(), "say "+want, nil)
		if err != nil {
			return err
		}
		answer := ""
		for u := range c.Watch(ctx, s.Key, 0) {
			if u.Event == nil || u.Event.Kind != "message" {
				continue
			}
			m := decode[struct {
				Role, Content string
			}](l.t, *u.Event)
			if m.Role == "assistant" && m.Content == want {
				answer = m.Content
				break
			}
		}
		l.note("the house", want, answer)
	}
	return nil
}

// TestServices_ManyConsumersAndPeopleLoseNothingUnderKills prints how long each service and the house waited for answers.
func TestServices_ManyConsumersAndPeopleLoseNothingUnderKills(t *testing.T) {
	t.Parallel()
	l := newServiceLoad(t)
	db := l.database()
	var services []outside
	for i := range l.services {
		services = append(services, l.madeService(fmt.Sprint("Service ", i), map[string]any{"limits": map[string]int{"requests_per_minute": 100_000, "concurrent": 1000, "tokens_per_day": 0}}))
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Minute, fmt.Errorf("not everybody was answered in time"))
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	for n := range l.consumers {
		g.Go(func() error { return l.consumer(ctx, services[n%len(services)], n) })
	}
	for n := range l.people {
		client := l.colleagueAt(db, fmt.Sprint("person", n))
		g.Go(func() error { return l.person(ctx, client, n) })
	}
	ended := make(chan error, 1)
	go func() { ended <- g.Wait() }()
	for range l.kills {
		select {
		case err := <-ended:
			ended <- err
		case <-time.After(time.Second + mathrand.N(2*time.Second)):
			l.crash()
			l.boot()
		}
	}
	close(l.killed)
	require.NoError(t, <-ended)

	l.printWaits(db)
	require.Empty(t, l.wrong)
	require.Equal(t, l.asked, one[int](t, db, "SELECT count(*)::int FROM messages WHERE role = 'user'"), "each message was accepted once")
	require.Equal(t, l.asked, one[int](t, db, "SELECT count(*)::int FROM messages WHERE role = 'assistant'"), "and answered once")
	require.Eventually(t, func() bool {
		return one[int](t, db, "SELECT (SELECT count(*) FROM inbox WHERE outcome IS NULL)::int + (SELECT count(*) FROM turns WHERE state = 'running')::int") == 0
	}, crashLimit, 50*time.Millisecond, "nothing waits, and turns whose answers were read come to their ends")
	require.Empty(t, one[string](t, db, "SELECT coalesce(string_agg(DISTINCT state, ' '), '') FROM turns WHERE state NOT IN ('done', 'released')"), "a turn that a kill met before its first step gives its message back")
}

// printWaits prints how long each service and the house waited, from the acceptance of a message to the end of its turn.
func (l *serviceLoad) printWaits(db *pgxpool.Pool) {
	l.t.Helper()
	rows, err := db.Query(l.t.Context(), `SELECT coalesce(v.name, 'the house'), count(*)::int, percentile_cont(ARRAY[0.5, 0.95, 1]) WITHIN GROUP (ORDER BY extract(epoch FROM t.ended_at - i.accepted_at)::float8)
		FROM inbox i JOIN turns t ON t.id = i.turn_id LEFT JOIN service_conversations c ON c.session_key = i.session_key LEFT JOIN services v ON v.id = c.service_id
		WHERE t.state = 'done' GROUP BY 1 ORDER BY 1`)
	require.NoError(l.t, err)
	var who string
	var n int
	var waits []float64
	_, err = pgx.ForEachRow(rows, []any{&who, &n, &waits}, func() error {
		l.t.Logf("%-10s %5d answers, p50 %5.2f s, p95 %5.2f s, slowest %5.2f s", who, n, waits[0], waits[1], waits[2])
		return nil
	})
	require.NoError(l.t, err)
}

// colleagueAt makes a member and returns their client.
func (l *serviceLoad) colleagueAt(db *pgxpool.Pool, name string) *apiclient.Client {
	l.t.Helper()
	token, hash := secret.NewToken()
	_, err := db.Exec(l.t.Context(), `WITH u AS (INSERT INTO users (name, role) VALUES ($1, 'member') RETURNING id)
		INSERT INTO api_tokens (user_id, name, token_hash) SELECT id, 'test', $2 FROM u`, name, hash)
	require.NoError(l.t, err)
	client := apiclient.New(apiclient.Endpoint{URL: l.url, Token: token})
	l.t.Cleanup(client.Close)
	return client
}
