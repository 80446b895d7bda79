package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
)

const key = chat.SessionKey("agent:main:web:thread:t")

type bundle struct {
	*store.Store
	t    *testing.T
	pool *pgxpool.Pool
	user users.User
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	s := store.New(pool, store.Options{})
	user, err := s.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	b := &bundle{Store: s, t: t, pool: pool, user: user}
	b.session(key)
	return b
}

func (b *bundle) session(key chat.SessionKey) {
	_, err := b.Conversations.CreateSession(b.t.Context(), conversation.NewSession{Key: key, Owner: b.user.ID, Channel: "web"})
	require.NoError(b.t, err)
}

func (b *bundle) send(id, text string) engine.Accepted {
	b.t.Helper()
	got, err := b.Turns.Accept(b.t.Context(), b.inbound(id, text))
	require.NoError(b.t, err)
	return got
}

func (b *bundle) inbound(id, text string) engine.NewRow {
	return engine.NewRow{Session: key, User: b.user.ID, Channel: "web", PlatformID: id, Text: text}
}

func (b *bundle) claim(turn chat.TurnID) (chat.Claim, bool) {
	b.t.Helper()
	c, ok, err := b.Turns.Claim(b.t.Context(), key, turn, "run-"+string(turn), 0)
	require.NoError(b.t, err)
	return c, ok
}

func (b *bundle) finish(turn chat.TurnID, state chat.TurnState) bool {
	b.t.Helper()
	pending, err := b.Turns.FinishTurn(b.t.Context(), key, turn, state, "")
	require.NoError(b.t, err)
	return pending
}

func (b *bundle) begin(turn chat.TurnID, n int) chat.Step {
	b.t.Helper()
	step := chat.Step{Session: key, Turn: turn, N: n}
	_, _, done, err := b.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	require.False(b.t, done)
	return step
}

func (b *bundle) transcript() conversation.Transcript {
	b.t.Helper()
	t, err := b.Conversations.Messages(b.t.Context(), key, conversation.Page{Limit: 100})
	require.NoError(b.t, err)
	return t
}

func (b *bundle) events(after int64) []chat.Event {
	b.t.Helper()
	events, err := b.Conversations.EventsAfter(b.t.Context(), key, after, 1000)
	require.NoError(b.t, err)
	return events
}

func twoCalls(turn chat.TurnID) chat.Answer {
	return chat.Answer{Text: "let me look", Finish: "tool_calls", Model: "test/m", Calls: []chat.ToolCall{
		{ID: chat.NewCallID(turn, 0, 0), ProviderID: "call_0", Name: "Shell", Class: chat.ClassExec, Arguments: `{"command":"a"}`, State: chat.CallOpen},
		{ID: chat.NewCallID(turn, 0, 1), ProviderID: "call_0", Name: "Shell", Class: chat.ClassExec, Arguments: `{"command":"b"}`, State: chat.CallOpen},
	}}
}

func TestAccept_DropsADuplicateAndRefusesAnotherTextUnderTheSameID(t *testing.T) {
	b := setup(t)
	first := b.send("m1", "hello")
	require.False(t, first.Duplicate)
	require.Equal(t, engine.Accepted{ID: first.ID, Duplicate: true}, b.send("m1", "hello"))
	_, err := b.Turns.Accept(t.Context(), b.inbound("m1", "other"))
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.Len(t, b.events(0), 1, "a duplicate must not show twice")
}

func TestAccept_ADuplicateIsFoundAfterItsTurnEnded(t *testing.T) {
	b := setup(t)
	first := b.send("m1", "hello")
	b.claim("t1")
	b.finish("t1", chat.TurnDone)
	require.Equal(t, engine.Accepted{ID: first.ID, Duplicate: true}, b.send("m1", "hello"))
	_, ok := b.claim("t2")
	require.False(t, ok)
}

func TestAccept_StoresWhatPostgresCannotHold(t *testing.T) {
	b := setup(t)
	b.send("m1", "a\x00b\xff")
	c, ok := b.claim("t1")
	require.True(t, ok)
	require.Equal(t, "ab\uFFFD", c.Text)
}

