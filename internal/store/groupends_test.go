package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/store"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
)

// ended is why a chat of the session is over.
func (b *bundle) ended(id chat.GroupID) string {
	b.t.Helper()
	groups, err := b.Agents.GroupsOf(b.t.Context(), key)
	require.NoError(b.t, err)
	for _, g := range groups {
		if g.ID == id {
			return g.Ended
		}
	}
	b.t.Fatalf("no chat %s", id)
	return ""
}

// toldOf is what the session was told of the end of a chat.
func (b *bundle) toldOf(id chat.GroupID) (body string) {
	b.t.Helper()
	require.NoError(b.t, b.pool.QueryRow(b.t.Context(), "SELECT body FROM inbox WHERE session_key = $1 AND platform_id = $2", key, "group/"+string(id)).Scan(&body))
	return body
}

func TestStepGroup_EndsWhenTheTokensAreUsedUp(t *testing.T) {
	b := setup(t)
	b.Store = store.New(b.pool, store.Options{Policies: &fixed{policy.Policy{Limits: policy.Limits{Subagents: policy.Subagents{Tokens: 1000}}}}})
	id := b.chatOf("t1", 50, "coder", "reviewer")
	b.answered(b.step(id).Speaker.Session, "s1", "600 tokens of it", chat.TurnDone)
	next := b.step(id)
	require.Equal(t, "reviewer", next.Name, "600 of 1000 are taken")
	b.answered(next.Speaker.Session, "s2", "1200 tokens of it", chat.TurnDone)
	require.True(t, b.step(id).Over)
	require.Equal(t, "budget", b.ended(id))
	require.Contains(t, b.toldOf(id), "ended: its agents have taken all the tokens that one request may · 2 lines]")
}

func TestStepGroup_EndsWhenAMemberWasDeleted(t *testing.T) {
	for name, gone := range map[string]int{"that speaks": 0, "in the middle": 1, "the last": 2} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			id := b.chatOf("t1", 50, "coder", "reviewer", "planner")
			first := b.step(id).Speaker.Session
			groups, err := b.Agents.GroupsOf(t.Context(), key)
			require.NoError(t, err)
			require.NoError(t, b.Agents.DeleteSession(t.Context(), groups[0].Members[gone].Session))
			if gone != 0 {
				b.answered(first, "s1", "hello", chat.TurnDone)
			}
			require.True(t, b.step(id).Over)
			require.Equal(t, "gone", b.ended(id))
			require.Contains(t, b.toldOf(id), "ended: a person has deleted the conversation of a member · 1 lines]")
			require.Equal(t, 1, b.count("SELECT count(*) FROM inbox WHERE platform_id = $1", "group/"+string(id)))
		})
	}
}

func TestEndGroup_IsForThePersonAboveAndOnce(t *testing.T) {
	b := setup(t)
	handed, err := b.Agents.AssignTask(t.Context(), task(b.handing("t1", 1)[0], "a"))
	require.NoError(t, err)
	below := handed.Subagent.Session
	id, err := b.Agents.OpenGroup(t.Context(), chat.NewGroup{
		Call: "s1.0.0", Session: below, Turn: "s1", Topic: "why", Rounds: 3, Members: []chat.NewMember{{Role: "coder"}, {Role: "reviewer"}},
	})
	require.NoError(t, err)
	groups, err := b.Agents.GroupsOf(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, groups, 1, "chats of subagents are listed above")
	_, err = b.Agents.EndGroup(t.Context(), id, key+"x")
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	_, err = b.Agents.EndGroup(t.Context(), "g0", key)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	for _, want := range []bool{true, false} {
		ended, err := b.Agents.EndGroup(t.Context(), id, key)
		require.NoError(t, err)
		require.Equal(t, want, ended)
	}
	require.Equal(t, 1, b.count("SELECT count(*) FROM inbox WHERE session_key = $1 AND platform_id = $2", below, "group/"+string(id)))
}

// stopWords are what a person reads who writes /stop.
func (b *bundle) stopWords(id string) string {
	b.t.Helper()
	_, err := b.Turns.Stop(b.t.Context(), engine.NewRow{Session: key, User: b.user.ID, Channel: "web", PlatformID: id, Text: "/stop"}, i18n.Chinese)
	require.NoError(b.t, err)
	return b.lastWords()
}

func TestStop_EndsChatsAndWhoSpeaksInThemAndBeginsNoTurn(t *testing.T) {
	b := setup(t)
	id := b.chatOf("t1", 3, "coder", "reviewer")
	speaker := b.step(id).Speaker.Session
	_, ok, err := b.Turns.Claim(t.Context(), speaker, "s1", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	said := b.stopWords("1")
	require.Contains(t, said, i18n.Say(i18n.Chinese, i18n.StopsSubagents, 1))
	require.Contains(t, said, i18n.Say(i18n.Chinese, i18n.StopsGroups, 1))
	require.Equal(t, "closed", b.ended(id))
	stop, err := b.Turns.StopRequested(t.Context(), speaker, "s1")
	require.NoError(t, err)
	require.True(t, stop, "whoever speaks is stopped")
	require.Contains(t, b.toldOf(id), "ended: it was ended")
	_, ok, err = b.Turns.Claim(t.Context(), key, "t2", "run", 0)
	require.NoError(t, err)
	require.False(t, ok, "being told begins no turn")

	_, err = b.Turns.FinishTurn(t.Context(), speaker, "s1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	require.True(t, b.step(id).Over, "nobody else is asked")
	require.Zero(t, b.count("SELECT count(*) FROM subagent_tasks WHERE outcome = ''"))
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.StopsNothing), b.stopWords("2"), "there is nothing left to stop")
}

func TestStop_EndsChatsWhoseNextMemberHasNotBegun(t *testing.T) {
	b := setup(t)
	id := b.chatOf("t1", 3, "coder", "reviewer")
	asked := b.step(id).Speaker.Session
	require.Contains(t, b.stopWords("1"), i18n.Say(i18n.Chinese, i18n.StopsGroups, 1))
	_, ok, err := b.Turns.Claim(t.Context(), asked, "s1", "run", 0)
	require.NoError(t, err)
	require.False(t, ok, "it does not speak any more")
	require.Zero(t, b.count("SELECT count(*) FROM subagent_tasks WHERE outcome = ''"))
	require.True(t, b.step(id).Over)
}
