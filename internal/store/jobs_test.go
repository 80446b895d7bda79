package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/crash"
	"xbot/internal/host/crash/crashstore"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/user/links"
)

// clock is one that a test sets.
type clock struct {
	mu    sync.Mutex
	at    time.Time
	ticks time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ticks += time.Microsecond
	return c.at.Add(c.ticks)
}

func (c *clock) set(text string) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// setupAt is setup with a clock that begins on a Monday at eight.
func setupAt(t *testing.T) (*bundle, *clock) {
	t.Helper()
	t.Parallel()
	c := &clock{}
	c.set("2026-03-02T08:00:00Z")
	pool := pgtest.NewPoolAt(t, pg.MigrationsHash(), pg.Migrate, c.now)
	b := &bundle{Store: store.New(pool, store.Options{}), t: t, pool: pool}
	var err error
	b.user, err = b.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	b.session(key)
	return b, c
}

var jobCount struct {
	sync.Mutex
	n int
}

// job keeps a job of the person.
func (b *bundle) job(when string, change func(j *cronstore.Job)) cronstore.Job {
	b.t.Helper()
	now, err := b.Cron.Clock(b.t.Context())
	require.NoError(b.t, err)
	jobCount.Lock()
	jobCount.n++
	id := chat.JobID(fmt.Sprintf("job_%08x", jobCount.n))
	jobCount.Unlock()
	j := cronstore.Job{Job: chat.Job{ID: id, Owner: b.user.ID, State: chat.JobActive, JobPlan: chat.JobPlan{Name: "news", Message: "read the news", Missed: "once", MaxAge: 86400}}}
	j.Spec, err = schedule.Read(when, "Europe/Berlin", now)
	require.NoError(b.t, err)
	table, err := schedule.New(j.Spec)
	require.NoError(b.t, err)
	next, ok := table.Next(now)
	require.True(b.t, ok)
	j.Next = &next
	if change != nil {
		change(&j)
	}
	made, fresh, err := b.Cron.AddJob(b.t.Context(), j)
	require.NoError(b.t, err)
	require.True(b.t, fresh)
	return made
}

func (b *bundle) fire(id chat.JobID) chat.Fired {
	b.t.Helper()
	f, err := b.Cron.FireJob(b.t.Context(), id, nil)
	require.NoError(b.t, err)
	return f
}

// told returns what conversations were told, in the order of it.
func (b *bundle) told() (out []string) {
	b.t.Helper()
	rows, err := b.pool.Query(b.t.Context(), `SELECT body FROM inbox WHERE kind = 'background' ORDER BY id`)
	require.NoError(b.t, err)
	defer rows.Close()
	for rows.Next() {
		var body string
		require.NoError(b.t, rows.Scan(&body))
		out = append(out, body)
	}
	require.NoError(b.t, rows.Err())
	return out
}

func TestPassJob_PassesOverWhatIsDueAndPausesAJobWithoutALaterTime(t *testing.T) {
	b, c := setupAt(t)
	daily, once := b.job("30 9 * * *", nil), b.job("at 2026-03-02 09:30", nil)
	pass := func(id chat.JobID) cronstore.Job {
		t.Helper()
		_, err := b.Cron.PassJob(t.Context(), id)
		require.NoError(t, err)
		j, err := b.Cron.Job(t.Context(), id)
		require.NoError(t, err)
		return j
	}
	require.Zero(t, pass(daily.ID).Passed, "it is not time yet")
	c.set("2026-03-02T08:30:00Z")
	j := pass(daily.ID)
	require.Equal(t, chat.JobActive, j.State)
	require.EqualValues(t, 1, j.Passed)
	require.Equal(t, "2026-03-03T08:30:00Z", j.Next.UTC().Format(time.RFC3339))
	j = pass(once.ID)
	require.Equal(t, chat.JobPaused, j.State, "its owner can still run it")
	require.Equal(t, chat.TroubleCrashed, j.Trouble)
	require.Empty(t, b.told())
}