func TestClaim_TakesMessagesInOrderOneATurn(t *testing.T) {
	b := setup(t)
	for i := range 3 {
		b.send(fmt.Sprint(i), fmt.Sprint("text ", i))
	}
	for i := range 3 {
		turn := chat.TurnID(fmt.Sprint("t", i))
		c, ok := b.claim(turn)
		require.True(t, ok)
		require.Equal(t, fmt.Sprint("text ", i), c.Text)
		require.Equal(t, i < 2, b.finish(turn, chat.TurnDone), "whether messages wait")
	}
	_, ok := b.claim("t9")
	require.False(t, ok)
}

func TestClaim_RepeatedFindsItsOwn(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.send("m2", "two")
	first, _ := b.claim("t1")
	again, ok := b.claim("t1")
	require.True(t, ok)
	require.Equal(t, first, again)
	require.Len(t, b.transcript().Messages, 1, "the message must stand once in the transcript")
}

func TestClaim_GivesAMessageToOneOfManyTurns(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	var wg sync.WaitGroup
	var mu sync.Mutex
	claimed := 0
	for i := range 4 { // each may find the one before without its run and release its claim, which is done three times
		wg.Go(func() {
			_, ok, err := b.Turns.Claim(context.Background(), key, chat.TurnID(fmt.Sprint("t", i)), "run", 0)
			if err == nil && ok {
				mu.Lock()
				claimed++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, claimed, 4)
	rows, err := b.Conversations.Turns(t.Context(), key, 10)
	require.NoError(t, err)
	running := 0
	for _, r := range rows {
		if r.State == chat.TurnRunning {
			running++
		}
	}
	require.Equal(t, 1, running)
	require.Len(t, b.transcript().Messages, 1)
}

func TestClaim_SettlesATurnThatLostItsRunAndKeepsTheOrder(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.send("m2", "two")
	b.claim("gone")
	c, ok := b.claim("next")
	require.True(t, ok)
	require.Equal(t, "one", c.Text, "no step had begun, so the claim is released and taken again")
}

func TestCommitStep_ALateAttemptLosesAndGetsWhatIsStored(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	step := b.begin("t1", 0)
	first, err := b.Turns.CommitStep(t.Context(), step, twoCalls("t1"))
	require.NoError(t, err)
	require.Len(t, first.Calls, 2)
	late, err := b.Turns.CommitStep(t.Context(), step, chat.Answer{Text: "another answer", Finish: "stop"})
	require.NoError(t, err)
	require.Equal(t, "tool_calls", late.Finish)
	require.Len(t, late.Calls, 2)
	_, stored, done, err := b.Turns.BeginStep(t.Context(), step)
	require.NoError(t, err)
	require.True(t, done)
	require.Equal(t, "tool_calls", stored.Finish)
	require.Len(t, b.transcript().Messages, 2)
}

func TestCommitStep_OfALateAttemptNeedsNoConnectionBesideItsOwn(t *testing.T) {
	b := setup(t)
	b.send("m1", "go")
	b.claim("t1")
	step := b.begin("t1", 0)
	first, err := b.Turns.CommitStep(t.Context(), step, twoCalls("t1"))
	require.NoError(t, err)
	only := b.pool.Config()
	only.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), only)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	late, err := store.New(pool, store.Options{}).Turns.CommitStep(ctx, step, twoCalls("t1"))
	require.NoError(t, err)
	require.Len(t, late.Calls, len(first.Calls))
}

func TestCommitStep_TakesItsLocksInTheOrderOfTheClosing(t *testing.T) {
	b := setup(t)
	b.send("1", "hi")
	b.claim("turn")
	step := b.begin("turn", 0)
	closing, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = closing.Rollback(context.WithoutCancel(t.Context())) }() // it was committed
	_, err = closing.Exec(t.Context(), "SELECT 1 FROM turns WHERE id = 'turn' FOR NO KEY UPDATE")
	require.NoError(t, err)

	committed := make(chan error, 1)
	go func() {
		_, err := b.Turns.CommitStep(context.WithoutCancel(t.Context()), step, chat.Answer{Text: "late", Finish: "stop"})
		committed <- err
	}()
	require.Eventually(t, func() bool {
		var waiting int
		err := b.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		return err == nil && waiting == 1
	}, 10*time.Second, 10*time.Millisecond)
	_, err = closing.Exec(t.Context(), "UPDATE steps SET state = 'done', finish = 'stopped' WHERE turn_id = 'turn'")
	require.NoError(t, err, "the closing must not wait for the one who waits for it")
	_, err = closing.Exec(t.Context(), "UPDATE turns SET state = 'stopped' WHERE id = 'turn'")
	require.NoError(t, err)
	require.NoError(t, closing.Commit(t.Context()))
	require.NoError(t, <-committed)
	transcript, err := b.Conversations.Messages(t.Context(), key, conversation.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, transcript.Messages, 1, "nothing was added to the closed turn")
}

