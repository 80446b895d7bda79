package mcp_test

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/mcp"
	"xbot/internal/chat"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/policy"
)

func TestServer_OffersItsTools(t *testing.T) {
	b := setup(t, nil)
	c := b.client(b.token, nil)
	require.Equal(t, "xbot", c.InitializeResult().ServerInfo.Name)
	require.Equal(t, "1.2.3", c.InitializeResult().ServerInfo.Version)
	got, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range got.Tools {
		names = append(names, tool.Name)
		require.NotEmpty(t, tool.Description)
		require.Equal(t, tool.Name != "send_message", tool.Annotations.ReadOnlyHint)
	}
	require.ElementsMatch(t, []string{"list_sessions", "send_message", "read_answer", "read_messages"}, names)
}

func TestSend_WaitsForTheAnswerInANewConversation(t *testing.T) {
	b := setup(t, nil)
	told := make(chan *sdk.ProgressNotificationParams, 100)
	c := b.client(b.token, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { told <- r.Params }})
	params := &sdk.CallToolParams{Name: "send_message", Arguments: object{"text": "hello", "wait": 60}}
	params.SetProgressToken("p1")
	type result struct {
		*sdk.CallToolResult
		err error
	}
	ended := make(chan result, 1)
	go func() {
		got, err := c.CallTool(t.Context(), params)
		ended <- result{got, err}
	}()
	progress := <-told
	require.Equal(t, "p1", progress.ProgressToken)
	require.Equal(t, "the message waits for its turn", progress.Message)
	require.InDelta(t, 60, progress.Total, 0)
	all, err := b.Conversations.Sessions(t.Context(), b.User.ID, "", 10)
	require.NoError(t, err)
	require.Len(t, all, 2)
	began := all[0].Key
	if began == key {
		began = all[1].Key
	}
	b.replies(t.Context(), began, "t1", "good morning")
	got := <-ended
	require.NoError(t, got.err)
	require.False(t, got.IsError)
	answer := got.StructuredContent.(map[string]any)
	require.Equal(t, "done", answer["state"])
	require.Equal(t, "good morning", answer["text"])
	require.Equal(t, string(began), answer["session"])
	require.Equal(t, []chat.SessionKey{began}, b.Wakes.Sessions())
}

func TestSend_TheSameClientIDIsOneMessageInOneConversation(t *testing.T) {
	b := setup(t, nil)
	c := b.client(b.token, nil)
	var first, again mcp.Answer
	c.call(&first, "send_message", object{"text": "hello", "client_id": "a", "wait": 0})
	require.Equal(t, "queued", first.State)
	c.call(&again, "send_message", object{"text": "hello", "client_id": "a", "wait": 0})
	require.True(t, again.Duplicate)
	require.Equal(t, first.Session, again.Session)
	require.Equal(t, first.Message, again.Message)
	require.Len(t, b.Transcript(first.Session).Queued, 1)

	b.replies(t.Context(), first.Session, "t1", "good morning")
	c.call(&again, "send_message", object{"text": "hello", "client_id": "a"})
	require.Equal(t, "good morning", again.Text, "it waits for the answer of the first")
	require.Contains(t, c.refused("send_message", object{"text": "something else", "client_id": "a", "wait": 0}), "used before")
	var other mcp.Answer
	c.call(&other, "send_message", object{"text": "hello", "wait": 0})
	require.NotEqual(t, first.Session, other.Session)
	require.Contains(t, c.refused("send_message", object{"text": "hello", "client_id": "a", "wait": 0, "session": other.Session}), "used before")
}

