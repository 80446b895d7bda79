package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// crowd is people who write through a platform to two replicas of everything.
type crowd struct {
	*parts
	other    *server  // the second ingress
	worker2  *process // the second worker
	people   []*writer
	messages int // of each person
}

// writer is a person, and when each of their messages was known to be accepted.
type writer struct {
	id       string
	session  chat.SessionKey
	accepted []time.Time
}

// sizeOfCrowd is XBOT_CONCURRENCY, people x messages.
func sizeOfCrowd(t *testing.T) (people, messages int) {
	people, messages = 40, 10
	if size := os.Getenv("XBOT_CONCURRENCY"); size != "" {
		_, err := fmt.Sscanf(size, "%dx%d", &people, &messages)
		require.NoError(t, err, "XBOT_CONCURRENCY is people x messages, such as 200x50")
	}
	return people, messages
}

// openToAll lets everybody write; a turn answers one message.
const openToAll = `{"messages": {"queue": {"mode": "followup"}}, "channels": {"matrix": {"dmPolicy": "open", "allowFrom": ["*"]}}}`

func newCrowd(t *testing.T) *crowd {
	people, messages := sizeOfCrowd(t)
	c := &crowd{parts: newParts(t, "XBOT_ENCRYPTION_KEY=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="), messages: messages}
	c.other = &server{t: t, home: t.TempDir(), url: "http://" + freeAddress(t), model: c.model}
	env := append([]string{}, c.ingress.env...)
	c.other.process = newProcess(t, "xbot", append(env, "XBOT_HOME="+c.other.home, "XBOT_HTTP_ADDR="+c.other.address()), "ingress")
	c.other.client = apiclient.New(c.other)
	t.Cleanup(c.other.client.Close)
	one[int64](t, c.database(), `INSERT INTO policies (body) VALUES ('`+openToAll+`') RETURNING id`)
	c.ingress.kill()
	c.boot() // knows the policy
	c.other.boot()
	c.worker2 = newProcess(t, "xbot", c.worker.env, "worker")
	c.worker2.start()
	for n := range people {
		c.people = append(c.people, &writer{id: fmt.Sprint("@p", n), accepted: make([]time.Time, messages)})
	}
	return c
}

