package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// modelAsked waits until the model was asked so many times in all.
func (s *server) modelAsked(times int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	require.NoError(s.t, s.model.Wait(ctx, times), "the model was not asked %d times", times)
}

// TestCrash15 takes away what the beginning of a step wrote without waiting for the disk. Whether a kill loses that by itself is a
// matter of milliseconds, and of who else flushes the log meanwhile; so it is done without a kill first, where nothing but the
// loss is left, and then with one.
func TestCrash15_PostgresKilledAtTheBeginningOfAStep(t *testing.T) {
	t.Parallel()
	s := newServerWithStack(t)
	k := s.newTalk()
	for n := range 2 {
		asked := s.model.Count()
		id := k.send(`call Glob {"pattern":"*"}`, "then", "delay 3s", fmt.Sprint("say answered ", n))
		s.modelAsked(asked + 2)
		killed := time.Now()
		if n > 0 {
			signal(t, k.child("postgres"), syscall.SIGKILL)
		}
		require.Eventually(t, func() bool { return s.forgets() }, time.Minute, 10*time.Millisecond)
		require.Equal(t, chat.TurnDone, k.recovered("Postgres killed as a step begins", killed, id).State)
	}
	require.Equal(t, []string{"answered 0", "answered 1"}, k.answers())
	k.wellFormed()
}

// forgets takes away what open steps wrote without waiting for the disk, once Postgres is there.
func (s *server) forgets() bool {
	s.t.Helper()
	e, err := s.endpoints()
	if err != nil {
		return false
	}
	db, err := pgx.Connect(s.t.Context(), e.DatabaseURL)
	if err != nil {
		return false // it is on its way
	}
	defer func() { require.NoError(s.t, db.Close(s.t.Context())) }()
	for _, statement := range []string{
		"DELETE FROM llm_leases", "UPDATE turns SET system_hash = NULL WHERE state = 'running'", "DELETE FROM session_parts",
	} {
		if _, err := db.Exec(s.t.Context(), statement); err != nil {
			return false
		}
	}
	forgotten, err := db.Exec(s.t.Context(), "DELETE FROM steps WHERE state = 'open'")
	return err == nil && forgotten.RowsAffected() <= 1
}

func TestCrash16_TemporalFrozenInTheThirdCallAfterTwoFailures(t *testing.T) {
	t.Parallel()
	k := newServerWithStack(t).newTalk()
	id := k.send("fail 503 2", "delay 6s", "say answered")
	k.modelAsked(3)
	temporal := k.child("xbot-temporal")
	signal(t, temporal, syscall.SIGSTOP)
	frozen := time.NewTimer(4 * time.Second)
	<-frozen.C
	signal(t, temporal, syscall.SIGCONT)
	require.Equal(t, chat.TurnDone, k.recovered("Temporal frozen for 4 s", time.Now(), id).State)
	require.Equal(t, []string{"answered"}, k.answers())
	k.wellFormed()
}

func TestCrash17_ServerKilledAfterAStopWasAccepted(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	for n, name := range []string{"at once", "a moment later", "two moments later"} {
		mark := fmt.Sprint("sleep 617.", n)
		id := k.send(k.shell("echo a >> %s; %s; echo b >> %s", k.file(fmt.Sprint("r", n)), mark, k.file(fmt.Sprint("r", n))), "say never")
		require.Eventually(t, func() bool { return len(find(t, mark)) > 0 }, time.Minute, 5*time.Millisecond)
		_, err := k.client.StopTurn(t.Context(), k.key)
		require.NoError(t, err)
		if n > 0 {
			pause := time.NewTimer(time.Duration(n) * 300 * time.Millisecond)
			<-pause.C
		}
		k.crash()
		restarted := time.Now()
		k.boot()
		turn := k.recovered("stop accepted, killed "+name, restarted, id)
		require.Equal(t, chat.TurnStopped, turn.State)
		require.Empty(t, find(t, mark), "the command is dead when it is said that the turn was stopped")
		require.Equal(t, i18n.Say(i18n.English, i18n.Stopped), k.lastNotice())
		calls := lastCalls(k)
		require.Regexp(t, "killed before it ended|Interrupted", calls[0].Result)
		require.Equal(t, []string{"a"}, k.trace(fmt.Sprint("r", n)))
	}
	k.wellFormed()
}

// TestCrash18 kills the server between an edit and the note of its result, while another program changes the file.
func TestCrash18_ServerKilledAfterAnEditOfAFileThatGoesOnChanging(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	path := filepath.Join(s.traces, "edited")
	edit := func(what string, arguments map[string]any, after string) {
		held := s.held("BEFORE UPDATE ON tool_calls", "NEW.state = 'done' AND OLD.state <> 'done'")
		data, err := json.Marshal(arguments)
		require.NoError(t, err)
		id := k.send("call "+what+" "+string(data), "say edited")
		held.waits(1)
		require.Equal(t, after, read(t, path))
		require.NoError(t, os.WriteFile(path, []byte(after+" and more"), 0o600))
		k.crash()
		held.release()
		restarted := time.Now()
		k.boot()
		require.Equal(t, chat.TurnDone, k.recovered("killed after "+what, restarted, id).State)
		require.Equal(t, after+" and more", read(t, path), "it was edited once, and what came later stayed")
		require.False(t, lastCalls(k)[0].IsError, lastCalls(k)[0].Result)
	}
	edit("FileCreate", map[string]any{"path": path, "content": "one"}, "one")
	edit("FileReplace", map[string]any{"path": path, "old_string": "one", "new_string": "one two one"}, "one two one and more")
	edit("FileCreate", map[string]any{"path": path, "content": "anew", "rewrite": true}, "anew")
	k.wellFormed()
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
