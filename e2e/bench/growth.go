package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The installation that lists are measured on: first small, then large. Every second conversation is the
// administrator's own; one has very many turns.
const (
	fewSessions, manySessions = 100, 10_000
	people                    = 500
	longTurns                 = 5_000
	longSession               = "agent:main:web:thread:long"
)

// lists are what the page and operators read.
var lists = []struct{ name, path string }{
	{"status at a glance", "/api/status"},
	{"conversations of everybody", "/api/inspect/sessions?limit=100"},
	{"messages without an answer", "/api/inspect/inbox"},
	{"own conversations, all that the page shows", "/api/sessions"},
	{"own conversations by title", "/api/sessions?q=number+99"},
	{"a page of the long conversation", "/api/sessions/" + longSession + "/messages?limit=50"},
	{"turns of the long conversation", "/api/sessions/" + longSession + "/turns?limit=50"},
	{"the long conversation itself", "/api/sessions/" + longSession},
	{"runners", "/api/runners"},
	{"jobs", "/api/cron"},
	{"permissions", "/api/permissions"},
}

// growth measures every list on a small installation and on a large one.
func growth(ctx context.Context, s *stack) ([]figure, error) {
	small, err := s.grown(ctx, 1, fewSessions, 1)
	if err != nil {
		return nil, err
	}
	large, err := s.grown(ctx, fewSessions+1, manySessions, longTurns)
	if err != nil {
		return nil, err
	}
	var out []figure
	for i, l := range lists {
		out = append(out,
			figure{fmt.Sprintf("%s, %d conversations", l.name, fewSessions), small[i], "ms", ""},
			figure{fmt.Sprintf("%s, %d conversations, %d people, %d turns in one", l.name, manySessions, people, longTurns), large[i], "ms", "as with few"},
		)
	}
	return out, nil
}

// grown adds the conversations with these numbers and turns of the long one, and returns how long each list takes then.
func (s *stack) grown(ctx context.Context, from, to, turns int) ([]float64, error) {
	conn, err := s.admin(ctx, "xbot")
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	for _, statement := range seed {
		statement = strings.NewReplacer("$from", strconv.Itoa(from), "$to", strconv.Itoa(to), "$turns", strconv.Itoa(turns)).Replace(statement)
		if _, err := conn.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("seed %.60s: %w", statement, err)
		}
	}
	if _, err := conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return nil, err
	}
	var out []float64
	for _, l := range lists {
		var took []time.Duration
		for range 25 {
			began := time.Now()
			if err := s.get(ctx, l.path); err != nil {
				return nil, err
			}
			took = append(took, time.Since(began))
		}
		out = append(out, quantile(took[5:], 0.5)) // Postgres plans the statements again for the first five
	}
	return out, nil
}

// get reads an answer of the API to its end.
func (s *stack) get(ctx context.Context, path string) error {
	at, err := s.Endpoint(ctx)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL+path, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+at.Token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %.200s", path, response.Status, body)
	}
	return err
}

// seed makes users, conversations from $from to $to with three turns each, and a long one of $turns turns more.
var seed = []string{
	fmt.Sprintf(`INSERT INTO users (name, role) SELECT 'person ' || i, 'member' FROM generate_series(1, %d) i ON CONFLICT DO NOTHING`, people),
	fmt.Sprintf(`INSERT INTO sessions (key, user_id, channel, title, last_interaction_at)
		SELECT 'agent:main:web:thread:grown-' || i,
		       CASE WHEN i %% 2 = 0 THEN a.id ELSE (SELECT id FROM users WHERE name = 'person ' || i %% %d + 1) END,
		       'web', 'Conversation number ' || i, now() - i * interval '1 minute'
		FROM generate_series($from, $to) i, (SELECT id FROM users WHERE role = 'admin' ORDER BY id LIMIT 1) a`, people),
	`INSERT INTO sessions (key, user_id, channel, title)
		SELECT '` + longSession + `', id, 'web', 'The long one' FROM users
		WHERE role = 'admin' ORDER BY id LIMIT 1 ON CONFLICT DO NOTHING`,
	`CREATE TEMP TABLE grown AS
		SELECT 'grown-' || i || '-' || n AS turn, 'agent:main:web:thread:grown-' || i AS key, now() - i * interval '1 minute' AS at
		FROM generate_series($from, $to) i, generate_series(1, 3) n
		UNION ALL
		SELECT 'long-$from-' || n, '` + longSession + `', now() - interval '10 days' + n * interval '1 minute' FROM generate_series(1, $turns) n`,
	`INSERT INTO turns (id, session_key, run_id, state, steps, model, prompt_tokens, completion_tokens, started_at, ended_at)
		SELECT turn, key, turn, 'done', 1, 'scripted', 1000, 20, at, at FROM grown`,
	`INSERT INTO steps (turn_id, step, state, finished_at) SELECT turn, 1, 'done', at FROM grown`,
	`INSERT INTO messages (session_key, turn_id, step, role, content, model, prompt_tokens, completion_tokens, created_at)
		SELECT key, turn, CASE role WHEN 'assistant' THEN 1 END, role, 'What was said in ' || turn, 'scripted', 1000, 20, at
		FROM grown, unnest(ARRAY['user', 'assistant']) role ORDER BY at`,
	`INSERT INTO user_token_usage (user_id, day, model, session_key, calls, prompt_tokens, completion_tokens)
		SELECT s.user_id, current_date, 'scripted', s.key, 3, 3000, 60 FROM sessions s ON CONFLICT DO NOTHING`,
	`DROP TABLE grown`,
}
