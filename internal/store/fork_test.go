package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/window"
)

const copyKey = key + "-copy"

// work is a whole turn with two calls in its first step.
func (b *bundle) work(turn chat.TurnID, text string) {
	b.t.Helper()
	b.send("m-"+string(turn), text)
	_, ok := b.claim(turn)
	require.True(b.t, ok)
	_, err := b.Turns.CommitStep(b.t.Context(), b.begin(turn, 0), twoCalls(turn))
	require.NoError(b.t, err)
	for n := range 2 {
		id := chat.NewCallID(turn, 0, n)
		_, err := b.Calls.BeginCall(b.t.Context(), chat.Call{ToolCall: chat.ToolCall{ID: id}, Runner: "local"})
		require.NoError(b.t, err)
		require.NoError(b.t, b.Calls.FinishCall(b.t.Context(), id, chat.ToolResult{Content: fmt.Sprint("result ", n, " of ", text)}))
	}
	b.spend(b.begin(turn, 1), "p/a", "answer to "+text, chat.Usage{PromptTokens: 10, CompletionTokens: 1})
	b.finish(turn, chat.TurnDone)
}

// offload keeps a body beside a call, as a large result does.
func (b *bundle) offload(id string, call *chat.CallID, body string) {
	b.t.Helper()
	sum := sha256.Sum256([]byte(body))
	_, err := b.pool.Exec(b.t.Context(), `INSERT INTO blobs (hash, body) VALUES ($1, $2) ON CONFLICT DO NOTHING`, sum[:], body)
	require.NoError(b.t, err)
	_, err = b.pool.Exec(b.t.Context(), `INSERT INTO offloads (session_key, id, call_id, blob, bytes, tool) VALUES ($1, $2, $3, $4, $5, 'Shell')`,
		key, id, call, sum[:], len(body))
	require.NoError(b.t, err)
}

// view tells what the model sees of a session, with ids in the order they come up.
func (b *bundle) view(of chat.SessionKey) string {
	b.t.Helper()
	w, err := b.Conversations.Window(b.t.Context(), of)
	require.NoError(b.t, err)
	names := map[chat.TurnID]string{}
	var out strings.Builder
	for _, l := range window.View(w) {
		m := l.Message
		if names[m.Turn] == "" {
			names[m.Turn] = fmt.Sprint("turn ", len(names))
		}
		fmt.Fprintf(&out, "%s %s %s %q %q %s\n", names[m.Turn], m.Role, m.Origin, l.Preface, m.Content, l.Opaque)
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&out, "  %s %s %s %s %q\n", strings.TrimPrefix(string(c.ID), string(m.Turn)), c.Name, c.Arguments, c.State, c.Result)
		}
	}
	return out.String()
}

func (b *bundle) fork(n conversation.NewFork) chat.Session {
	b.t.Helper()
	n.From, n.Channel = key, "web"
	if n.Key == "" {
		n.Key = copyKey
	}
	made, err := b.Conversations.Fork(b.t.Context(), n)
	require.NoError(b.t, err)
	return made
}

// layered is a conversation with something of every layer of the context in it.
func (b *bundle) layered() {
	b.t.Helper()
	b.work("t0", "q0")
	b.compact(b.id("answer to q0"), "what q0 was about")
	b.work("t1", "q1")
	b.work("t2", "q2")
	call := func(turn chat.TurnID, n int) chat.CallID { return chat.NewCallID(turn, 0, n) }
	of := func(turn chat.TurnID) (id chat.MessageID) {
		require.NoError(b.t, b.pool.QueryRow(b.t.Context(), `SELECT message_id FROM tool_calls WHERE id = $1`, call(turn, 0)).Scan(&id))
		return id
	}
	masked := chat.Mask{ID: "mk_1", Message: of("t1"), Call: call("t1", 0), Text: "masked result", Bytes: 9}
	b.control(chat.Control{Kind: chat.ControlMask, Message: of("t1"), Turn: "t2", Key: "mask/t2/0", Masks: []chat.Mask{masked}})
	b.control(chat.Control{Kind: chat.ControlEdit, Message: of("t1"), Turn: "t2", Edit: &chat.Edit{Action: chat.EditDelete, Message: of("t1"), Call: call("t1", 1)}})
	edited := b.control(chat.Control{Kind: chat.ControlEdit, Message: b.id("q2"), Turn: "t2", Edit: &chat.Edit{Action: chat.EditDelete, Message: b.id("q2")}})
	b.control(chat.Control{Kind: chat.ControlUndo, Message: b.id("q2"), Turn: "t2", Undo: edited.ID})
	b.control(chat.Control{Kind: chat.ControlStale, Message: of("t2"), Turn: "t2", Key: "stale/x", Stale: &chat.Stale{Offload: "ol_00000001", Call: call("t2", 0), Path: "a.go"}})
	b.offload("ol_00000001", new(call("t2", 0)), "a body")
	b.offload("ol_00000002", nil, "an index")
	require.NoError(b.t, b.Conversations.SetTodos(b.t.Context(), key, []chat.Todo{{ID: "1", Text: "go on"}}))
}

