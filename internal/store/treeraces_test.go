package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/turn/policy"
	"xbot/internal/user/links"
)

func TestStopSubagent_OneRequestStopsAllThatItNames(t *testing.T) {
	b := setup(t)
	for i, call := range b.handing("t1", 2) {
		handed, err := b.Agents.AssignTask(t.Context(), task(call, ""))
		require.NoError(t, err)
		agent, turn := handed.Subagent.Session, chat.TurnID(fmt.Sprintf("s%d", i))
		_, ok, err := b.Turns.Claim(t.Context(), agent, turn, "run", 0)
		require.NoError(t, err)
		require.True(t, ok)
		for range 2 {
			ran, err := b.Agents.StopSubagent(t.Context(), agent, "web//the same message")
			require.NoError(t, err)
			require.True(t, ran)
		}
		stop, err := b.Turns.StopRequested(t.Context(), agent, turn)
		require.NoError(t, err)
		require.True(t, stop, "%s", agent)
	}
	require.Equal(t, 2, b.count("SELECT count(*) FROM inbox WHERE kind = 'stop'"), "a request that is repeated stops nothing twice")
}

func TestUnloadSubagent_WaitsForATaskThatIsBeingHanded(t *testing.T) {
	b := setup(t)
	calls := b.handing("t1", 2)
	handed, err := b.Agents.AssignTask(t.Context(), task(calls[0], "a"))
	require.NoError(t, err)
	agent := handed.Subagent.Session
	b.answered(agent, "s1", "done", chat.TurnDone)
	var unloaded bool
	b.hold(`WITH loaded AS (UPDATE subagents SET unloaded_at = NULL WHERE session_key = $1 RETURNING session_key)
		INSERT INTO inbox (session_key, user_id, kind, channel, account, platform_id, body)
		SELECT session_key, $2, 'background', 'agent', 'subagent', 'more', 'more' FROM loaded`, []any{agent, b.user.ID}, func() {
		unloaded, err = b.Agents.UnloadSubagent(t.Context(), agent, false)
	})
	require.NoError(t, err)
	require.False(t, unloaded, "it has something to do")
}

func TestDeleteSession_OfASubagentDoesNotLockUpWithTheEndOfItsTurn(t *testing.T) {
	b := setup(t)
	call := b.handing("t1", 1)[0]
	handed, err := b.Agents.AssignTask(t.Context(), task(call, ""))
	require.NoError(t, err)
	agent := handed.Subagent.Session
	_, _, err = b.Turns.Claim(t.Context(), agent, "s1", "run", 0)
	require.NoError(t, err)
	closing, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	defer closing.Rollback(context.WithoutCancel(t.Context())) //nolint:errcheck // it was committed
	_, err = closing.Exec(t.Context(), "SELECT id FROM turns WHERE id = 's1' FOR NO KEY UPDATE")
	require.NoError(t, err)
	deleted := make(chan error, 1)
	go func() { deleted <- b.Agents.DeleteSession(t.Context(), agent) }()
	b.waits()
	_, err = closing.Exec(t.Context(), "SELECT call_id FROM subagent_tasks WHERE turn_id = 's1' FOR NO KEY UPDATE")
	require.NoError(t, err)
	require.NoError(t, closing.Commit(t.Context()))
	require.NoError(t, <-deleted)
}

func TestDeleteSession_OfAGroupChatDoesNotLockUpWithItsNextStep(t *testing.T) {
	b := setup(t)
	id := b.chatOf("t1", 3, "coder", "reviewer")
	step, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	defer step.Rollback(context.WithoutCancel(t.Context())) //nolint:errcheck // it was committed
	_, err = step.Exec(t.Context(), "SELECT id FROM group_chats WHERE id = $1 FOR NO KEY UPDATE", id)
	require.NoError(t, err)
	deleted := make(chan error, 1)
	go func() { deleted <- b.Agents.DeleteSession(t.Context(), key) }()
	b.waits()
	_, err = step.Exec(t.Context(), "UPDATE subagents SET unloaded_at = NULL WHERE parent = $1", key)
	require.NoError(t, err)
	require.NoError(t, step.Commit(t.Context()))
	require.NoError(t, <-deleted)
}

func TestDeleteSession_LeavesNoSubagentThatIsBeingMade(t *testing.T) {
	b := setup(t)
	call := b.handing("t1", 1)[0]
	const agent = "agent:main:subagent:late"
	var deleted error
	b.hold(`WITH tree AS (SELECT pg_advisory_xact_lock(714027, hashtext($1))),
		made AS (INSERT INTO sessions (key, user_id, channel, title, chat_type) SELECT $2, $3, 'agent', 'coder', 'subagent' FROM tree RETURNING key)
		INSERT INTO subagents (session_key, parent, root, role, instance, depth, call_id, profile) SELECT key, $1, $1, 'coder', '', 1, $4, '{}' FROM made`,
		[]any{string(key), agent, b.user.ID, string(call)}, func() { deleted = b.Agents.DeleteSession(t.Context(), key) })
	require.NoError(t, deleted)
	_, _, err := b.Conversations.Session(t.Context(), agent)
	require.True(t, fault.Is(err, fault.NotFound), "nobody is left to ask it: %v", err)
}

// line notes who is woken.
type line struct{ woken []chat.Wake }

func (l *line) Wake(wakes ...chat.Wake) { l.woken = append(l.woken, wakes...) }

