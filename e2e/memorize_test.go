package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
	"xbot/workflows"
)

// remembering starts a server whose model saves what it is told when a conversation is memorized, after a pause.
func remembering(t *testing.T, pause time.Duration, env ...string) *server {
	t.Helper()
	s := newServer(t, append([]string{"LLM_RETRY_DELAY=10ms"}, env...)...)
	s.model.Handle(func(r llmtest.Request) llmtest.Reply {
		if !memorizes(r) {
			return llmtest.Run(r)
		}
		return llmtest.Reply{Delay: pause, Calls: []llmtest.Call{{Name: "save_memory", Arguments: saved(r)}}}
	})
	return s
}

// memorizes reports whether a request puts a conversation into memory.
func memorizes(r llmtest.Request) bool {
	return slices.ContainsFunc(r.Tools, func(t llmtest.Tool) bool { return t.Name == "save_memory" })
}

// saved is what the model saves: the lines of people that are to be remembered.
func saved(r llmtest.Request) string {
	var kept []string
	for line := range strings.Lines(r.Messages[0].Content) {
		if _, fact, ok := strings.Cut(line, "# remember "); ok {
			kept = append(kept, strings.TrimSpace(fact))
		}
	}
	data, err := json.Marshal(map[string]string{"history_entry": "talked of " + strings.Join(kept, ", "), "memory_update": strings.Join(kept, "\n")})
	if err != nil {
		panic(err)
	}
	return string(data)
}

// remember says three things that are worth remembering.
func (k *talk) remember(facts ...string) {
	k.t.Helper()
	for i, fact := range append(facts, "nothing in particular", "nothing else")[:3] {
		k.done("# remember "+fact, fmt.Sprintf("say understood %d", i))
	}
}

// asksToMemorize counts the requests that put conversations into memory.
func (s *server) asksToMemorize() (n int) {
	for _, r := range s.model.Requests() {
		if memorizes(r) {
			n++
		}
	}
	return n
}

// logOfMemory returns the entries of the log, from the database.
func (s *server) logOfMemory() (entries []string) {
	s.t.Helper()
	rows, err := s.database().Query(s.t.Context(), "SELECT entry FROM event_history ORDER BY id")
	require.NoError(s.t, err)
	defer rows.Close()
	for rows.Next() {
		var entry string
		require.NoError(s.t, rows.Scan(&entry))
		entries = append(entries, entry)
	}
	require.NoError(s.t, rows.Err())
	return entries
}

// database opens the database of the server, for looks that no client can have.
func (s *server) database() *pgxpool.Pool {
	s.t.Helper()
	if s.db == nil {
		endpoints, err := s.endpoints()
		require.NoError(s.t, err)
		s.db, err = pgxpool.New(context.Background(), endpoints.DatabaseURL)
		require.NoError(s.t, err)
		s.t.Cleanup(s.db.Close)
	}
	return s.db
}

// untilMemorized waits until no conversation waits to be put into memory, and n were.
func (s *server) untilMemorized(limit time.Duration, n int) {
	s.t.Helper()
	var waiting, done int
	require.Eventually(s.t, func() bool {
		err := s.database().QueryRow(s.t.Context(), "SELECT count(*) FILTER (WHERE state = 'waiting'), count(*) FILTER (WHERE state = 'done') FROM memorize_jobs").Scan(&waiting, &done)
		return err == nil && waiting == 0 && done == n
	}, limit, 50*time.Millisecond, "not memorized")
}

func TestMemorize_ANewConversationAnswersAtOnceAndSoonKnowsWhatTheOldOneWasAbout(t *testing.T) {
	t.Parallel()
	const pause = 15 * time.Second
	k := remembering(t, pause).newTalk()
	k.remember("the harbour is called Lindau")
	began := time.Now()
	k.done("/new", "say fresh")
	require.Less(t, time.Since(began), pause, "nobody waits for memory")
	require.NotContains(t, k.lastSystem(), "Lindau")
	k.untilMemorized(time.Minute, 1)
	k.done("say again")
	require.Contains(t, k.lastSystem(), "the harbour is called Lindau", "the next turn knows")
	require.Equal(t, []string{"talked of the harbour is called Lindau, nothing in particular, nothing else"}, k.logOfMemory())
	require.Equal(t, 1, k.asksToMemorize())
	k.wellFormed()
}

