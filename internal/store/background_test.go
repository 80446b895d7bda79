package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/engine"
)

// works are the ids of what goes on and has ended in the background, with how it stands, newest first.
func (b *bundle) works() (ids []string, how map[string]string) {
	b.t.Helper()
	tasks, err := engine.Background{Store: b.Store.Turns}.Tasks(b.t.Context(), key)
	require.NoError(b.t, err)
	how = map[string]string{}
	for _, t := range tasks {
		require.Empty(b.t, t.Output)
		ids = append(ids, t.ID)
		how[t.ID] = string(t.Kind) + " " + string(t.State) + " " + t.How
	}
	return ids, how
}

func TestBackground_ListsSubagentsChatsAndRunsOfJobs(t *testing.T) {
	b, clock := setupAt(t)
	calls := b.handing("t1", 4)
	var agents []chat.SessionKey
	for i, instance := range []string{"", "a", "b"} {
		asked := task(calls[i], instance)
		asked.Background = instance != "b" // what a turn waits for is no background
		handed, err := b.Agents.AssignTask(t.Context(), asked)
		require.NoError(t, err)
		agents = append(agents, handed.Subagent.Session)
	}
	chats, err := b.Agents.OpenGroup(t.Context(), chat.NewGroup{
		Call: calls[3], Session: key, Turn: "t1", Topic: "why", Rounds: 3, Members: []chat.NewMember{{Role: "coder"}, {Role: "reviewer"}},
	})
	require.NoError(t, err)
	b.step(chats) // a member is asked in the background, too
	j := b.job("every 1h", func(j *cronstore.Job) { j.Home = key })
	b.job("every 1h", func(j *cronstore.Job) { j.Home, j.Target = key, key }) // its runs are turns of the conversation
	clock.set("2026-03-02T09:30:00Z")
	b.fire(j.ID)

	ids, how := b.works()
	require.Len(t, ids, 4, "%v", ids)
	require.Equal(t, string(j.ID), ids[0])
	once := ids[3]
	require.Regexp(t, `^coder#[0-9a-f]{6}$`, once)
	require.Equal(t, map[string]string{
		once: "subagent running waiting to begin", "coder:a": "subagent running waiting to begin", string(chats): "group chat running ",
		string(j.ID): "cron job running waiting to begin",
	}, how)

	b.answered(agents[0], "s0", "found it", chat.TurnDone)
	_, _, err = b.Turns.Claim(t.Context(), agents[1], "s1", "run", 0)
	require.NoError(t, err)
	b.answered("cron:"+chat.SessionKey(j.ID), "c1", "the news", chat.TurnDone)
	_, how = b.works()
	require.Equal(t, "subagent exited answered", how[once])
	require.Equal(t, "subagent running ", how["coder:a"])
	require.Equal(t, "cron job exited answered", how[string(j.ID)])

	all := engine.Background{Store: b.Store.Turns}
	for id, want := range map[string]string{once: "[subagent coder answered]\nfound it", "Coder": "[subagent coder answered]\nfound it", string(j.ID): "the news", "coder:A": ""} {
		found, err := all.FindTask(t.Context(), key, id)
		require.NoError(t, err, id)
		require.Equal(t, want, found.Output, id)
	}
	for _, id := range []string{"coder:b", "reviewer", "job_0", "", "bg1"} {
		_, err = all.FindTask(t.Context(), key, id)
		require.True(t, fault.Is(err, fault.NotFound), "%s: %v", id, err)
	}
	_, err = all.FindTask(t.Context(), key+"x", once)
	require.True(t, fault.Is(err, fault.NotFound), "another conversation: %v", err)
}

func TestBackground_KillStopsWhatWorksAndEndsChats(t *testing.T) {
	b := setup(t)
	calls := b.handing("t1", 2)
	var agents []chat.SessionKey
	for i, instance := range []string{"a", "b"} {
		asked := task(calls[i], instance)
		asked.Background = true
		handed, err := b.Agents.AssignTask(t.Context(), asked)
		require.NoError(t, err)
		agents = append(agents, handed.Subagent.Session)
	}
	_, _, err := b.Turns.Claim(t.Context(), agents[0], "s1", "run", 0)
	require.NoError(t, err)
	all := engine.Background{Store: b.Store.Turns}
	for range 2 {
		before, err := all.AskKill(t.Context(), key, "coder:a")
		require.NoError(t, err)
		require.Equal(t, chat.TaskRunning, before.State)
	}
	stop, err := b.Turns.StopRequested(t.Context(), agents[0], "s1")
	require.NoError(t, err)
	require.True(t, stop)
	require.Equal(t, 1, b.count("SELECT count(*) FROM inbox WHERE kind = 'stop'"), "asked again, it changes nothing")
	_, err = b.Turns.FinishTurn(t.Context(), agents[0], "s1", chat.TurnStopped, "")
	require.NoError(t, err)
	_, how := b.works()
	require.Equal(t, "subagent killed stopped", how["coder:a"])
	_, err = all.AskKill(t.Context(), key, "coder:a")
	require.NoError(t, err)
	_, err = all.AskKill(t.Context(), key, "coder:b")
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)

	id, err := b.Agents.OpenGroup(t.Context(), chat.NewGroup{
		Call: "t1.1.0", Session: key, Turn: "t1", Topic: "why", Rounds: 3, Members: []chat.NewMember{{Role: "coder"}, {Role: "reviewer"}},
	})
	require.NoError(t, err)
	require.NoError(t, b.Agents.SpeakInGroup(t.Context(), id, key, "t1.2.0", "let us begin"))
	found, err := all.FindTask(t.Context(), key, "group:"+string(id))
	require.NoError(t, err)
	require.Equal(t, "moderator: let us begin", found.Output)
	_, err = all.AskKill(t.Context(), key, string(id))
	require.NoError(t, err)
	found, err = all.FindTask(t.Context(), key, string(id))
	require.NoError(t, err)
	require.Equal(t, "over (closed)", found.How)
	require.Contains(t, found.Output, "ended: it was ended")
	require.Equal(t, b.toldOf(id), found.Output, "it is what the conversation is told")
}
