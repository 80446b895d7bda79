package e2e

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/phrase"
)

// modelAsked waits until the model was asked so many times in all.
func (s *server) modelAsked(times int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	require.NoError(s.t, s.model.Wait(ctx, times), "the model was not asked %d times", times)
}

// killPostgres kills the database server with all its processes at once, so that nothing of its memory reaches the disk.
func (s *server) killPostgres(all []int) {
	s.t.Helper()
	for _, pid := range all {
		signal(s.t, pid, syscall.SIGKILL)
	}
}

// TestCrash15 holds the step at its beginning, keeps everybody else from flushing the log of Postgres (its writer, and
// Temporal with its commits), lets the step begin and kills Postgres: what the step wrote without waiting for the disk is gone.
func TestCrash15_PostgresKilledAtTheBeginningOfAStep(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	for n := range 4 {
		asked := s.model.Count()
		held := s.held("BEFORE INSERT ON steps", "NEW.step = 1")
		id := k.send("call Glob {\"pattern\":\"*\"}", "then", "delay 4s", fmt.Sprint("say answered ", n))
		held.waits(1)
		database, temporal := k.child("postgres"), k.child("xbot-temporal")
		all := append([]int{database}, children(t, database, "")...)
		signal(t, temporal, syscall.SIGSTOP)
		for _, writer := range children(t, database, "walwriter") {
			signal(t, writer, syscall.SIGSTOP)
		}
		held.letGo()
		s.modelAsked(asked + 2)
		killed := time.Now()
		s.killPostgres(all)
		signal(t, temporal, syscall.SIGCONT)
		require.Equal(t, chat.TurnDone, k.recovered("Postgres killed as a step begins", killed, id).State)
	}
	require.Equal(t, []string{"answered 0", "answered 1", "answered 2", "answered 3"}, k.answers())
	k.wellFormed()
}

func TestCrash16_TemporalFrozenInTheThirdCallAfterTwoFailures(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
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
		_, err := k.client.Stop(t.Context(), k.key)
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
		require.Equal(t, phrase.Say(phrase.English, phrase.Stopped), k.lastNotice())
		calls := lastCalls(k)
		require.Regexp(t, "killed on request|Interrupted", calls[0].Result)
		require.Equal(t, []string{"a"}, k.trace(fmt.Sprint("r", n)))
	}
	k.wellFormed()
}
