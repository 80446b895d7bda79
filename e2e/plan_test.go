package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
)

// propose is a call that proposes a plan.
func propose(t *testing.T, steps ...string) string {
	t.Helper()
	data, err := json.Marshal(args{"title": "A trace", "steps": steps})
	require.NoError(t, err)
	return "call " + chat.PlanTool + " " + string(data)
}

// resultsOf are the results of all calls of a tool in a conversation, and of those that its subagents made, in their order.
func (k *talk) resultsOf(tool string) (out []string) {
	k.t.Helper()
	rows, err := k.look().Query(k.t.Context(), `SELECT c.result FROM tool_calls c WHERE c.name = $1 AND c.state = 'done'
		AND (c.session_key = $2 OR c.session_key IN (SELECT a.session_key FROM subagents a WHERE a.root = $2)) ORDER BY c.finished_at, c.id`, tool, k.key)
	require.NoError(k.t, err)
	defer rows.Close()
	for rows.Next() {
		var result string
		require.NoError(k.t, rows.Scan(&result))
		out = append(out, result)
	}
	require.NoError(k.t, rows.Err())
	return out
}

// offered reports whether the model was shown the tool that proposes plans, and told of plan mode, in its newest request.
func (s *server) offered(t *testing.T) bool {
	t.Helper()
	for _, r := range slices.Backward(s.model.Requests()) {
		if len(r.Tools) == 0 {
			continue // it made a title
		}
		offered := slices.ContainsFunc(r.Tools, func(tool llmtest.Tool) bool { return tool.Name == chat.PlanTool })
		require.Equal(t, offered, strings.Contains(r.Reminder, "Plan mode"))
		return offered
	}
	return false
}

func todosIn(steps ...string) (out []chat.Todo) { return chat.Plan{Steps: steps}.Todos() }

func TestPlan_NothingIsChangedBeforeItIsApprovedAndTheEditedStepsAreTheToDoList(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	id := k.send("/plan each", k.shell("echo early >> %s", k.file("ran")), propose(t, "look around", "leave a trace", "tell"),
		k.shell("echo a >> %s", k.file("ran")), "say done")
	call := k.untilAsked(1)
	require.Equal(t, &chat.Plan{Title: "A trace", Steps: []string{"look around", "leave a trace", "tell"}}, call.Approval.Plan)
	require.Empty(t, k.trace("ran"), "nothing is changed before the plan is approved")
	require.Len(t, k.resultsOf("Shell"), 1)
	require.Contains(t, k.resultsOf("Shell")[0], "the user wants to approve a plan first")
	require.True(t, s.offered(t))
	require.Contains(t, k.details(), "A trace (3)")

	_, err := k.client.AnswerApproval(t.Context(), k.key, call.ID, apiclient.Answer{Decision: apiclient.Allow, Arguments: json.RawMessage(`{"steps": []}`)})
	require.ErrorContains(t, err, "no plan that can be approved")
	for range 2 {
		s.crash()
		s.boot()
		require.Equal(t, chat.ApprovalOpen, k.lastApproval().State, "the plan still waits after a kill")
	}
	answered := k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow, Arguments: json.RawMessage(`{"title": "A trace", "steps": ["leave a trace", "tell everybody"]}`), Note: "be quick"})
	require.Equal(t, []string{"leave a trace", "tell everybody"}, answered.Approval.Plan.Steps)
	s.crash()
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("ran"), "once")
	require.Equal(t, todosIn("leave a trace", "tell everybody"), k.transcript().Todos)
	said := k.resultsOf(chat.PlanTool)
	require.Len(t, said, 1)
	for _, part := range []string{"- removed: look around", "- removed: tell", "- added: tell everybody", "1. leave a trace\n2. tell everybody", "be quick"} {
		require.Contains(t, said[0], part)
	}
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send(k.shell("echo b >> %s", k.file("ran")), "say next")).State)
	require.Equal(t, []string{"a", "b"}, k.trace("ran"), "only that message was to be planned")
	require.False(t, s.offered(t), "other turns do not pay for it")
	k.wellFormed()
}

func TestPlan_IsSentBackWithANoteAndProposedAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	id := k.send("/plan each", propose(t, "leave a trace"), k.shell("echo early >> %s", k.file("ran")), propose(t, "ask Ops", "leave a trace"),
		k.shell("echo a >> %s", k.file("ran")), "say done")
	k.untilAsked(1)
	k.send("ask Ops first")
	call := k.untilAsked(2)
	require.Empty(t, k.trace("ran"))
	require.Contains(t, k.resultsOf(chat.PlanTool)[0], "The user sent the plan back: ask Ops first")
	require.Empty(t, k.transcript().Todos, "a plan that was sent back is no to-do list")
	_, err := k.client.AllowTurn(t.Context(), k.key, call.Turn)
	require.NoError(t, err)
	require.Equal(t, chat.ApprovalOpen, k.lastApproval().State, "whoever allows everything has not approved the plan")
	k.send("approve")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("ran"))
	require.Equal(t, todosIn("ask Ops", "leave a trace"), k.transcript().Todos)
	k.wellFormed()
}

func TestPlan_OfAConversationHoldsForEachTurnUntilItIsSwitchedOff(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	write := func(word string) string { return k.shell("echo %s >> %s", word, k.file("ran")) }
	k.send("/plan on")
	k.untilNotice(crashLimit, "Plan mode is on")
	require.True(t, k.session().Plan)
	for n, word := range []string{"a", "b"} {
		id := k.send("each", write("early"), propose(t, "write "+word), write(word), "say done")
		k.answer(k.untilAsked(n+1).ID, apiclient.Answer{Decision: apiclient.Allow})
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	}
	require.Equal(t, []string{"a", "b"}, k.trace("ran"), "each turn needs a plan of its own: %q", k.resultsOf("Shell"))

	id := k.send("each", "call AskUser "+`{"questions": [{"question": "Shall I go on?"}]}`, write("c"), "say done")
	question := k.untilAsked(3)
	k.send("/plan off")
	k.untilNotice(crashLimit, "Plan mode is off")
	k.answer(question.ID, apiclient.Answer{Answers: chat.Answers{"q1": {"yes"}}})
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a", "b", "c"}, k.trace("ran"), "the turn that runs is free at once")
	require.False(t, k.session().Plan)
	k.wellFormed()
}

func TestPlan_HoldsForSubagentsOfTheTurn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	write := func(word string) string { return k.shell("echo %s >> %s", word, k.file("ran")) }
	id := k.send("/plan each", k.subagent(args{"role": "coder"}, write("early"), "say tried"),
		`call SendMessage {"to": "agent:coder:bob", "message": "`+"say hello"+`"}`, propose(t, "let a coder write"), "call SubAgent "+mustJSON(t, args{"role": "coder", "task": write("a") + "\nsay written"}), "say done")
	call := k.untilAsked(1)
	require.Empty(t, k.trace("ran"), "a subagent changes nothing before the plan is approved")
	require.Contains(t, k.resultsOf("Shell")[0], "the user wants to approve a plan first")
	require.Contains(t, k.resultsOf("SubAgent")[0], "tried", "but it may look around")
	require.Contains(t, k.resultsOf("SendMessage")[0], "the user wants to approve a plan first")
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, []string{"a"}, k.trace("ran"))
	k.wellFormed()
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}