func TestFork_ShowsTheModelTheSameAndGoesItsOwnWay(t *testing.T) {
	b := setup(t)
	b.layered()
	b.work("t3", "q3")
	b.rewind("r1", 1, 0)
	b.work("t4", "q4")
	view := b.view(key)
	b.send("m5", "running")
	b.claim("t5")

	made := b.fork(conversation.NewFork{Title: "copy"})
	require.Equal(t, copyKey, made.Key)
	require.Equal(t, key, made.ForkOf)
	require.Equal(t, "copy", made.Title)
	require.Empty(t, made.Running)
	require.Equal(t, view, b.view(copyKey), "without the turn that runs")
	for _, part := range []string{"what q0 was about", "masked result", "removed", "STALE [offload:ol_00000001]", `"q2"`, `"q4"`} {
		require.Contains(t, view, part)
	}
	require.NotContains(t, view, "q3")

	before := b.view(copyKey)
	b.finish("t5", chat.TurnDone)
	b.work("t6", "q6")
	require.Equal(t, before, b.view(copyKey), "what is said in the original stays there")
	original := b.view(key)
	_, err := b.Turns.Accept(t.Context(), engine.NewRow{Session: copyKey, User: b.user.ID, Channel: "web", PlatformID: "x", Text: "elsewhere"})
	require.NoError(t, err)
	_, _, err = b.Turns.Claim(t.Context(), copyKey, "u1", "run", 0)
	require.NoError(t, err)
	require.Contains(t, b.view(copyKey), "elsewhere")
	require.Equal(t, original, b.view(key), "and the other way round")
}

func TestFork_EndsWithTheTurnOfAMessage(t *testing.T) {
	b := setup(t)
	b.work("t0", "q0")
	b.work("t1", "q1")
	view := b.view(key)
	b.work("t2", "q2")
	b.control(chat.Control{Kind: chat.ControlEdit, Message: b.id("q0"), Turn: "t2", Edit: &chat.Edit{Action: chat.EditDelete, Message: b.id("q0")}})
	b.compact(b.id("answer to q1"), "made later")
	_, err := b.pool.Exec(t.Context(), `UPDATE controls SET turn_id = 't2' WHERE kind = 'compact'`)
	require.NoError(t, err)

	for i, n := range []conversation.NewFork{{Upto: b.id("q1")}, {Upto: b.id("answer to q1")}, {Back: 1}} {
		n.Key = chat.SessionKey(fmt.Sprint(copyKey, i))
		b.fork(n)
		require.Equal(t, view, b.view(n.Key), "later turns and what they did to the context are not in it: %v", n)
	}
}

func TestFork_OutlivesItsOriginalWithTheBodiesOfItsResults(t *testing.T) {
	b := setup(t)
	b.layered()
	b.fork(conversation.NewFork{})
	view := b.view(copyKey)
	require.NoError(t, b.Agents.DeleteSession(t.Context(), key))
	require.Equal(t, view, b.view(copyKey))

	var bodies []string
	rows, err := b.pool.Query(t.Context(), `SELECT o.id || ' ' || coalesce(c.session_key, '-') || ' ' || b.body
		FROM offloads o JOIN blobs b ON b.hash = o.blob LEFT JOIN tool_calls c ON c.id = o.call_id WHERE o.session_key = $1 ORDER BY o.id`, copyKey)
	require.NoError(t, err)
	for rows.Next() {
		var body string
		require.NoError(t, rows.Scan(&body))
		bodies = append(bodies, body)
	}
	require.Equal(t, []string{"ol_00000001 " + string(copyKey) + " a body", "ol_00000002 - an index"}, bodies)
	todos, err := b.Conversations.Todos(t.Context(), copyKey)
	require.NoError(t, err)
	require.Equal(t, []chat.Todo{{ID: "1", Text: "go on"}}, todos)
}

