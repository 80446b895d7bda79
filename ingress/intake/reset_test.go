package intake_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/policy"
	"xbot/slash/conversation"
)

// rules is a policy document in force.
type rules struct{ policy.Policy }

func (r *rules) Get(context.Context) (*policy.Policy, error) { return &r.Policy, nil }

// conversing makes the dispatcher know the commands of this file, and a policy.
func (b *bundle) conversing() *rules {
	b.Dispatch.Commands = ingresstest.Commands(b.Store, conversation.New{Models: models{}}, conversation.Reset{}, conversation.Continue{Sessions: b.Store.Conversations})
	p := &rules{}
	p.Session.ResetTriggers = []string{"重新开始", "begin anew"}
	b.Dispatch.Policies = p
	return p
}

func TestReset_IsACommandWithTheMessageBehindIt(t *testing.T) {
	b := setup(t)
	b.conversing()
	for i, c := range []struct {
		text string
		want []string
	}{
		{"/new", []string{"control x: /new"}},
		{"/new fast", []string{"control x: /new demo/fast"}},
		{"/new fast hello there", []string{"control x: /new demo/fast", "message x#text: hello there"}},
		{"/new review", []string{"control x: /new demo/reviewer"}},
		{"/new review of PR 5 please", []string{"control x: /new", "message x#text: review of PR 5 please"}},
		{"/new hello\nthere", []string{"control x: /new", "message x#text: hello\nthere"}},
		{"/NEW  fast\nhello", []string{"control x: /new demo/fast", "message x#text: hello"}},
		{"/clear", []string{"control x: /new"}},
		{"/reset fast is what it was", []string{"control x: /reset", "message x#text: fast is what it was"}},
		{"重新开始", []string{`control x: /reset {"said": "重新开始"}`}},
		{"Begin Anew with me", []string{`control x: /reset {"said": "Begin Anew"}`, "message x#text: with me"}},
		{"begin anewer", []string{"message x: begin anewer"}},
		{"let us begin anew", []string{"message x: let us begin anew"}},
	} {
		got := b.accepted(i, c.text)
		for j := range got {
			got[j] = trimMode(got[j])
		}
		require.Equal(t, c.want, got, c.text)
	}
}

func TestReset_ATriggerStandsInTheConversationAsItWasWritten(t *testing.T) {
	b := setup(t)
	b.conversing()
	for id, text := range map[string]string{"m1": "重新开始", "m2": " Begin Anew\twith me "} {
		for range 2 { // the second delivery is the same
			_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, id, text))
			require.NoError(t, err)
		}
	}
	want := map[string]string{"m1": "重新开始", "m2": "Begin Anew", "m2#text": "with me"}
	waiting := b.Transcript(ingresstest.Key).Queued
	require.Len(t, waiting, 3)
	for i, q := range waiting {
		require.Equal(t, want[q.ClientMessageID], q.Text, "while it waits")
		turn := chat.TurnID(fmt.Sprint("t", i))
		claim, ok, err := b.Turns.Claim(t.Context(), ingresstest.Key, turn, "run", 0)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, claim.Control, claim.Text == "/reset", "the turn carries the command out")
		_, err = b.Turns.FinishTurn(t.Context(), ingresstest.Key, turn, chat.TurnDone, "")
		require.NoError(t, err)
	}
	said := map[string]string{}
	for _, m := range b.Transcript(ingresstest.Key).Messages {
		if m.Role == chat.RoleUser {
			said[m.ClientMessageID] = m.Content
		}
	}
	require.Equal(t, want, said)
}

// trimMode takes the queue mode from the end of a row.
func trimMode(row string) string {
	const mode = " steer"
	if len(row) > len(mode) && row[len(row)-len(mode):] == mode {
		return row[:len(row)-len(mode)]
	}
	return row
}

