package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/engine"
)

// tree is a conversation whose turn has handed out work: to one subagent in the background that has handed on a part of it, to one that
// it waits for, to one that has not begun, and to a group chat.
type tree struct {
	*bundle

	n     int
	root  chat.SessionKey
	calls []chat.CallID // of the turn of root

	background, below, awaited, waiting chat.SessionKey
	group                               chat.GroupID
}

func (r *tree) turn(name string) chat.TurnID { return chat.TurnID(fmt.Sprintf("%s%d", name, r.n)) }

// hand has a turn hand out a task.
func (r *tree) hand(from chat.SessionKey, call chat.CallID, instance string, background bool) (chat.SessionKey, error) {
	t := task(call, instance)
	t.Session, t.Background = from, background
	handed, err := r.Agents.AssignTask(r.t.Context(), t)
	return handed.Subagent.Session, err
}

func (r *tree) claimed(key chat.SessionKey, turn chat.TurnID) {
	r.t.Helper()
	_, ok, err := r.Turns.Claim(r.t.Context(), key, turn, "run", 0)
	require.NoError(r.t, err)
	require.True(r.t, ok)
}

// grown is the n-th tree of a test.
func (b *bundle) grown(n int) *tree {
	b.t.Helper()
	r := &tree{bundle: b, n: n, root: chat.SessionKey(fmt.Sprintf("agent:main:web:thread:root%d", n))}
	b.session(r.root)
	_, err := b.Turns.Accept(b.t.Context(), engine.NewRow{Session: r.root, User: b.user.ID, Channel: "web", PlatformID: fmt.Sprint("m", n), Text: "go"})
	require.NoError(b.t, err)
	r.claimed(r.root, r.turn("r"))
	r.calls = b.calling(r.root, r.turn("r"), 5)
	for i, to := range []*chat.SessionKey{&r.background, &r.awaited, &r.waiting} {
		*to, err = r.hand(r.root, r.calls[i], fmt.Sprint("i", i), i != 1)
		require.NoError(b.t, err)
	}
	r.claimed(r.background, r.turn("b"))
	r.claimed(r.awaited, r.turn("a"))
	r.below, err = r.hand(r.background, b.calling(r.background, r.turn("b"), 2)[0], "x", true)
	require.NoError(b.t, err)
	r.claimed(r.below, r.turn("l"))
	b.calling(r.awaited, r.turn("a"), 2)
	r.group, err = b.Agents.OpenGroup(b.t.Context(), chat.NewGroup{
		Call: r.calls[3], Session: r.root, Turn: r.turn("r"), Topic: "why", Rounds: 2, Members: []chat.NewMember{{Role: "coder"}, {Role: "reviewer"}},
	})
	require.NoError(b.t, err)
	return r
}

func (r *tree) stop(key chat.SessionKey) error {
	_, err := r.Turns.Stop(r.t.Context(), engine.NewRow{Session: key, User: r.user.ID, Channel: "web", PlatformID: "stop " + string(key)}, i18n.English)
	return err
}

// race stops the tree from above and from below while work is handed out, begun and ended in it.
func (r *tree) race() error {
	spawn := func(from chat.SessionKey, call chat.CallID) func() error {
		return func() error {
			_, err := r.hand(from, call, "late", true)
			return unlessDenied(err)
		}
	}
	var all errgroup.Group
	for _, do := range []func() error{
		func() error { return r.stop(r.root) },
		func() error { return r.stop(r.background) },
		func() error { return r.stop(r.below) },
		func() error {
			_, err := r.Agents.StopSubagent(r.t.Context(), r.background, fmt.Sprint("card", r.n))
			return err
		},
		spawn(r.root, r.calls[4]),
		spawn(r.background, chat.NewCallID(r.turn("b"), 0, 1)),
		spawn(r.awaited, chat.NewCallID(r.turn("a"), 0, 0)),
		func() error {
			_, err := r.Agents.OpenGroup(r.t.Context(), chat.NewGroup{
				Call: chat.NewCallID(r.turn("a"), 0, 1), Session: r.awaited, Turn: r.turn("a"), Topic: "late", Rounds: 1, Members: []chat.NewMember{{Role: "coder"}, {Role: "reviewer"}},
			})
			return unlessDenied(err)
		},
		func() error { _, _, err := r.Turns.Claim(r.t.Context(), r.waiting, r.turn("w"), "run", 0); return err },
		func() error { _, err := r.Agents.StepGroup(r.t.Context(), r.group); return err },
		func() error {
			_, err := r.Turns.FinishTurn(r.t.Context(), r.below, r.turn("l"), chat.TurnDone, "")
			return err
		},
	} {
		all.Go(do)
	}
	return all.Wait()
}

// unlessDenied drops the refusal of a turn that was stopped before.
func unlessDenied(err error) error {
	if fault.Is(err, fault.Denied) {
		return nil
	}
	return err
}

// goesOn lists the subagents of the tree that work on although all of it was stopped: whose turn nobody stops, or who would begin one.
func (r *tree) goesOn() []string {
	r.t.Helper()
	rows, err := r.pool.Query(r.t.Context(), `SELECT a.session_key, coalesce(u.id, ''), coalesce(t.asked_in, '') FROM subagents a
		LEFT JOIN turns u ON u.session_key = a.session_key AND u.state = 'running'
		LEFT JOIN subagent_tasks t ON t.turn_id = u.id AND NOT t.background WHERE a.root = $1`, r.root)
	require.NoError(r.t, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var key chat.SessionKey
		var turn, asked chat.TurnID
		require.NoError(r.t, rows.Scan(&key, &turn, &asked))
		if turn == "" {
			_, begins, err := r.Turns.Claim(r.t.Context(), key, chat.TurnID("again-"+string(key)), "run", 0)
			require.NoError(r.t, err)
			if begins {
				out = append(out, "begins: "+string(key))
			}
			continue
		}
		if asked == r.turn("r") {
			continue // it ends with the turn that waits for it
		}
		stop, err := r.Turns.StopRequested(r.t.Context(), key, turn)
		require.NoError(r.t, err)
		if !stop {
			out = append(out, "runs: "+string(key))
		}
	}
	require.NoError(r.t, rows.Err())
	return out
}

func TestStop_OfATreeFromAboveAndFromBelowLocksUpNobodyAndLeavesNothingRunning(t *testing.T) {
	b := setup(t)
	for n := range 40 {
		r := b.grown(n)
		require.NoError(t, r.race(), "round %d", n)
		require.Empty(t, r.goesOn(), "round %d", n)
		require.Zero(t, b.count("SELECT count(*) FROM group_chats WHERE ended = ''"), "round %d", n)
	}
}