func TestFork_ShowsPeopleWhatTheOriginalShowed(t *testing.T) {
	b := setup(t)
	b.work("t0", "q0")
	_, err := b.Turns.Command(t.Context(), b.inbound("c1", "/help"), func(context.Context) (string, error) { return "help", nil })
	require.NoError(t, err)
	_, err = b.Turns.AcceptBang(t.Context(), b.inbound("c2", "!sleep 100"), "sleep 100")
	require.NoError(t, err)
	b.fork(conversation.NewFork{})

	transcript, err := b.Conversations.Messages(t.Context(), copyKey, conversation.Page{Limit: 100})
	require.NoError(t, err)
	var said []string
	for _, m := range transcript.Messages {
		said = append(said, m.Content)
		require.Zero(t, m.Inbox)
		require.Empty(t, m.ClientMessageID)
	}
	require.Equal(t, []string{"q0", "let me look", "answer to q0", "/help", "help"}, said, "without the command that has no answer yet")
	turns, err := b.Conversations.Turns(t.Context(), copyKey, 10)
	require.NoError(t, err)
	require.Len(t, turns, 1)
	require.Equal(t, 2, turns[0].Steps)
	require.Empty(t, turns[0].RunID, "its run is that of the original")
	steps := 0
	require.NoError(t, b.pool.QueryRow(t.Context(), `SELECT count(*) FROM steps WHERE turn_id = $1 AND state = 'done'`, turns[0].ID).Scan(&steps))
	require.Equal(t, 2, steps)
}

func TestFork_CostsNothing(t *testing.T) {
	b := setup(t)
	b.work("t0", "q0")
	before, err := b.Usage.UsageByDay(t.Context(), b.user.ID, 30)
	require.NoError(t, err)
	b.fork(conversation.NewFork{})
	after, err := b.Usage.UsageByDay(t.Context(), b.user.ID, 30)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestFork_AskedAgainUnderItsKeyIsTheSame(t *testing.T) {
	b := setup(t)
	b.work("t0", "q0")
	first := b.fork(conversation.NewFork{})
	b.work("t1", "q1")
	require.Equal(t, first, b.fork(conversation.NewFork{}))
	require.NotContains(t, b.view(copyKey), "q1")

	other := key + "-other"
	b.session(other)
	_, err := b.Conversations.Fork(t.Context(), conversation.NewFork{From: key, Key: other, Channel: "web"})
	require.Equal(t, fault.Conflict, fault.KindOf(err))
}

func TestFork_RefusesWhatIsNotThere(t *testing.T) {
	b := setup(t)
	b.work("t0", "q0")
	b.work("t1", "q1")
	b.rewind("r1", 1, 0)
	b.send("m2", "running")
	b.claim("t2")
	for name, c := range map[string]struct {
		fork conversation.NewFork
		want fault.Kind
	}{
		"no such message":   {conversation.NewFork{Upto: 999999}, fault.NotFound},
		"a message gone":    {conversation.NewFork{Upto: b.id("q1")}, fault.NotFound},
		"a turn that runs":  {conversation.NewFork{Upto: b.id("running")}, fault.Conflict},
		"too many messages": {conversation.NewFork{Back: 3}, fault.NotFound},
	} {
		c.fork.From, c.fork.Key, c.fork.Channel = key, copyKey, "web"
		_, err := b.Conversations.Fork(t.Context(), c.fork)
		require.Equal(t, c.want, fault.KindOf(err), "%s: %v", name, err)
	}
	_, _, err := b.Conversations.Session(t.Context(), copyKey)
	require.Equal(t, fault.NotFound, fault.KindOf(err), "a refusal leaves nothing")
	_, err = b.Conversations.Fork(t.Context(), conversation.NewFork{From: "agent:main:web:thread:none", Key: copyKey, Channel: "web"})
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestFork_RecallsNothingThatCameLater(t *testing.T) {
	b := setup(t)
	archives := func(of chat.SessionKey) (ids []string) {
		list, err := b.Conversations.Offloads(t.Context(), of)
		require.NoError(t, err)
		for _, o := range list {
			ids = append(ids, o.ID)
		}
		return ids
	}
	b.exchange("t0", "q0")
	b.offload("ol_0001", nil, "what a compaction of then stands for")
	b.exchange("t1", "q1")
	b.exchange("t2", "q2")
	b.offload("ol_0002", nil, "what a later compaction stands for")

	b.fork(conversation.NewFork{Upto: b.id("q1")})
	require.Equal(t, []string{"ol_0001"}, archives(copyKey))
	b.fork(conversation.NewFork{Key: copyKey + "-all"})
	require.ElementsMatch(t, []string{"ol_0001", "ol_0002"}, archives(copyKey+"-all"))
}