func TestExpiry_FollowsThePolicy(t *testing.T) {
	b := setup(t)
	p := b.conversing()
	say := func(id, text string, turn chat.TurnID) {
		t.Helper()
		_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, id, text))
		require.NoError(t, err)
		b.ClaimTurn(ingresstest.Key, turn)
		_, err = b.Turns.FinishTurn(t.Context(), ingresstest.Key, turn, chat.TurnDone, "")
		require.NoError(t, err)
	}
	rest := func(d time.Duration) {
		_, err := b.Pool.Exec(t.Context(), `UPDATE sessions SET last_interaction_at = last_interaction_at - $1::interval`, d)
		require.NoError(t, err)
	}
	resets := func() int {
		got, err := b.Conversations.Resets(t.Context(), ingresstest.Key, 100)
		require.NoError(t, err)
		return len(got)
	}
	say("m1", "one", "t1")
	rest(48 * time.Hour)
	say("m2", "two", "t2")
	require.Zero(t, resets(), "nothing is set")

	p.Session.Reset = &policy.Reset{Mode: policy.ResetIdle, IdleMinutes: 60}
	rest(59 * time.Minute)
	say("m3", "three", "t3")
	require.Zero(t, resets())
	rest(61 * time.Minute)
	say("m4", "four", "t4")
	require.Equal(t, 1, resets())

	p.Session.Reset = &policy.Reset{Mode: policy.ResetDaily}
	rest(25 * time.Hour)
	say("m5", "five", "t5")
	require.Equal(t, 2, resets())
	got, err := b.Conversations.Resets(t.Context(), ingresstest.Key, 1)
	require.NoError(t, err)
	require.Equal(t, chat.ResetDaily, got[0].Reason)

	p.Session.ResetByChannel = map[string]policy.Reset{"web": {Mode: policy.ResetNone}}
	rest(25 * time.Hour)
	say("m6", "six", "t6")
	require.Equal(t, 2, resets(), "the channel has a rule of its own")
}

func TestContinue_GoesOnOnlyWhereSomethingStopped(t *testing.T) {
	b := setup(t)
	b.conversing()
	last := func() chat.Message { m := b.Transcript(ingresstest.Key).Messages; return m[len(m)-1] }
	send := func(id string) {
		t.Helper()
		_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, id, "/continue"))
		require.NoError(t, err)
	}
	send("c1")
	require.Equal(t, i18n.Say(i18n.English, i18n.ContinueNone), last().Content)
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m1", "hello"))
	require.NoError(t, err)
	b.ClaimTurn(ingresstest.Key, "t1")
	_, err = b.Turns.FinishTurn(t.Context(), ingresstest.Key, "t1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	send("c1")
	require.Equal(t, chat.RoleNotice, last().Role, "what was answered before is not carried out now")
	for range 2 {
		send("c2")
	}
	b.ClaimTurn(ingresstest.Key, "t2")
	require.Equal(t, chat.OriginContinue, last().Origin)
	require.Equal(t, "Continue where you stopped.", last().Content)
	send("c2")
	_, err = b.Turns.FinishTurn(t.Context(), ingresstest.Key, "t2", chat.TurnDone, "")
	require.NoError(t, err)
	_, ok, err := b.Turns.Claim(t.Context(), ingresstest.Key, "t3", "run", 0)
	require.NoError(t, err)
	require.False(t, ok, "it was accepted once")
}

// later is the clock of a machine that is ahead.
type later struct{ by time.Duration }

func (l later) Now() time.Time { return time.Now().Add(l.by) }

func (later) After(time.Duration, func()) intake.Timer { return never{} }

// never is a timer that does not fire.
type never struct{}

func (never) Stop() bool { return false }

func TestReset_ByTimeDoesNotCutWhatASubagentIsAsked(t *testing.T) {
	b := setup(t)
	rule := &policy.Reset{Mode: policy.ResetIdle, IdleMinutes: 30}
	p := b.conversing()
	p.Session.Reset, p.Session.ResetByChannel = rule, map[string]policy.Reset{"agent": *rule}
	p.Session.ResetByType = map[string]policy.Reset{"subagent": *rule}
	b.Dispatch.Clock = later{48 * time.Hour}
	for name, key := range map[string]chat.SessionKey{"": ingresstest.Key, "subagent": b.Hire("a", "").Session} {
		in := b.Inbound(key, "m"+name, "how far are you?")
		in.ChatType = chat.ChatType(name)
		if name != "" {
			in.Channel = "agent"
		}
		_, err := b.Dispatch.Message(t.Context(), in)
		require.NoError(t, err)
		var reset string
		require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT reset FROM inbox WHERE platform_id = $1", in.PlatformID).Scan(&reset))
		require.Equal(t, name == "", reset != "", "%q: %s", name, reset)
	}
	b.Woken.Wait()
}

func TestNew_AsksWhichOfSeveralModelsIsMeant(t *testing.T) {
	b := setup(t)
	b.conversing()
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "x", "/new demo write a poem"))
	require.NoError(t, err)
	said := b.Transcript(ingresstest.Key).Messages
	require.Contains(t, said[len(said)-1].Content, "`demo/fast`, `demo/slow`")
	require.Empty(t, b.Transcript(ingresstest.Key).Queued, "neither a new conversation nor a message")
	_, err = b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "y", "/reset demo write a poem"))
	require.NoError(t, err)
	require.Len(t, b.Transcript(ingresstest.Key).Queued, 2, "as text it is taken")
}