func TestCommitStep_WritesNothingIntoAClosedTurn(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	step := b.begin("t1", 0)
	b.finish("t1", chat.TurnStopped)
	got, err := b.Turns.CommitStep(t.Context(), step, chat.Answer{Text: "too late", Finish: "stop"})
	require.NoError(t, err)
	require.NotEqual(t, "stop", got.Finish)
	for _, m := range b.transcript().Messages {
		require.NotEqual(t, "too late", m.Content)
	}
}

func TestFinishTurn_GivesEveryOpenCallItsPair(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	_, err := b.Turns.CommitStep(t.Context(), b.begin("t1", 0), twoCalls("t1"))
	require.NoError(t, err)
	call, err := b.Calls.Call(t.Context(), chat.NewCallID("t1", 0, 0))
	require.NoError(t, err)
	began, err := b.Calls.BeginCall(t.Context(), call)
	require.NoError(t, err)
	require.True(t, began)
	b.finish("t1", chat.TurnStopped)
	calls := b.transcript().Messages[1].ToolCalls
	require.Equal(t, i18n.Say(i18n.English, i18n.CallInterrupt), calls[0].Result)
	require.Equal(t, i18n.Say(i18n.English, i18n.CallNotRun), calls[1].Result)
	for _, c := range calls {
		require.Equal(t, chat.CallDone, c.State)
		require.True(t, c.IsError)
	}
	began, err = b.Calls.BeginCall(t.Context(), call)
	require.NoError(t, err)
	require.False(t, began, "a call of a closed turn must not start")
}

func TestFinishCall_TheFirstResultStands(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	_, err := b.Turns.CommitStep(t.Context(), b.begin("t1", 0), twoCalls("t1"))
	require.NoError(t, err)
	id := chat.NewCallID("t1", 0, 0)
	require.NoError(t, b.Calls.FinishCall(t.Context(), id, chat.ToolResult{Content: "first\x00"}))
	require.NoError(t, b.Calls.FinishCall(t.Context(), id, chat.ToolResult{Content: "second"}))
	call, err := b.Calls.Call(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "first", call.Result)
}

func TestFinishTurn_DoneTwiceChangesNothing(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	b.finish("t1", chat.TurnDone)
	before := b.events(0)
	b.finish("t1", chat.TurnFailed)
	require.Equal(t, before, b.events(0))
}

func TestStop_HitsTheRunningTurnAndClearsTheQueue(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	b.send("m2", "two")
	got, err := b.Turns.Stop(t.Context(), b.inbound("s1", ""), i18n.English)
	require.NoError(t, err)
	require.Equal(t, chat.TurnID("t1"), got.Turn)
	require.Equal(t, 1, got.Cleared)
	stop, err := b.Turns.StopRequested(t.Context(), key, "t1")
	require.NoError(t, err)
	require.True(t, stop)
	require.False(t, b.finish("t1", chat.TurnStopped), "the queue was cleared")
}

func TestStop_TellsOfWhatItClearedInTheOrderOfTheQueue(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	var queued []chat.InboxID
	for i := range 20 {
		queued = append(queued, b.send(fmt.Sprintf("q%d", i), "wait").ID)
	}
	got, err := b.Turns.Stop(t.Context(), b.inbound("s1", ""), i18n.English)
	require.NoError(t, err)
	require.Equal(t, queued, got.Dropped)
}

func TestFinish_ANoticeIsInTheLanguageThatThePersonChose(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.Language, "zh"))
	b.send("m1", "hello")
	b.claim("t1")
	_, err := b.Turns.Stop(t.Context(), b.inbound("s1", ""), i18n.English)
	require.NoError(t, err)
	_, err = b.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	messages := b.transcript().Messages
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.Stopped), messages[len(messages)-1].Content)
}