func TestDeleteSession_WakesTheTurnsAndGroupChatsThatEndWithIt(t *testing.T) {
	b := setup(t)
	handed, err := b.Agents.AssignTask(t.Context(), task(b.handing("t1", 1)[0], "a"))
	require.NoError(t, err)
	agent := handed.Subagent
	_, ok, err := b.Turns.Claim(t.Context(), agent.Session, "s1", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	id := b.chatOf("t1", 3, "coder", "reviewer")
	for session, turn := range map[chat.SessionKey]chat.TurnID{key: "t1", agent.Session: "s1"} {
		stop, err := b.Turns.StopRequested(t.Context(), session, turn)
		require.NoError(t, err)
		require.False(t, stop)
	}
	l := &line{}
	b.Store = store.New(b.pool, store.Options{Wakes: l})
	require.NoError(t, b.Agents.DeleteSession(t.Context(), key))
	require.Equal(t, []chat.Wake{
		{Kind: chat.WakeTurn, ID: string(agent.Session), User: b.user.ID, Channel: "agent", Text: "deleted", Agent: &agent},
		{Kind: chat.WakeTurn, ID: string(key), User: b.user.ID, Channel: "web", Text: "deleted"}, {Kind: chat.WakeGroup, ID: string(id)},
	}, l.woken, "what waits for a wake would wait for ever")
	for session, turn := range map[chat.SessionKey]chat.TurnID{key: "t1", agent.Session: "s1"} {
		stop, err := b.Turns.StopRequested(t.Context(), session, turn)
		require.NoError(t, err)
		require.True(t, stop, "a turn that is gone ends")
	}
	step, err := b.Agents.StepGroup(t.Context(), id)
	require.NoError(t, err)
	require.True(t, step.Over)
}

func TestFinishTurn_OfASubagentWhoseParentIsGoneTellsNobody(t *testing.T) {
	b := setup(t)
	asked := task(b.handing("t1", 1)[0], "")
	asked.Background = true
	handed, err := b.Agents.AssignTask(t.Context(), asked)
	require.NoError(t, err)
	_, _, err = b.Turns.Claim(t.Context(), handed.Subagent.Session, "s1", "run", 0)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), "DELETE FROM sessions WHERE key = $1", key)
	require.NoError(t, err)
	_, err = b.Turns.FinishTurn(t.Context(), handed.Subagent.Session, "s1", chat.TurnDone, "")
	require.NoError(t, err, "a turn that cannot be closed runs for ever")
	require.Zero(t, b.count("SELECT count(*) FROM turns WHERE state = 'running'"))
}

func TestOpenGroup_CountsAsWorkThatATurnHandsOut(t *testing.T) {
	b := setup(t)
	limit := func(s policy.Subagents) {
		b.Store = store.New(b.pool, store.Options{Policies: &fixed{policy.Policy{Limits: policy.Limits{Subagents: s}}}})
	}
	calls := b.handing("t1", 4)
	open := func(call chat.CallID) error {
		g := chat.NewGroup{Call: call, Session: key, Turn: "t1", Topic: "why", Rounds: 2, Members: []chat.NewMember{{Role: "coder"}, {Role: "reviewer"}}}
		_, err := b.Agents.OpenGroup(t.Context(), g)
		return err
	}
	limit(policy.Subagents{PerTurn: 2})
	require.NoError(t, open(calls[0]))
	require.NoError(t, open(calls[1]))
	require.ErrorContains(t, open(calls[2]), "no turn may hand out more")
	_, err := b.Agents.AssignTask(t.Context(), task(calls[2], ""))
	require.ErrorContains(t, err, "no turn may hand out more")
	limit(policy.Subagents{Running: 2})
	require.ErrorContains(t, open(calls[2]), "no more may at once")
	require.NoError(t, open(calls[0]), "what was made before stands")
}

func TestSendPeer_ATurnThatSendsAtOnceSendsOnlySoMany(t *testing.T) {
	b := setup(t)
	const mine = chat.SessionKey("agent:main:web:thread:mine")
	b.session(mine)
	var all errgroup.Group
	for n := range 4 * chat.MaxPeerMessages {
		all.Go(func() error {
			err := b.Agents.SendPeer(t.Context(), chat.PeerMessage{
				Call: chat.CallID(fmt.Sprintf("t1.0.%d", n)), Turn: "t1", User: b.user.ID, From: key, To: mine, Text: "x",
			})
			if fault.Is(err, fault.Denied) {
				return nil
			}
			return err
		})
	}
	require.NoError(t, all.Wait())
	require.Equal(t, chat.MaxPeerMessages, b.count("SELECT count(*) FROM peer_messages"))
}

func TestLink_SubagentsGoWithTheirConversation(t *testing.T) {
	b := setup(t)
	one, oneKey := b.met("feishu", "ou_1")
	two, twoKey := b.met("qq", "u2")
	asked := task("t1.0.0", "a")
	asked.Session = twoKey
	handed, err := b.Agents.AssignTask(t.Context(), asked)
	require.NoError(t, err)
	require.Equal(t, two.ID, b.owner(handed.Subagent.Session))
	hash := secret.HashToken("CODE")
	require.NoError(t, b.Links.NewLinkCode(t.Context(), one.ID, oneKey, hash))
	_, err = b.Links.UseLinkCode(t.Context(), links.Link{Hash: hash, User: two.ID, Channel: "qq", Peer: "u2", Lang: i18n.English})
	require.NoError(t, err)
	require.Equal(t, one.ID, b.owner(handed.Subagent.Session), "it works with the rights of whose conversation is above it")
}
