package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// chatOf makes a group chat of the session, in a turn that a person began.
func (b *bundle) chatOf(turn chat.TurnID, rounds int, roles ...string) chat.GroupID {
	b.t.Helper()
	g := chat.NewGroup{Call: chat.NewCallID(turn, 0, 0), Session: key, Turn: turn, Topic: "why", Rounds: rounds}
	for _, role := range roles {
		g.Members = append(g.Members, chat.NewMember{Role: role})
	}
	id, err := b.Agents.OpenGroup(b.t.Context(), g)
	require.NoError(b.t, err)
	again, err := b.Agents.OpenGroup(b.t.Context(), g)
	require.NoError(b.t, err)
	require.Equal(b.t, id, again, "the same call is the same chat")
	return id
}

func (b *bundle) step(id chat.GroupID) chat.GroupStep {
	b.t.Helper()
	s, err := b.Agents.StepGroup(b.t.Context(), id)
	require.NoError(b.t, err)
	return s
}

func TestStepGroup_RepeatedFindsWhoWasAsked(t *testing.T) {
	b := setup(t)
	id := b.chatOf("t1", 3, "coder", "coder")
	first := b.step(id)
	require.Equal(t, "coder", first.Name)
	require.Equal(t, first, b.step(id))
	require.Equal(t, 1, b.count("SELECT count(*) FROM subagent_tasks"))
	require.Equal(t, 1, b.count("SELECT count(*) FROM inbox WHERE account = 'subagent'"))
}

func TestSpeakInGroup_IsForItsMakerAndOnce(t *testing.T) {
	b := setup(t)
	id := b.chatOf("t1", 3, "coder", "reviewer")
	for range 2 {
		require.NoError(t, b.Agents.SpeakInGroup(t.Context(), id, key, "t2.0.0", "@reviewer first"))
	}
	require.Equal(t, 1, b.count("SELECT count(*) FROM group_lines"))
	require.Equal(t, "reviewer", b.step(id).Name)
	require.Equal(t, fault.NotFound, fault.KindOf(b.Agents.SpeakInGroup(t.Context(), id, key+"x", "t2.0.1", "me")))
	for range 2 {
		require.NoError(t, b.Agents.SpeakInGroup(t.Context(), id, key, "t3.0.0", "/end thanks"))
	}
	require.True(t, b.step(id).Over)
	require.Equal(t, 1, b.count("SELECT count(*) FROM inbox WHERE platform_id = $1", "group/"+string(id)))
	require.Equal(t, fault.Conflict, fault.KindOf(b.Agents.SpeakInGroup(t.Context(), id, key, "t4.0.0", "more")))
	groups, err := b.Agents.GroupsOf(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, groups, 1)
	require.Equal(t, "closed", groups[0].Ended)
	require.Len(t, groups[0].Lines, 2)
}

func TestSendPeer_IsForConversationsOfThePerson(t *testing.T) {
	b := setup(t)
	const mine, theirs = chat.SessionKey("agent:main:web:thread:mine"), chat.SessionKey("agent:main:web:thread:theirs")
	b.session(mine)
	_, err := b.pool.Exec(t.Context(), `INSERT INTO users (name, role) VALUES ('other', 'member')`)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `INSERT INTO sessions (key, user_id, channel, title) SELECT $1, id, 'web', 'secret plans' FROM users WHERE name = 'other'`, theirs)
	require.NoError(t, err)
	m := chat.PeerMessage{Call: "t1.0.0", Turn: "t1", User: b.user.ID, From: key, To: theirs, Text: "hello"}
	err = b.Agents.SendPeer(t.Context(), m)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.Contains(t, err.Error(), "session:"+string(mine))
	require.NotContains(t, err.Error(), "secret plans")
	require.Zero(t, b.count("SELECT count(*) FROM inbox"))

	m.To = mine
	for range 2 {
		require.NoError(t, b.Agents.SendPeer(t.Context(), m))
	}
	require.Equal(t, 1, b.count("SELECT count(*) FROM inbox WHERE session_key = $1 AND account = 'peer'", mine))
}

func TestSendPeer_ATurnSendsOnlySoMany(t *testing.T) {
	b := setup(t)
	const mine = chat.SessionKey("agent:main:web:thread:mine")
	b.session(mine)
	for n := range chat.MaxPeerMessages + 1 {
		err := b.Agents.SendPeer(t.Context(), chat.PeerMessage{
			Call: chat.CallID(fmt.Sprintf("t1.0.%d", n)), Turn: "t1", User: b.user.ID, From: key, To: mine, Text: "x",
		})
		require.Equal(t, n == chat.MaxPeerMessages, fault.Is(err, fault.Denied), "message %d: %v", n, err)
	}
}

func TestSendPeer_AJobOfATurnDoesNotBeginTheCountAnew(t *testing.T) {
	b := setup(t)
	const other = chat.SessionKey("agent:main:web:thread:other")
	b.session(other)
	sends := func(turn chat.TurnID, from, to chat.SessionKey, call chat.CallID) (hops int) {
		require.NoError(t, b.Agents.SendPeer(t.Context(), chat.PeerMessage{Call: call, Turn: turn, User: b.user.ID, From: from, To: to, Text: "go on"}))
		return b.count("SELECT hops FROM peer_messages WHERE call_id = $1", call)
	}
	turnOf := func(turn chat.TurnID, calls int) []chat.CallID {
		_, ok, err := b.Turns.Claim(t.Context(), other, turn, "run", 0)
		require.NoError(t, err)
		require.True(t, ok)
		return b.calling(other, turn, calls)
	}
	require.Equal(t, 1, sends("t1", key, other, b.handing("t1", 1)[0]))
	made := b.job("every 1h", func(j *cronstore.Job) { j.MadeBy, j.Target = string(turnOf("p1", 1)[0]), other })
	theirs := b.job("every 1h", func(j *cronstore.Job) { j.Target = other })
	_, err := b.Turns.FinishTurn(t.Context(), other, "p1", chat.TurnDone, "")
	require.NoError(t, err)
	for i, c := range []struct {
		job  chat.JobID
		hops int
	}{{made.ID, 2}, {theirs.ID, 1}} {
		_, err := b.Cron.RunJob(t.Context(), c.job, "1")
		require.NoError(t, err)
		turn := chat.TurnID(fmt.Sprintf("p%d", i+2))
		require.Equal(t, c.hops, sends(turn, other, key, turnOf(turn, 1)[0]), "of a turn that a message led to one more, of a person the first")
		_, err = b.Turns.FinishTurn(t.Context(), other, turn, chat.TurnDone, "")
		require.NoError(t, err)
	}
}