// write delivers the messages of a person through either ingress, as a platform does that is out of order within five
// messages, delivers some of them more than once and some again much later.
func (c *crowd) write(ctx context.Context, w *writer) error {
	for block := 0; block < c.messages; block += 5 {
		for _, i := range rand.Perm(min(5, c.messages-block)) {
			for range 1 + rand.IntN(5)/4 {
				if err := c.deliver(ctx, w, block+i); err != nil {
					return err
				}
			}
		}
		if block > 0 && rand.IntN(3) == 0 {
			if err := c.deliver(ctx, w, rand.IntN(block)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *crowd) deliver(ctx context.Context, w *writer, i int) error {
	e := direct(fmt.Sprint("m", i), w.id, text(i))
	e.SentAt, e.Seq = hourAgo, int64(i)
	for {
		client := c.client
		if rand.IntN(2) == 0 {
			client = c.other.client
		}
		out, err := deliver(ctx, client, e)
		switch {
		case err == nil && out.Outcome != "refused":
			w.session = out.Session
			if w.accepted[i].IsZero() {
				w.accepted[i] = time.Now()
			}
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("message %d of %s: %w (%v)", i, w.id, err, out)
		case err == nil: // the queue is full, which takes longer to change than to ask
			pause(ctx, time.Second+rand.N(2*time.Second))
		case fault.Is(err, fault.Unavailable), fault.Is(err, fault.Denied), fault.Is(err, fault.Internal):
			pause(ctx, 100*time.Millisecond+rand.N(200*time.Millisecond)) // the ingress was killed, and its token is not that of the next one
		default:
			return fmt.Errorf("message %d of %s: %w", i, w.id, err)
		}
	}
}

// hourAgo is when all was written, so that the order on the platform is that of the numbers alone.
var hourAgo = time.Now().Add(-time.Hour)

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// text is a message that is answered with its number.
func text(i int) string { return fmt.Sprint("say answer ", i) }

// havoc kills processes at random moments, one after another, until told to stop.
func (c *crowd) havoc(stop <-chan struct{}) (kills int) {
	victims := []struct {
		kill, start func()
	}{
		{c.ingress.kill, c.boot}, {c.other.kill, c.other.boot}, {c.worker.kill, c.worker.start}, {c.worker2.kill, c.worker2.start},
	}
	for {
		select {
		case <-stop:
			return kills
		case <-time.After(c.calm()):
		}
		v := victims[rand.IntN(len(victims))]
		v.kill()
		kills++
		<-time.After(rand.N(time.Second))
		v.start()
	}
}

// calm is the time between two kills: at least two processes are started again in it, and many messages have 40 kills.
func (c *crowd) calm() time.Duration {
	most := 4*time.Second + time.Duration(len(c.people)*c.messages)*2*time.Millisecond
	return time.Second + rand.N(most)
}

func TestConcurrency_EachMessageIsAnsweredOnceInOrderWhateverIsKilled(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	db := c.database()
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
	defer cancel()
	began, stop := time.Now(), make(chan struct{})
	writing, until := errgroup.WithContext(ctx)
	for _, i := range rand.Perm(len(c.people)) {
		writing.Go(func() error { return c.write(until, c.people[i]) })
	}
	total := len(c.people) * c.messages
	wrote := make(chan error, 1)
	go func() { wrote <- writing.Wait() }()
	go func() {
		defer close(stop)
		if err := <-wrote; err != nil {
			wrote <- err
			return
		}
		close(wrote)
		for ctx.Err() == nil {
			var left, rows int
			err := db.QueryRow(ctx, "SELECT count(*) FILTER (WHERE outcome IS NULL OR t.state = 'running'), count(*) FROM inbox i LEFT JOIN turns t ON t.id = i.turn_id").Scan(&left, &rows)
			if err == nil && rows >= total && left == 0 {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	kills := c.havoc(stop)
	took := time.Since(began)
	require.NoError(t, <-wrote)
	require.NoError(t, ctx.Err(), "not all were answered in time")
	turns := one[int](t, db, "SELECT count(*) FROM turns WHERE state = 'done'")
	t.Logf("%d messages of %d people, %d turns, %d kills: %s, %.1f turns/s", total, len(c.people), turns, kills, took.Round(time.Second), float64(turns)/took.Seconds())
	require.Equal(t, total, one[int](t, db, "SELECT count(*) FROM inbox WHERE kind = 'message'"), "a duplicate is no message")
	for _, w := range c.people {
		c.check(db, w)
	}
}

// check requires of a person's conversation that each message was answered once, by a turn of its own, and that no
// message overtook one that the person had written before and that was accepted by then.
func (c *crowd) check(db *pgxpool.Pool, w *writer) {
	c.t.Helper()
	k := &talk{server: c.server, key: w.session}
	began := c.began(db, w.session)
	var order []int // numbers of the messages as they were answered
	turns, turnOf := map[chat.TurnID]int{}, map[int]chat.TurnID{}
	answers := map[int]int{}
	for _, m := range k.transcript().Messages {
		var i int
		switch m.Role {
		case chat.RoleUser:
			_, err := fmt.Sscanf(m.Content, "say answer %d", &i)
			require.NoError(c.t, err)
			require.NotContains(c.t, turns, m.Turn, "a turn has one message")
			turns[m.Turn], turnOf[i] = i, m.Turn
			for _, before := range order {
				if before > i {
					require.Greater(c.t, w.accepted[i], began[turnOf[before]], "%s: message %d was answered before %d, which waited", w.id, before, i)
				}
			}
			order = append(order, i)
		case chat.RoleAssistant:
			_, err := fmt.Sscanf(m.Content, "answer %d", &i)
			require.NoError(c.t, err)
			require.Equal(c.t, turns[m.Turn], i, "the answer is that of the turn's message")
			answers[i]++
		default:
			waits := []string{i18n.Say(i18n.English, i18n.Throttled)}
			require.Contains(c.t, waits, m.Content, "somebody was told of trouble")
		}
	}
	require.Len(c.t, order, c.messages)
	for i := range c.messages {
		require.Equal(c.t, 1, answers[i], "answers to message %d of %s", i, w.id)
	}
	k.wellFormed()
}

// began tells when each turn of a conversation claimed its message.
func (c *crowd) began(db *pgxpool.Pool, key chat.SessionKey) map[chat.TurnID]time.Time {
	rows, err := db.Query(c.t.Context(), "SELECT id, started_at FROM turns WHERE session_key = $1", key)
	require.NoError(c.t, err)
	began := map[chat.TurnID]time.Time{}
	for rows.Next() {
		var id chat.TurnID
		var at time.Time
		require.NoError(c.t, rows.Scan(&id, &at))
		began[id] = at
	}
	require.NoError(c.t, rows.Err())
	return began
}