func TestStop_ThatComesAsTheTurnEndsNeverHitsTheNext(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	_, err := b.Turns.Stop(t.Context(), b.inbound("s1", ""), i18n.English)
	require.NoError(t, err)
	b.finish("t1", chat.TurnDone) // the answer was faster
	b.send("m2", "two")
	_, ok := b.claim("t2")
	require.True(t, ok)
	stop, err := b.Turns.StopRequested(t.Context(), key, "t2")
	require.NoError(t, err)
	require.False(t, stop)
}

func TestStop_WithNothingToStopIsDone(t *testing.T) {
	b := setup(t)
	got, err := b.Turns.Stop(t.Context(), b.inbound("s1", ""), i18n.English)
	require.NoError(t, err)
	require.Empty(t, got.Turn)
	waiting, err := b.ToWake(t.Context())
	require.NoError(t, err)
	require.Empty(t, waiting, "such a stop must not wake anything")
}

func TestSettleTurn_ReleasesAtMostThreeTimesThenTellsThePerson(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	for i := range 3 {
		turn := chat.TurnID(fmt.Sprint("t", i))
		b.claim(turn)
		got, err := b.Turns.SettleTurn(t.Context(), turn)
		require.NoError(t, err)
		require.Equal(t, engine.SettledReleased, got)
		require.Len(t, b.transcript().Queued, 1, "the message waits again")
	}
	b.claim("last")
	got, err := b.Turns.SettleTurn(t.Context(), "last")
	require.NoError(t, err)
	require.Equal(t, engine.SettledLost, got)
	messages := b.transcript().Messages
	require.Equal(t, i18n.Say(i18n.English, i18n.Gone), messages[len(messages)-1].Content)
}

func TestSettleTurn_PairsOpenCallsWithUnknownOutcomes(t *testing.T) {
	b := setup(t)
	b.send("m1", "做一下")
	b.claim("t1")
	_, err := b.Turns.CommitStep(t.Context(), b.begin("t1", 0), twoCalls("t1"))
	require.NoError(t, err)
	call, err := b.Calls.Call(t.Context(), chat.NewCallID("t1", 0, 0))
	require.NoError(t, err)
	_, err = b.Calls.BeginCall(t.Context(), call)
	require.NoError(t, err)
	got, err := b.Turns.SettleTurn(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, engine.SettledLost, got)
	again, err := b.Turns.SettleTurn(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, engine.SettledBefore, again)
	messages := b.transcript().Messages
	require.Equal(t, i18n.Say(i18n.English, i18n.CallUnknown), messages[1].ToolCalls[0].Result)
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.Gone), messages[2].Content, "in the language of the message")
}

func TestSettleTurn_NotesTheKillOfTheCommandsItLeavesBehind(t *testing.T) {
	b := setup(t)
	b.send("m1", "build")
	b.claim("t1")
	step := b.begin("t1", 0)
	var calls []chat.ToolCall
	for n, class := range []chat.ToolClass{chat.ClassExec, chat.ClassExec, chat.ClassRead} {
		calls = append(calls, chat.ToolCall{ID: chat.NewCallID("t1", 0, n), Name: "Shell", Class: class, Arguments: "{}", State: chat.CallOpen})
	}
	_, err := b.Turns.CommitStep(t.Context(), step, chat.Answer{Calls: calls, Finish: "tool_calls"})
	require.NoError(t, err)
	for n, runner := range []string{"local", "laptop", "laptop"} {
		call, err := b.Calls.Call(t.Context(), calls[n].ID)
		require.NoError(t, err)
		call.Runner = runner
		_, err = b.Calls.BeginCall(t.Context(), call)
		require.NoError(t, err)
		require.NoError(t, b.Calls.SetStartedOn(t.Context(), call.ID, "store"))
	}
	_, err = b.Turns.SettleTurn(t.Context(), "t1")
	require.NoError(t, err)
	laptop := fmt.Sprintf("%d/laptop", b.user.ID)
	kills, err := b.Calls.OpenKills(t.Context(), []string{"local", laptop})
	require.NoError(t, err)
	require.Equal(t, map[string][]chat.CallID{"local": {calls[0].ID}, laptop: {calls[1].ID}}, kills)
}

