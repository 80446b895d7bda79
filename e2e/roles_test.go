package e2e

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/extension/role"
	"xbot/internal/llm/llmtest"
)

// handedTo are the requests of subagents whose system prompt contains a text, the oldest first.
func (s *server) handedTo(text string) (out []llmtest.Request) {
	for _, r := range s.model.Requests() {
		if strings.Contains(r.System, "Another agent has handed you a task") && strings.Contains(r.System, text) {
			out = append(out, r)
		}
	}
	return out
}

func toolNames(r llmtest.Request) (names []string) {
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

func TestRoles_OneOfAPersonsOwnIsHandedWorkInTheNextStepWithItsToolsAloneAndKeepsThemAsItWas(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	ctx := t.Context()
	turn := func(lines ...string) {
		t.Helper()
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(lines...)).State)
	}
	// in the middle of a turn: its next step hands work to a role that was not there when the turn began
	id := k.send(k.shell("echo begun >> %s; %s", k.file("begun"), k.untilFile("made")), k.subagent(args{"role": "scout"}, "say seen"), "say done")
	require.Eventually(t, func() bool { return len(k.trace("begun")) == 1 }, time.Minute, 20*time.Millisecond)
	made, err := s.client.CreateRole(ctx, apiclient.RoleDefinition{
		Name: "scout", Description: "Looks where nobody looked.", Prompt: "You are the first scout.", Tools: []string{"Grep", "Read"}, Enabled: true,
	})
	require.NoError(t, err)
	k.touch("made")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	first := s.handedTo("You are the first scout.")
	require.Len(t, first, 1)
	require.ElementsMatch(t, []string{"Grep", "Read"}, toolNames(first[0]))

	turn(k.subagent(args{"role": "scout", "instance": "a"}, "say here"), "say ok")
	requests := s.model.Requests()
	require.Contains(t, requests[len(requests)-1].System, "- scout: Looks where nobody looked.", "the next turn is told of it")

	_, err = s.client.SetRole(ctx, made.ID, apiclient.RoleChange{
		Name: "scout", Description: "Looks again.", Prompt: "You are the second scout.", Tools: []string{"Glob"}, Enabled: true, Revision: made.Revision,
	})
	require.NoError(t, err)
	s.crash()
	s.boot()
	turn(k.subagent(args{"role": "scout", "instance": "a", "action": "send"}, "say still here"), "say ok")
	require.Len(t, s.handedTo("You are the first scout."), 3, "one that stays keeps what it began with")
	turn(k.subagent(args{"role": "scout"}, "say new"), "say ok")
	second := s.handedTo("You are the second scout.")
	require.Len(t, second, 1)
	require.Equal(t, []string{"Glob"}, toolNames(second[0]))
	requests = s.model.Requests()
	require.Contains(t, requests[len(requests)-1].System, "- scout: Looks again.")
	k.send("/agents")
	k.untilNotice(time.Minute, "Settings → Agents and roles")

	_, err = s.client.EnableRole(ctx, made.ID, false)
	require.NoError(t, err)
	require.NoError(t, s.client.EnableSharedRole(ctx, "coder", false))
	turn(k.subagent(args{"role": "scout"}, "say never"), k.subagent(args{"role": "coder"}, "say never"), "say ok")
	results := k.results()
	for _, result := range results[len(results)-2:] {
		require.Contains(t, result, "there is no role")
	}
	requests = s.model.Requests()
	last := requests[len(requests)-1]
	require.NotContains(t, last.System, "- scout:")
	require.NotContains(t, last.System, "- coder:")
	require.Contains(t, last.System, "- explorer:")
	var file bytes.Buffer
	_, err = s.client.ExportRole(ctx, made.ID, &file)
	require.NoError(t, err)
	parsed, err := role.Parse(file.Bytes(), "x")
	require.NoError(t, err)
	require.Equal(t, "You are the second scout.", parsed.Prompt)
}

func TestPrompts_OfAPersonHoldFromTheNextTurnOnThroughAKillAndEachStepIsStillReproducible(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	ctx := t.Context()
	asks := func(lines ...string) (string, chat.TurnID) {
		t.Helper()
		turn := k.untilEnded(time.Minute, k.send(lines...))
		require.Equal(t, chat.TurnDone, turn.State)
		requests := s.model.Requests()
		return requests[len(requests)-1].System, turn.ID
	}
	before, turn0 := asks("say hello")
	require.Contains(t, before, "You are xbot")
	require.Contains(t, before, "# Agents\n\nRoles for SubAgent.\n\n- coder")

	// in the middle of a turn nothing changes: all its steps have one prompt
	id := k.send(k.shell("echo begun >> %s; %s", k.file("begun"), k.untilFile("set")), "say done")
	require.Eventually(t, func() bool { return len(k.trace("begun")) == 1 }, time.Minute, 20*time.Millisecond)
	_, err := s.client.SetPrompt(ctx, chat.PromptSystem, apiclient.PromptEdit{Content: `You serve {{.User}} alone.{{if .Has "Shell"}} You have a shell.{{end}}`})
	require.NoError(t, err)
	_, err = s.client.SetPrompt(ctx, "agents", apiclient.PromptEdit{Content: "# Staff"})
	require.NoError(t, err)
	k.touch("set")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	requests := s.model.Requests()
	require.Equal(t, before, requests[len(requests)-1].System)

	now, turn2 := asks("say hello")
	require.True(t, strings.HasPrefix(now, "You serve admin alone. You have a shell."), now)
	require.NotContains(t, now, "You are xbot")
	require.Contains(t, now, "# Staff\n\n- coder")
	s.crash()
	s.boot()
	again, _ := asks("say again")
	require.Equal(t, now, again, "another process, the same bytes")

	back, err := s.client.ResetPrompt(ctx, chat.PromptSystem, apiclient.ResetPromptParams{})
	require.NoError(t, err)
	require.Equal(t, 2, back.Version)
	_, err = s.client.ResetPrompt(ctx, "agents", apiclient.ResetPromptParams{})
	require.NoError(t, err)
	reset, _ := asks("say reset")
	require.Equal(t, before, reset)
	_, err = s.client.RollPromptBack(ctx, chat.PromptSystem, apiclient.PromptRollback{To: 1, Version: 2})
	require.NoError(t, err)
	rolled, _ := asks("say rolled back")
	require.True(t, strings.HasPrefix(rolled, "You serve admin alone."))
	for turn, want := range map[chat.TurnID]string{turn0: before, turn2: now} {
		sent, err := s.client.GetRequest(ctx, k.key, turn, 0)
		require.NoError(t, err)
		require.True(t, sent.Exact)
		require.Equal(t, want, sent.System)
	}
}
