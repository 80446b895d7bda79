package wake_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/wake"
	"xbot/internal/channel/delivery"
	"xbot/internal/chat"
	"xbot/internal/user/users"
)

// calls are the turns and starts that a dispatcher asked for.
type calls struct {
	made []string
	err  error
}

func (c *calls) note(format string, args ...any) error {
	c.made = append(c.made, fmt.Sprintf(format, args...))
	return c.err
}

func (c *calls) Wake(ctx context.Context, r wake.TurnWake) error {
	if _, bounded := ctx.Deadline(); !bounded {
		return errors.New("it may take for ever")
	}
	return c.note("turn %s %s %s %q", r.Session, r.Channel, r.UserName, r.Text)
}
func (c *calls) StartBackground(_ context.Context, id chat.CallID) error {
	return c.note("task %s", id)
}
func (c *calls) StartBang(_ context.Context, id chat.InboxID) error  { return c.note("command %d", id) }
func (c *calls) StartFetch(_ context.Context, id chat.InboxID) error { return c.note("fetch %d", id) }
func (c *calls) StartCron(_ context.Context, id chat.JobID) error    { return c.note("job %s", id) }
func (c *calls) StartGroup(_ context.Context, id chat.GroupID) error { return c.note("group %s", id) }
func (c *calls) StartMemorize(_ context.Context, id chat.MemorizeID) error {
	return c.note("memorize %d", id)
}
func (c *calls) StartMigration(_ context.Context, id chat.MigrationID) error {
	return c.note("migration %d", id)
}

func (c *calls) StartDeletion(_ context.Context, id chat.UserID) error {
	return c.note("deletion %d", id)
}

func (c *calls) StartTrack(context.Context) error { return c.note("track") }

func (c *calls) StartDeliver(_ context.Context, u delivery.Undelivered) error {
	return c.note("deliver %s %s", u.Session, u.Channel)
}

// named is who all users are.
type named string

func (n named) UserByID(context.Context, chat.UserID) (users.User, error) {
	return users.User{Name: string(n)}, nil
}

func TestDispatcher_WakesEachKindByItsID(t *testing.T) {
	t.Parallel()
	for kind, want := range map[chat.Wake]string{
		{Kind: chat.WakeTurn, ID: "s", Channel: "web", User: 7, Text: "hello"}: `turn s web alice "hello"`,
		{Kind: chat.WakeTurn, ID: "s", User: 7, UserName: "bob"}:               `turn s  bob ""`,
		{Kind: chat.WakeTurn, ID: "s"}:                                         `turn s   ""`,
		{Kind: chat.WakeDeliver, ID: "s", Channel: "qq"}:                       "deliver s qq",
		{Kind: chat.WakeGroup, ID: "g"}:                                        "group g",
		{Kind: chat.WakeBang, ID: "8"}:                                         "command 8",
		{Kind: chat.WakeFetch, ID: "9"}:                                        "fetch 9",
		{Kind: chat.WakeTask, ID: "t.0.0"}:                                     "task t.0.0",
		{Kind: chat.WakeJob, ID: "j"}:                                          "job j",
		{Kind: chat.WakeMemorize, ID: "10"}:                                    "memorize 10",
		{Kind: chat.WakeMigration, ID: "12"}:                                   "migration 12",
		{Kind: chat.WakeDeletion, ID: "11"}:                                    "deletion 11",
		{Kind: chat.WakeTrack, ID: chat.TrackID}:                               "track",
	} {
		c := &calls{}
		d := wake.Dispatcher{Turns: c, Starts: c, Users: named("alice")}
		require.NoError(t, d.Now(t.Context(), kind))
		require.Equal(t, []string{want}, c.made)
	}
}

func TestDispatcher_RefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	d := wake.Dispatcher{Starts: &calls{}}
	require.ErrorContains(t, d.Now(t.Context(), chat.Wake{Kind: "sleep"}), `"sleep"`)
	require.ErrorContains(t, d.Now(t.Context(), chat.Wake{Kind: chat.WakeFetch, ID: "x"}), `wake a fetch`)
}

func TestDispatcher_LeavesWhatFailsToTheRelay(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := &calls{err: errors.New("Temporal is away")}
	d := wake.Dispatcher{Turns: c, Starts: c, Log: slog.New(slog.NewTextHandler(&log, nil))}
	d.Wake(chat.Wake{Kind: chat.WakeJob, ID: "j"})
	d.Wait()
	require.Equal(t, []string{"job j"}, c.made)
	require.Contains(t, log.String(), "Temporal is away")
}