func TestCountFailure_CountsAndTellsUntilTheLimit(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	step := b.begin("t1", 0)
	for want := 1; want <= 3; want++ {
		got, err := b.Turns.CountFailure(t.Context(), step, func(n int, _ i18n.Lang) (chat.Retry, bool) { return chat.Retry{Attempt: n + 1}, n < 3 })
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	retries := 0
	for _, e := range b.events(0) {
		if e.Kind == chat.EventRetry {
			retries++
		}
	}
	require.Equal(t, 2, retries)
}

func TestEvents_HaveNoGapAndNoDisorderUnderConcurrency(t *testing.T) {
	b := setup(t)
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			_, err := b.Turns.Accept(context.Background(), b.inbound(fmt.Sprint("m", i), "x"))
			if err != nil {
				panic(err)
			}
		})
	}
	wg.Wait()
	events := b.events(0)
	require.Len(t, events, 30)
	for i, e := range events {
		require.Equal(t, int64(i+1), e.Seq)
		var q chat.Queued
		require.NoError(t, json.Unmarshal(e.Data, &q))
	}
}

func TestToWake_TakesARowOncePerBackOff(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	rows, err := b.ToWake(t.Context())
	require.NoError(t, err)
	require.Empty(t, rows, "a fresh row was woken by its ingress")
	_, err = b.pool.Exec(t.Context(), "UPDATE inbox SET woken_at = now() - interval '3 seconds'")
	require.NoError(t, err)
	rows, err = b.ToWake(t.Context())
	require.NoError(t, err)
	require.Len(t, rows, 1)
	rows, err = b.ToWake(t.Context())
	require.NoError(t, err)
	require.Empty(t, rows)
}

func TestLoginLink_WorksOnce(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Users.CreateLoginLink(t.Context(), b.user.ID, []byte("hash"), inAnHour()))
	_, err := b.Users.UseLoginLink(t.Context(), []byte("hash"))
	require.NoError(t, err)
	_, err = b.Users.UseLoginLink(t.Context(), []byte("hash"))
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestTokens_AreUselessOnceRevoked(t *testing.T) {
	b := setup(t)
	id, err := b.Users.CreateToken(t.Context(), b.user.ID, users.Token{Name: "script"}, []byte("hash"))
	require.NoError(t, err)
	_, _, err = b.Users.TokenUser(t.Context(), []byte("hash"))
	require.NoError(t, err)
	require.NoError(t, b.Users.RevokeToken(t.Context(), b.user.ID, id))
	_, _, err = b.Users.TokenUser(t.Context(), []byte("hash"))
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestMigrate_RefusesADatabaseOfANewerBinary(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewDatabase(t, pg.MigrationsHash(), pg.Migrate)
	pool, err := pgxpool.New(t.Context(), dsn)
	require.NoError(t, err)
	defer pool.Close()
	_, err = pool.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)")
	require.NoError(t, err)
	err = pg.Migrate(t.Context(), dsn)
	require.ErrorContains(t, err, "made by a newer xbot")
}

func inAnHour() time.Time { return time.Now().Add(time.Hour) }

func TestClaim_OfAClosedTurnLeavesTheNextMessageAlone(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	b.finish("t1", chat.TurnDone)
	waiting := b.send("m2", "two")
	_, ok, _ := b.Turns.Claim(t.Context(), key, "t1", "the run that an operator has reset", 0)
	require.False(t, ok, "a closed turn has no use for a message")
	c, ok := b.claim("t1")
	require.True(t, ok, "a workflow task that is done again, or a worker that was frozen, finds what the run has claimed")
	require.Equal(t, chat.TurnDone, c.Ended)
	c, ok = b.claim("t2")
	require.True(t, ok, "the message must still wait")
	require.Equal(t, waiting.ID, c.Inbox)
}

func TestFinishTurn_OfADeletedSessionHasNothingToDo(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	require.NoError(t, b.Agents.DeleteSession(t.Context(), key))
	require.False(t, b.finish("t1", chat.TurnDone))
}