func TestFireJob_PassesOverAJobOfWhichTwoRunsCrashedTheServer(t *testing.T) {
	b, _ := setupAt(t)
	now, err := b.Cron.Clock(t.Context())
	require.NoError(t, err)
	j := b.job("every 1h", nil)
	counts := crashstore.New(b.pool)
	for n := range 4 {
		_, err := b.pool.Exec(t.Context(), "UPDATE cron_jobs SET next_at = $1, due_at = $1", now.Add(-time.Duration(10-n)*time.Second))
		require.NoError(t, err)
		f := b.fire(j.ID)
		require.Equal(t, 1, f.Runs)
		if n >= 2 {
			require.Empty(t, f.Told, "time %d", n+1)
			continue
		}
		require.Len(t, f.Told, 1, "time %d", n+1)
		turn := chat.TurnID(fmt.Sprint("turn-", n))
		_, ok, err := b.Turns.Claim(t.Context(), f.Told[0], turn, string(turn), 0)
		require.NoError(t, err)
		require.True(t, ok)
		for step := range 2 { // of one run
			call := crash.NewCall("turn/"+string(f.Told[0]), "Generate", fmt.Sprint(turn, " step ", step))
			require.NoError(t, counts.CountCrash(t.Context(), "1.0", crash.Death{Crashed: true, Journal: fmt.Sprint(n, step), Blamed: []crash.Attempt{{Call: call, Run: string(turn)}}}))
			require.NoError(t, counts.GiveUpCall(t.Context(), call))
		}
		_, err = b.Turns.FinishTurn(t.Context(), f.Told[0], turn, chat.TurnFailed, i18n.Crashed)
		require.NoError(t, err)
	}
	got, err := b.Cron.Job(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, chat.JobActive, got.State)
	require.EqualValues(t, 2, got.Passed)
	_, err = b.pool.Exec(t.Context(), "UPDATE crashed_attempts SET given_up_at = given_up_at - interval '1 day'")
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), "UPDATE cron_jobs SET next_at = $1, due_at = $1", now.Add(-time.Second))
	require.NoError(t, err)
	require.Len(t, b.fire(j.ID).Told, 1, "it is told again after a day")
}

func TestFireJob_TellsItsConversationAtItsTimeAndOnce(t *testing.T) {
	b, c := setupAt(t)
	j := b.job("30 9 * * *", nil) // 08:30 UTC
	f := b.fire(j.ID)
	require.Empty(t, f.Told, "it is not time yet")
	require.InDelta(t, 30*time.Minute, f.Wait, float64(time.Second))
	c.set("2026-03-02T08:30:00Z")
	f = b.fire(j.ID)
	require.Equal(t, []chat.SessionKey{"cron:" + chat.SessionKey(j.ID)}, f.Told)
	require.Equal(t, "2026-03-03T08:30:00Z", f.Job.Next.UTC().Format(time.RFC3339))
	require.Empty(t, b.fire(j.ID).Told)
	require.Equal(t, []string{"[cron news · scheduled 2026-03-02 09:30 CET]\nread the news"}, b.told())
	s, owner, err := b.Conversations.Session(t.Context(), "cron:"+chat.SessionKey(j.ID))
	require.NoError(t, err)
	require.Equal(t, b.user.ID, owner)
	require.Equal(t, "news", s.Title)
	require.Equal(t, chat.ChatCron, s.ChatType)
}

func TestFireJob_ManyAtOnceRunATimeOnce(t *testing.T) {
	b, c := setupAt(t)
	j := b.job("* * * * *", func(j *cronstore.Job) { j.Missed = "all" })
	c.set("2026-03-02T08:20:10Z")
	var g errgroup.Group
	for range 8 {
		g.Go(func() error { _, err := b.Cron.FireJob(t.Context(), j.ID, nil); return err })
	}
	require.NoError(t, g.Wait())
	require.Len(t, b.told(), 20)
	runs, err := b.Cron.JobRuns(t.Context(), j.ID, 100)
	require.NoError(t, err)
	require.Len(t, runs, 20)
	require.Equal(t, chat.RunScheduled, runs[0].Reason)
	require.Equal(t, chat.RunMissed, runs[1].Reason)
	require.Equal(t, "waiting", runs[0].Outcome)
	require.Contains(t, b.told()[0], "scheduled 2026-03-02 09:01 CET · missed, made up for at 2026-03-02 09:20")
}