// lastSystem returns the system prompt of the newest request of a turn.
func (s *server) lastSystem() string {
	s.t.Helper()
	for _, r := range slices.Backward(s.model.Requests()) {
		if !memorizes(r) {
			return r.System
		}
	}
	return ""
}

// jobs counts the conversations that went from sight.
func (s *server) jobs() (n int) {
	s.t.Helper()
	require.NoError(s.t, s.database().QueryRow(s.t.Context(), "SELECT count(*) FROM memorize_jobs").Scan(&n))
	return n
}

func TestMemorize_KillsOfTheServerLeaveEachConversationInMemoryOnce(t *testing.T) {
	t.Parallel()
	s := remembering(t, time.Second)
	k := s.newTalk()
	var facts []string
	// The server dies at each step of the way: before the row has a workflow, while the model is asked, and right after it
	// has answered, when memory may or may not have been written.
	for i, step := range []struct {
		name   string
		killed func() bool
	}{
		{"the command waits", func() bool { return true }},
		{"the conversation has begun anew", func() bool { return k.jobs() == 2 }},
		{"the model is asked", func() bool { return k.asksToMemorize() > 2 }},
		{"memory was written", func() bool { return len(k.logOfMemory()) == 4 }},
	} {
		fact := "what is known when " + step.name
		facts = append(facts, fact)
		k.remember(fact)
		id := k.send("/new")
		require.Eventually(t, step.killed, time.Minute, 2*time.Millisecond, step.name)
		k.crash()
		k.boot()
		k.untilEnded(crashLimit, id)
		k.untilMemorized(2*time.Minute, i+1)
	}
	log := k.logOfMemory()
	require.Len(t, log, len(facts), "%q", log)
	for i, fact := range facts {
		require.Contains(t, log[i], fact)
	}
	k.wellFormed()
}

// TestHistories_OfMemorizing keeps the history of what puts a conversation into memory, when CAPTURE_HISTORIES=1.
func TestHistories_OfMemorizing(t *testing.T) {
	t.Parallel()
	s := remembering(t, 0)
	k := s.newTalk()
	k.remember("a long secret tale that goes on and on well past the first words of it")
	k.done("/new")
	k.untilMemorized(time.Minute, 1)
	id := s.jobID()
	require.NoError(t, s.temporal().GetWorkflow(t.Context(), workflows.MemorizeID(id), "").Get(t.Context(), nil))
	small(t, "memorize", s.captureRun("memorize", workflows.MemorizeID(id), ""), 12, 4<<10)

	s.model.Handle(func(r llmtest.Request) llmtest.Reply {
		if memorizes(r) {
			return llmtest.Reply{Delay: time.Minute}
		}
		return llmtest.Run(r)
	})
	k.remember("another tale")
	k.done("/new")
	require.Eventually(t, func() bool { return s.asksToMemorize() == 2 }, time.Minute, 20*time.Millisecond)
	id = s.jobID()
	require.NoError(t, s.temporal().CancelWorkflow(t.Context(), workflows.MemorizeID(id), ""))
	require.Error(t, s.temporal().GetWorkflow(t.Context(), workflows.MemorizeID(id), "").Get(t.Context(), nil))
	s.captureRun("memorize-cancelled", workflows.MemorizeID(id), "")
	told := k.compactions()
	require.Len(t, told, 1)
	require.Contains(t, told[0].Content, "could not be memorized", "an operator gave it up")
}

// jobID returns the newest conversation that was put into memory.
func (s *server) jobID() (id chat.MemorizeID) {
	s.t.Helper()
	require.NoError(s.t, s.database().QueryRow(s.t.Context(), "SELECT max(id) FROM memorize_jobs").Scan(&id))
	return id
}