func TestSettleTurn_AStopHoldsAlthoughTheRunVanished(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.claim("t1")
	_, err := b.Turns.Stop(t.Context(), b.inbound("s1", ""), i18n.English)
	require.NoError(t, err)
	_, err = b.Turns.SettleTurn(t.Context(), "t1")
	require.NoError(t, err)
	_, ok := b.claim("t2")
	require.False(t, ok, "a message that was stopped must not be answered by another turn")
	turns, err := b.Conversations.Turns(t.Context(), key, 1)
	require.NoError(t, err)
	require.Equal(t, chat.TurnStopped, turns[0].State)
}

func TestSetPassword_SignsOutEveryBrowserButTheOneThatIsKept(t *testing.T) {
	b := setup(t)
	signedIn := func(hash string) bool {
		_, _, err := b.Users.WebSessionUser(t.Context(), []byte(hash))
		if err != nil {
			require.Equal(t, fault.NotFound, fault.KindOf(err))
		}
		return err == nil
	}
	for _, hash := range []string{"one", "two", "three"} {
		require.NoError(t, b.Users.CreateWebSession(t.Context(), b.user.ID, []byte(hash), inAnHour()))
	}
	require.NoError(t, b.Users.SetPassword(t.Context(), b.user.ID, "x", users.PasswordEffect{KeepLogin: []byte("one")}))
	require.True(t, signedIn("one"))
	require.False(t, signedIn("two"))
	require.NoError(t, b.Users.SetPassword(t.Context(), b.user.ID, "x", users.PasswordEffect{}))
	require.False(t, signedIn("one"), "nobody asked to keep it: the password was set by a program")
}

func TestAccept_RefusesWhatAFullQueueCannotHoldAndSaysSo(t *testing.T) {
	b := setup(t)
	for i := range engine.MaxQueued {
		b.send(fmt.Sprint("m", i), "x")
	}
	before := b.events(0)
	_, err := b.Turns.Accept(t.Context(), b.inbound("one too many", "x"))
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	require.ErrorContains(t, err, "32 messages wait")
	require.Equal(t, before, b.events(0))
	require.True(t, b.send("m0", "x").Duplicate, "what was accepted stays accepted")
	_, err = b.Turns.Stop(t.Context(), b.inbound("s1", ""), i18n.English)
	require.NoError(t, err, "a stop is never refused")
	b.send("one too many", "x")
}

// heard records what a store says to the feed.
type heard struct {
	mu    sync.Mutex
	woken int
	ended []chat.TurnID
	tasks []chat.CallID
	below []chat.SessionKey
}

func (h *heard) Append(chat.SessionKey, []chat.Event) { h.mu.Lock(); defer h.mu.Unlock(); h.woken++ }

func (h *heard) End(_ chat.SessionKey, turn chat.TurnID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = append(h.ended, turn)
}

func (h *heard) EndTask(_ chat.SessionKey, call chat.CallID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tasks = append(h.tasks, call)
}

func (h *heard) Below(key chat.SessionKey) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.below = append(h.below, key)
}

func TestFeed_IsToldOfEachEndHoweverItCame(t *testing.T) {
	b := setup(t)
	feed := &heard{}
	b.Store = store.New(b.pool, store.Options{Feed: feed})
	b.send("m1", "one")
	require.Equal(t, 1, feed.woken)
	b.claim("released")
	_, err := b.Turns.SettleTurn(t.Context(), "released")
	require.NoError(t, err)
	b.claim("lost")
	b.begin("lost", 0)
	_, err = b.Turns.SettleTurn(t.Context(), "lost")
	require.NoError(t, err)
	b.send("m2", "two")
	b.claim("done")
	b.finish("done", chat.TurnDone)
	b.finish("done", chat.TurnDone)
	require.Equal(t, []chat.TurnID{"released", "lost", "done"}, feed.ended)
}

// RecallQueued takes a message back that waits, named by the id that its platform gave it. False: it does not wait any more.
func (b *bundle) RecallQueued(ctx context.Context, platformID string) (bool, error) {
	var id chat.InboxID
	if err := b.pool.QueryRow(ctx, "SELECT id FROM inbox WHERE platform_id = $1", platformID).Scan(&id); err != nil {
		return false, err
	}
	err := b.Turns.RecallWaiting(ctx, key, id)
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	return err == nil, err
}