func TestFireJob_MakesUpForMissedTimesAsItsPolicySays(t *testing.T) {
	b, c := setupAt(t)
	for policy, want := range map[string]int{"skip": 0, "once": 1, "all": 3} {
		j := b.job("0 * * * *", func(j *cronstore.Job) { j.Missed = policy })
		before := len(b.told())
		c.set("2026-03-02T11:30:00Z") // three times later
		f := b.fire(j.ID)
		require.Len(t, b.told(), before+want, policy)
		now, err := b.Cron.Job(t.Context(), j.ID)
		require.NoError(t, err)
		require.Equal(t, int64(3-want), now.Passed, policy)
		require.Equal(t, "2026-03-02T12:00:00Z", f.Job.Next.UTC().Format(time.RFC3339), policy)
		c.set("2026-03-02T08:00:00Z")
	}
}

func TestFireJob_ARunThatNobodyHasBegunIsNotToldAgain(t *testing.T) {
	b, c := setupAt(t)
	j := b.job("* * * * *", func(j *cronstore.Job) { j.Target = key })
	c.set("2026-03-02T08:01:00Z")
	b.fire(j.ID)
	c.set("2026-03-02T08:02:00Z")
	require.Empty(t, b.fire(j.ID).Told)
	require.Len(t, b.told(), 1)
	runs, err := b.Cron.JobRuns(t.Context(), j.ID, 10)
	require.NoError(t, err)
	require.Equal(t, []string{"skipped", "waiting"}, []string{runs[0].Outcome, runs[1].Outcome})
	require.Equal(t, "waiting", runs[0].Why)

	_, ok := b.claim("t1")
	require.True(t, ok)
	c.set("2026-03-02T08:03:00Z")
	require.Equal(t, 1, b.fire(j.ID).Runs)
	runs, err = b.Cron.JobRuns(t.Context(), j.ID, 10)
	require.NoError(t, err)
	require.Equal(t, []string{"waiting", "skipped", "running"}, []string{runs[0].Outcome, runs[1].Outcome, runs[2].Outcome})
	require.Equal(t, chat.TurnID("t1"), runs[2].Turn)
}

func TestFireJob_OfASingleTimeOrOfAsManyRunsAsWereAskedItIsDone(t *testing.T) {
	b, c := setupAt(t)
	once := b.job("in 10m", nil)
	twice := b.job("* * * * *", func(j *cronstore.Job) { j.MaxRuns, j.Missed = 2, "all" })
	c.set("2026-03-02T08:10:00Z")
	require.Equal(t, chat.JobDone, b.fire(once.ID).Job.State)
	require.Equal(t, chat.JobDone, b.fire(twice.ID).Job.State)
	require.Len(t, b.told(), 3)
	require.Empty(t, b.fire(once.ID).Told)
}

func TestFireJob_EachRunOfAConversationOfItsOwnBeginsAnew(t *testing.T) {
	b, c := setupAt(t)
	j := b.job("* * * * *", nil)
	own := "cron:" + chat.SessionKey(j.ID)
	for i := range 2 {
		c.set(fmt.Sprintf("2026-03-02T08:0%d:00Z", i+1))
		b.fire(j.ID)
		turn := chat.TurnID(fmt.Sprint("t", i))
		_, ok, err := b.Turns.Claim(t.Context(), own, turn, "r", 0)
		require.NoError(t, err)
		require.True(t, ok)
		w, err := b.Conversations.Window(t.Context(), own)
		require.NoError(t, err)
		require.Len(t, w.Lines, 1, "the run before is not seen")
		_, err = b.Turns.FinishTurn(t.Context(), own, turn, chat.TurnDone, "")
		require.NoError(t, err)
	}
	resets, err := b.Conversations.Resets(t.Context(), own, 10)
	require.NoError(t, err)
	require.Equal(t, chat.ResetRun, resets[0].Reason)
}

