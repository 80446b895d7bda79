package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
)

// maxBeat is what a heartbeat may cost at most, in tokens of the whole request. A greeting may take 4000.
const maxBeat = 4000

// beats lists the jobs of heartbeats by the names of their people.
func (s *server) beats(db *pgx.Conn) map[string]chat.JobID {
	s.t.Helper()
	rows, err := db.Query(s.t.Context(), `SELECT u.name, j.id FROM cron_jobs j JOIN users u ON u.id = j.user_id WHERE j.heartbeat <> '' AND j.state <> 'deleted'`)
	require.NoError(s.t, err)
	defer rows.Close()
	out := map[string]chat.JobID{}
	for rows.Next() {
		var name string
		var id chat.JobID
		require.NoError(s.t, rows.Scan(&name, &id))
		out[name] = id
	}
	require.NoError(s.t, rows.Err())
	return out
}

// due lets the time of a job come now. It is another second than those of its runs: a job runs once a second at most.
func (s *server) due(id chat.JobID) {
	s.t.Helper()
	_, err := s.look().Exec(s.t.Context(), `
		UPDATE cron_jobs SET next_at = t.at, due_at = t.at, checked_at = now() - interval '1 hour'
		FROM (
			SELECT max(c) AS at FROM generate_series(now() - interval '30 seconds', now() - interval '3 seconds', interval '1 second') c
			WHERE NOT EXISTS (SELECT 1 FROM cron_runs r WHERE r.job_id = $1 AND date_trunc('second', r.scheduled_at) = date_trunc('second', c))
		) t
		WHERE id = $1`, id)
	require.NoError(s.t, err)
}

// toldBeats are the requests in which the model was told of a heartbeat.
func (s *server) toldBeats() []llmtest.Request {
	return slices.DeleteFunc(s.model.Requests(), func(r llmtest.Request) bool { return !strings.Contains(r.User, "Look after what follows") })
}

func TestHeartbeat_IsSilentWithNothingToSayAndDeliversWhatItSaysOnceOverAKill(t *testing.T) {
	t.Parallel()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	f := newFeishu(t, 1, 0)
	s := newServer(t, f.env()...)
	const open = `channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}`
	s.inForce(`{` + open + `}`)
	require.Eventually(t, f.connected, time.Minute, 20*time.Millisecond)
	f.say(0, 1, "say welcome")
	shows := func(text string) func() bool { return func() bool { return slices.Contains(f.shown(0, 1), text) } }
	require.Eventually(t, shows("welcome"), time.Minute, 20*time.Millisecond)
	var name string
	require.NoError(t, s.look().QueryRow(t.Context(), `SELECT u.name FROM users u JOIN sessions s ON s.user_id = u.id WHERE s.channel = 'feishu'`).Scan(&name))

	look := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(s.home, "HEARTBEAT.md"), []byte(text), 0o600))
	}
	look("say HEARTBEAT_OK")
	s.inForce(`{` + open + `, agents: {list: [{id: "main", heartbeat: {every: "20h", target: "last", people: ["` + name + `", "admin"]}}]}}`)
	db := s.look()
	var beats map[string]chat.JobID
	require.Eventually(t, func() bool { beats = s.beats(db); return len(beats) == 2 }, time.Minute, 100*time.Millisecond, "each has their own")
	id := beats[name]
	require.NotEmpty(t, id)
	s.due(id)
	runs := s.untilRuns(time.Minute, id, "is silent", ended(1))
	require.Equal(t, "silent", runs[0].Outcome)
	require.Equal(t, chat.SessionKey("cron:"+id), runs[0].Session, "it has a conversation of its own")

	look("say the disk is full")
	held := s.held("BEFORE INSERT ON turns", "NEW.session_key LIKE 'cron:%'")
	s.due(id)
	held.waits(1)
	s.crash()
	held.release()
	s.boot()
	runs = s.untilRuns(time.Minute, id, "speaks", ended(2))
	require.Equal(t, "done", runs[0].Outcome)
	require.Eventually(t, shows("the disk is full"), time.Minute, 20*time.Millisecond)
	require.Equal(t, []string{"welcome", "the disk is full"}, f.shown(0, 1), "what was silent was not delivered, and what was said once")
	s.own(id).wellFormed()

	told := s.toldBeats()
	require.Len(t, told, 2)
	for _, r := range told {
		require.Len(t, r.Messages, 1, "nothing of other conversations, and nothing of the one before")
		tokens, _, err := codec.Encode(string(r.Raw))
		require.NoError(t, err)
		t.Logf("%d tokens of %d bytes", len(tokens), len(r.Raw))
		require.LessOrEqual(t, len(tokens), maxBeat)
	}
	require.Empty(t, s.untilRuns(time.Minute, beats["admin"], "waits for its time", func([]chat.JobRun) bool { return true }))
}