func TestSend_BeginsNoConversationForWhatCannotBeAccepted(t *testing.T) {
	b := setup(t, nil)
	c := b.client(b.token, nil)
	require.Contains(t, c.refused("send_message", object{"text": ""}), "empty")
	require.Contains(t, c.refused("send_message", object{"text": strings.Repeat("x", 200_001)}), "at most 200000")
	require.Contains(t, c.refused("send_message", object{"text": "x", "client_id": strings.Repeat("x", 129)}), "128")
	require.Contains(t, c.refused("send_message", object{"text": "x", "wait": 301}), "between 0 and 300")
	require.Contains(t, c.refused("send_message", object{"text": "x", "wait": -1}), "between 0 and 300")
	require.NotEmpty(t, c.refused("send_message", object{}))
	require.NotEmpty(t, c.refused("send_message", object{"text": 1}))
	require.NotEmpty(t, c.refused("send_message", object{"text": "x", "role": "admin"}))
	require.Contains(t, c.refused("read_messages", object{"session": "x"}), "session")
	require.Contains(t, c.refused("read_messages", object{"session": key, "limit": 101}), "between 1 and 100")
	require.Contains(t, c.refused("read_messages", object{"session": key, "after": -1}), "after")
	require.Contains(t, c.refused("list_sessions", object{"limit": -1}), "between 1 and 100")
	require.Contains(t, c.refused("list_sessions", object{"query": strings.Repeat("x", 201)}), "200")
	require.Contains(t, c.refused("read_answer", object{"session": key, "message": 1, "turn": "t1"}), "not both")
	require.Contains(t, c.refused("read_answer", object{"session": key, "message": 99}), "there is no message 99")
	require.Contains(t, c.refused("read_answer", object{"session": key, "turn": "t99"}), "there is no turn")
	all, err := b.Conversations.Sessions(t.Context(), b.User.ID, "", 10)
	require.NoError(t, err)
	require.Len(t, all, 1)
}

// one is a policy under which people have one conversation.
type one struct{}

func (one) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Limits: policy.Limits{Person: policy.PersonLimits{Sessions: 1}}}, nil
}

func TestSend_BeginsNoMoreConversationsThanAPersonMayHave(t *testing.T) {
	b := setup(t, one{})
	c := b.client(b.token, nil)
	require.Contains(t, c.refused("send_message", object{"text": "hello", "wait": 0}), "you have 1 sessions")
}

func TestAnswer_TellsHowFarATurnHasCome(t *testing.T) {
	b := setup(t, nil)
	c := b.client(b.token, nil)
	b.MakeSession("agent:main:api:thread:mine")
	const mine = "agent:main:api:thread:mine"
	var got, sent mcp.Answer
	c.call(&got, "read_answer", object{"session": mine, "wait": 0})
	require.Equal(t, mcp.Answer{Session: mine, State: "none"}, got)
	c.call(&sent, "send_message", object{"session": mine, "text": "hello", "wait": 0})
	b.ClaimTurn(mine, "t1")
	for _, ask := range []object{{"message": sent.Message}, {"turn": "t1"}, {}} {
		ask["session"], ask["wait"] = mine, 0
		got = mcp.Answer{}
		c.call(&got, "read_answer", ask)
		require.Equal(t, "running", got.State)
		require.Equal(t, chat.TurnID("t1"), got.Turn)
		require.Empty(t, got.Text)
	}
	var behind mcp.Answer
	c.call(&behind, "send_message", object{"session": mine, "text": "and then", "wait": 0})
	require.Equal(t, "queued", behind.State)
	_, err := b.Turns.FinishTurn(t.Context(), mine, "t1", chat.TurnStopped, "stopped")
	require.NoError(t, err)
	got = mcp.Answer{}
	c.call(&got, "read_answer", object{"session": mine, "message": sent.Message})
	require.Equal(t, "stopped", got.State)
	require.NotEmpty(t, got.Notice)
	require.NoError(t, b.Turns.RecallWaiting(t.Context(), mine, behind.Message))
	got = mcp.Answer{}
	c.call(&got, "read_answer", object{"session": mine, "message": behind.Message})
	require.Equal(t, "dropped", got.State)
	require.Contains(t, got.Notice, "recalled")
}

func TestAnswer_OfAMessageWhosePlaceAnotherTookIsThatOfTheOther(t *testing.T) {
	b := setup(t, nil)
	c := b.client(b.token, nil)
	require.NoError(t, b.Turns.SetQueue(t.Context(), key, chat.Queue{Mode: chat.QueueSupersede}))
	var older, newer, got mcp.Answer
	c.call(&older, "send_message", object{"session": key, "text": "hello", "wait": 0})
	c.call(&newer, "send_message", object{"session": key, "text": "hello, I mean", "wait": 0})
	c.call(&got, "read_answer", object{"session": key, "message": older.Message, "wait": 0})
	require.Equal(t, "queued", got.State)
	b.replies(t.Context(), key, "t1", "good morning")
	for _, m := range []mcp.Answer{older, newer} {
		c.call(&got, "read_answer", object{"session": key, "message": m.Message})
		require.Equal(t, "done", got.State)
		require.Equal(t, "good morning", got.Text)
	}
}