func TestFireJob_PausesAJobWhoseConversationIsGone(t *testing.T) {
	b, c := setupAt(t)
	j := b.job("* * * * *", func(j *cronstore.Job) { j.Target = key })
	require.NoError(t, b.Agents.DeleteSession(t.Context(), key))
	c.set("2026-03-02T08:01:00Z")
	f := b.fire(j.ID)
	require.Equal(t, chat.JobPaused, f.Job.State)
	require.Equal(t, chat.TroubleGone, f.Job.Trouble)
	runs, err := b.Cron.JobRuns(t.Context(), j.ID, 10)
	require.NoError(t, err)
	require.Equal(t, "gone", runs[0].Outcome)
	_, err = b.Cron.RunJob(t.Context(), j.ID, "1")
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

func TestFireJob_ItsAnswerGoesWhereItIsToBeDelivered(t *testing.T) {
	b, c := setupAt(t)
	b.onPlatform()
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"}, "t1")
	_, err := b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	own := b.job("* * * * *", func(j *cronstore.Job) { j.Deliver = peerKey })
	there := b.job("* * * * *", func(j *cronstore.Job) { j.Target = peerKey })
	c.set("2026-03-02T08:01:00Z")
	for i, id := range []chat.JobID{own.ID, there.ID} {
		f := b.fire(id)
		turn := chat.TurnID(fmt.Sprint("c", i))
		_, ok, err := b.Turns.Claim(t.Context(), f.Told[0], turn, "r", 0)
		require.NoError(t, err)
		require.True(t, ok)
		step := chat.Step{Session: f.Told[0], Turn: turn}
		_, _, _, err = b.Turns.BeginStep(t.Context(), step)
		require.NoError(t, err)
		_, err = b.Turns.CommitStep(t.Context(), step, chat.Answer{Text: "good morning", Finish: "stop"})
		require.NoError(t, err)
		next, ok, err := b.Deliveries.NextOutbound(t.Context(), f.Told[0])
		require.NoError(t, err)
		require.True(t, ok, "nothing is delivered")
		o, err := b.Deliveries.Outbound(t.Context(), next.ID)
		require.NoError(t, err)
		require.Equal(t, "napcat", o.Channel)
		require.Equal(t, "7", o.Place.Peer)
		require.Empty(t, o.Place.ReplyTo, "it answers to nothing that somebody wrote")
	}
}

func TestTell_WithoutAPlaceTheAnswerGoesWhereAPersonWroteLast(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7"}, "t1")
	_, err := b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	_, err = b.Inbox.Post(t.Context(), chat.InternalMessage{Session: peerKey, Key: "1", Origin: chat.OriginHook, Text: "[hook]"})
	require.NoError(t, err)
	_, ok, err := b.Turns.Claim(t.Context(), peerKey, "t2", "r", 0)
	require.NoError(t, err)
	require.True(t, ok)
	b.answers("t2", chat.Answer{Text: "it was called", Finish: "stop"})
	_, words := b.next()
	require.Equal(t, "it was called", words)
}

func TestRunJob_RunsOnceForEachRequestAndChangesNoTimes(t *testing.T) {
	b, _ := setupAt(t)
	j := b.job("0 * * * *", nil)
	for range 2 {
		_, err := b.Cron.RunJob(t.Context(), j.ID, "call-1")
		require.NoError(t, err)
	}
	require.Equal(t, []string{"[cron news · run by hand]\nread the news"}, b.told())
	now, err := b.Cron.Job(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, j.Next.UTC(), now.Next.UTC())
	require.Equal(t, 1, now.Runs)
}

func TestAddJob_IsKeptOnceForEachRequestAndUpToALimit(t *testing.T) {
	b, _ := setupAt(t)
	first := b.job("0 * * * *", func(j *cronstore.Job) { j.MadeBy = "call-1" })
	again := first
	again.ID = "job_ffffffff"
	made, fresh, err := b.Cron.AddJob(t.Context(), again)
	require.NoError(t, err)
	require.False(t, fresh)
	require.Equal(t, first.ID, made.ID)
	for range cronstore.MaxJobs - 1 {
		b.job("0 * * * *", nil)
	}
	again.MadeBy = ""
	_, _, err = b.Cron.AddJob(t.Context(), again)
	require.True(t, fault.Is(err, fault.TooLarge), "%v", err)
}

func TestOverdueJobs_AreThoseWhoseTimeHasComeAndThatNobodyRan(t *testing.T) {
	b, c := setupAt(t)
	due := b.job("30 9 * * *", nil)
	b.job("30 10 * * *", nil)
	c.set("2026-03-02T08:30:03Z")
	ids, err := b.OverdueJobs(t.Context())
	require.NoError(t, err)
	require.Equal(t, []chat.JobID{due.ID}, ids)
	ids, err = b.OverdueJobs(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids, "once in five seconds is enough")
	begun, err := time.Parse(time.RFC3339, "2026-03-02T08:30:03Z")
	require.NoError(t, err)
	var looks []string
	for after := time.Duration(0); after < 50*time.Minute; after += 10 * time.Second {
		c.set(begun.Add(after).Format(time.RFC3339))
		if ids, err = b.OverdueJobs(t.Context()); len(ids) > 0 {
			looks = append(looks, after.String())
		}
		require.NoError(t, err)
	}
	require.Equal(t, []string{"10s", "30s", "1m10s", "2m30s", "5m10s", "10m30s", "21m10s", "31m50s", "42m30s"}, looks, "each look is a signal, and of those a workflow takes only so many")
	b.fire(due.ID)
	ids, err = b.OverdueJobs(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids)
}

func TestFireJob_AHeartbeatIsSkippedWhileItsPersonIsBusy(t *testing.T) {
	b, c := setupAt(t)
	j := b.job("* * * * *", func(j *cronstore.Job) { j.Heartbeat, j.Name = "main", "main" })
	b.send("m1", "hello")
	for i, want := range []struct {
		beat chat.Heartbeat
		why  string
	}{{chat.Heartbeat{Skip: "hours"}, "hours"}, {chat.Heartbeat{Text: "look around"}, "busy"}} {
		c.set(fmt.Sprintf("2026-03-02T08:0%d:00Z", i+1))
		_, err := b.Cron.FireJob(t.Context(), j.ID, &want.beat)
		require.NoError(t, err)
		runs, err := b.Cron.JobRuns(t.Context(), j.ID, 1)
		require.NoError(t, err)
		require.Equal(t, want.why, runs[0].Why)
	}
	b.claim("t1")
	b.finish("t1", chat.TurnDone)
	c.set("2026-03-02T08:03:00Z")
	_, err := b.Cron.FireJob(t.Context(), j.ID, &chat.Heartbeat{Text: "look around"})
	require.NoError(t, err)
	require.Equal(t, []string{"[heartbeat main · scheduled 2026-03-02 09:03 CET]\nlook around"}, b.told())
}

func TestFireJob_SpeaksAndAnswersOnlyWhereItsOwnerMay(t *testing.T) {
	b, c := setupAt(t)
	b.onPlatform()
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"}, "t1")
	_, err := b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	two, _ := b.met("qq", "u2")
	there := b.job("* * * * *", func(j *cronstore.Job) { j.Owner, j.Target = two.ID, peerKey })
	own := b.job("* * * * *", func(j *cronstore.Job) { j.Owner, j.Deliver = two.ID, peerKey })
	c.set("2026-03-02T08:01:00Z")
	_, err = b.Cron.RunJob(t.Context(), there.ID, "1")
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	f := b.fire(there.ID)
	require.Empty(t, f.Told, "the conversation has become somebody else's")
	require.Equal(t, chat.TroubleGone, f.Job.Trouble)
	require.Len(t, b.fire(own.ID).Told, 1)
	require.Zero(t, b.count("SELECT count(*) FROM inbox WHERE kind = 'background' AND place IS NOT NULL"), "nor are answers delivered there")
}

func TestFireJob_AHeartbeatGoesWhereItsPersonWroteLastInAConversationOfTheirs(t *testing.T) {
	b, c := setupAt(t)
	b.onPlatform()
	two, twoKey := b.met("napcat", "u2")
	j := b.job("every 1m", func(j *cronstore.Job) { j.Owner, j.Heartbeat, j.Deliver = two.ID, "main", cronstore.LastTalk })
	_, err := b.pool.Exec(t.Context(), `INSERT INTO inbox (session_key, user_id, kind, channel, platform_id, body, place, outcome)
		VALUES ($1, $2, 'message', 'napcat', 'm1', 'hi', '{"chat_type": "direct", "peer": "u2"}', 'claimed'),
		       ($3, $2, 'message', 'napcat', 'm2', 'hi', '{"chat_type": "direct", "peer": "7"}', 'claimed')`, twoKey, two.ID, peerKey)
	require.NoError(t, err)
	c.set("2026-03-02T08:01:00Z")
	f, err := b.Cron.FireJob(t.Context(), j.ID, &chat.Heartbeat{Text: "look"})
	require.NoError(t, err)
	require.Len(t, f.Told, 1)
	require.Equal(t, 1, b.count("SELECT count(*) FROM inbox WHERE account = 'heartbeat' AND place ->> 'peer' = 'u2'"))
}

func TestLink_MovesTheJobsThatWereMadeThere(t *testing.T) {
	b, _ := setupAt(t)
	one, oneKey := b.met("feishu", "ou_1")
	two, twoKey := b.met("qq", "u2")
	j := b.job("@daily", func(j *cronstore.Job) { j.Owner, j.Home = two.ID, twoKey })
	elsewhere := b.job("@daily", func(j *cronstore.Job) { j.Owner = two.ID })
	_, err := b.Cron.RunJob(t.Context(), j.ID, "1")
	require.NoError(t, err)
	hash := secret.HashToken("CODE")
	require.NoError(t, b.Links.NewLinkCode(t.Context(), one.ID, oneKey, hash))
	_, err = b.Links.UseLinkCode(t.Context(), links.Link{Hash: hash, User: two.ID, Channel: "qq", Peer: "u2", Lang: i18n.English})
	require.NoError(t, err)
	mine, err := b.Cron.Jobs(t.Context(), cronstore.Listed{Owner: one.ID})
	require.NoError(t, err)
	require.Len(t, mine, 1)
	require.Equal(t, j.ID, mine[0].ID)
	require.Equal(t, one.ID, b.owner(cronstore.OwnConversation(j.ID)))
	left, err := b.Cron.Jobs(t.Context(), cronstore.Listed{Owner: two.ID})
	require.NoError(t, err)
	require.Equal(t, elsewhere.ID, left[0].ID)
}

func TestFeed_TellsTheConversationThatMadeAJobOfItsRuns(t *testing.T) {
	b, clock := setupAt(t)
	feed := &heard{}
	b.Store = store.New(b.pool, store.Options{Feed: feed})
	j := b.job("every 1h", func(j *cronstore.Job) { j.Home = key })
	other := b.job("every 1h", nil) // made on the page
	clock.set("2026-03-02T09:30:00Z")
	b.fire(other.ID)
	require.Empty(t, feed.below)
	b.fire(j.ID)
	require.Equal(t, []chat.SessionKey{key}, feed.below, "it begins")
	b.answered(cronstore.OwnConversation(j.ID), "c1", "the news", chat.TurnDone)
	require.Greater(t, len(feed.below), 1, "it was carried out")
	require.Subset(t, []chat.SessionKey{key}, feed.below)
}

func TestDeleteJob_DropsTheRunsThatNoTurnHasBegun(t *testing.T) {
	b, _ := setupAt(t)
	j := b.job("0 * * * *", func(j *cronstore.Job) { j.Target = key })
	other := b.job("0 * * * *", func(j *cronstore.Job) { j.Target = key })
	for _, id := range []chat.JobID{j.ID, other.ID} {
		_, err := b.Cron.RunJob(t.Context(), id, "call-1")
		require.NoError(t, err)
	}
	require.NoError(t, b.Cron.DeleteJob(t.Context(), j.ID))
	require.Equal(t, 1, b.count(`SELECT count(*) FROM inbox WHERE kind = 'background' AND outcome IS NULL`), "that of the other job waits")
	require.Equal(t, 1, b.count(`SELECT count(*) FROM feed_events WHERE kind = 'dropped'`))
}