func TestAnswer_SaysWhatWaitsForAPersonAndTakesTheAnswer(t *testing.T) {
	b := setup(t, nil)
	c := b.client(b.token, nil)
	p := &ingresstest.Platform{}
	p.T, p.Store = t, b.Store
	var sent, got mcp.Answer
	c.call(&sent, "send_message", object{"session": key, "text": "hello", "wait": 0})
	p.Ask(key, "t1", ingresstest.Question(t, chat.Inquiry{Text: "Which color?", Options: []chat.InquiryOption{{Label: "Red"}, {Label: "Blue"}}}))
	c.call(&got, "read_answer", object{"session": key, "message": sent.Message})
	require.Equal(t, "waiting", got.State)
	require.Equal(t, "Which color?", got.Question.Asks[0].Text)
	require.Contains(t, got.Next, "ask your user")

	got = mcp.Answer{}
	c.call(&got, "send_message", object{"session": key, "text": "Red", "client_id": "answer", "wait": 0})
	require.Equal(t, "running", got.State, "the turn goes on")
	require.Equal(t, chat.TurnID("t1"), got.Turn)
	got = mcp.Answer{}
	c.call(&got, "send_message", object{"session": key, "text": "Red", "client_id": "answer", "wait": 0})
	require.True(t, got.Duplicate)
	require.Equal(t, "done", got.State)
}

func TestAnswer_AskedWhetherACallMayRunAPersonDecides(t *testing.T) {
	b := setup(t, nil)
	c := b.client(b.token, nil)
	p := &ingresstest.Platform{}
	p.T, p.Store = t, b.Store
	var got mcp.Answer
	c.call(&got, "send_message", object{"session": key, "text": "hello", "wait": 0})
	id := p.Ask(key, "t1", chat.ToolCall{Name: "Shell", Class: chat.ClassExec, Rule: chat.RuleAsk})
	c.call(&got, "read_answer", object{"session": key})
	require.Equal(t, "waiting", got.State)
	require.Equal(t, &mcp.Question{Call: id, Tool: "Shell", What: "it"}, got.Question)
	require.Contains(t, got.Next, "/approve")
	got = mcp.Answer{}
	c.call(&got, "send_message", object{"session": key, "text": "/approve", "wait": 0})
	require.Equal(t, "done", got.State, "the command is carried out")
	require.Equal(t, chat.ApprovalAllowed, p.Call(id).Approval.State)
}

func TestSessions_AreListedByTheirTitle(t *testing.T) {
	b := setup(t, nil)
	c := b.client(b.token, nil)
	_, err := b.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: "agent:main:web:thread:2", Owner: b.User.ID, Channel: "web", Title: "Winter 100%"})
	require.NoError(t, err)
	var got mcp.SessionList
	c.call(&got, "list_sessions", nil)
	require.Len(t, got.Sessions, 2)
	c.call(&got, "list_sessions", object{"limit": 1})
	require.Len(t, got.Sessions, 1)
	c.call(&got, "list_sessions", object{"query": "100%"})
	require.Len(t, got.Sessions, 1)
	require.Equal(t, "Winter 100%", got.Sessions[0].Title)
	c.call(&got, "list_sessions", object{"query": "_"})
	require.Empty(t, got.Sessions)
}

func TestMessages_AreReadInPagesOfBoundedTexts(t *testing.T) {
	b := setup(t, nil)
	c := b.client(b.token, nil)
	var sent mcp.Answer
	c.call(&sent, "send_message", object{"session": key, "text": "hello", "wait": 0})
	b.replies(t.Context(), key, "t1", strings.Repeat("字", 10_000))
	var got mcp.MessageList
	c.call(&got, "read_messages", object{"session": key})
	require.Len(t, got.Messages, 2)
	require.False(t, got.More)
	require.Equal(t, "hello", got.Messages[0].Text)
	require.Equal(t, chat.RoleAssistant, got.Messages[1].Role)
	require.Less(t, len(got.Messages[1].Text), 20_100)
	require.Contains(t, got.Messages[1].Text, "cut here")
	require.NotContains(t, got.Messages[1].Text, "\uFFFD")
	first := got.Messages[0].ID
	c.call(&got, "read_messages", object{"session": key, "after": first})
	require.Len(t, got.Messages, 1)
	c.call(&got, "read_messages", object{"session": key, "limit": 1})
	require.True(t, got.More)
}
