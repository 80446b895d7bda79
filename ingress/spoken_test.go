package ingress_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/question"
)

// waits makes the turn that answers what a session has waiting ask with one call, and returns it.
func (b *platform) waits(key chat.SessionKey, turn chat.TurnID, call chat.ToolCall) chat.CallID {
	b.t.Helper()
	_, claimed, err := b.store.Claim(b.t.Context(), key, turn, string(turn), 0)
	require.NoError(b.t, err)
	require.True(b.t, claimed)
	step := chat.Step{Session: key, Turn: turn}
	_, _, _, err = b.store.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	call.ID, call.Summary = chat.NewCallID(turn, 0, 0), "it"
	_, err = b.store.CommitStep(b.t.Context(), step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call.Ruled()}})
	require.NoError(b.t, err)
	_, err = b.store.Ask(b.t.Context(), call.ID, "")
	require.NoError(b.t, err)
	return call.ID
}

func (b *platform) call(id chat.CallID) chat.Call {
	b.t.Helper()
	call, err := b.store.Call(b.t.Context(), id)
	require.NoError(b.t, err)
	return call
}

func asks(t *testing.T, asked ...chat.Inquiry) chat.ToolCall {
	t.Helper()
	questions, err := question.Check(asked)
	require.NoError(t, err)
	return chat.ToolCall{Name: "AskUser", Class: chat.ClassRead, Questions: questions}
}

const everybody = `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open", groups: {"*": {requireMention: false}}}}}`

func TestSpoken_ThePlainMessageAfterAQuestionIsItsAnswer(t *testing.T) {
	b := bridged(t, everybody)
	at := b.receive(dm("m1", "ou_1", "choose for me")).Session
	id := b.waits(at, "t1", asks(t, chat.Inquiry{Text: "Which?", Options: []chat.InquiryOption{{Label: "red"}, {Label: "blue"}}}))

	out := b.receive(dm("m2", "ou_1", "green"))
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.Contains(t, out.Reply, `"green" is no answer to "Which?"`)
	require.Contains(t, out.Reply, "/deny")
	require.Equal(t, gateway.ResultAnswered, b.receive(dm("m3", "ou_1", "/whoami")).Result, "a command is one")
	require.Equal(t, chat.ApprovalOpen, b.call(id).Approval.State)

	out = b.receive(dm("m4", "ou_1", "2"))
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.Equal(t, "Answered: blue", out.Reply)
	require.Equal(t, chat.Answers{"q1": {"blue"}}, b.call(id).Approval.Answers)
	require.Equal(t, gateway.ResultAccepted, b.receive(dm("m5", "ou_1", "1")).Result, "what comes after is a message")
	require.Equal(t, gateway.ResultDuplicate, b.receive(dm("m4", "ou_1", "2")).Result, "delivered again, days later")
	window, err := b.store.Window(t.Context(), at)
	require.NoError(t, err)
	for _, line := range window.Lines {
		require.NotContains(t, []string{"green", "2"}, line.Message.Content, "the model reads the answer as a result")
	}
}

func TestSpoken_SomebodyElseInAGroupWritesMessages(t *testing.T) {
	b := bridged(t, everybody)
	at := b.receive(said("m1", "ou_1", "choose")).Session
	id := b.waits(at, "t1", asks(t, chat.Inquiry{Text: "Which name?"}))
	require.Equal(t, gateway.ResultAccepted, b.receive(said("m2", "ou_2", "Bob")).Result)
	require.Equal(t, chat.ApprovalOpen, b.call(id).Approval.State)
	require.Equal(t, "Answered: Alice", b.receive(said("m3", "ou_1", "Alice")).Reply)
	require.Equal(t, chat.Answers{"q1": {"Alice"}}, b.call(id).Approval.Answers)
}

func TestSpoken_ABareYesOrNoOnAPlatformIsAPermission(t *testing.T) {
	b := bridged(t, everybody)
	at := b.receive(dm("m1", "ou_1", "do it")).Session
	shell := chat.ToolCall{Name: "Shell", Class: chat.ClassExec, Rule: chat.RuleAsk}
	id := b.waits(at, "t1", shell)
	require.Equal(t, gateway.ResultAccepted, b.receive(dm("m2", "ou_1", "ok, but why?")).Result, "a sentence is a message")
	require.Equal(t, chat.ApprovalOpen, b.call(id).Approval.State)
	out := b.receive(dm("m3", "ou_1", "同意。"))
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.Allowed, "Shell · `it`"), out.Reply)
	require.Equal(t, chat.ApprovalAllowed, b.call(id).Approval.State)
	require.Equal(t, gateway.ResultAccepted, b.receive(dm("m4", "ou_1", "yes")).Result, "nothing is open")

	_, err := b.store.FinishTurn(t.Context(), at, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	id = b.waits(at, "t2", shell)
	require.Equal(t, i18n.Say(i18n.English, i18n.Denied, "Shell · `it`"), b.receive(dm("m5", "ou_1", "No!")).Reply)
	require.Equal(t, chat.ApprovalDenied, b.call(id).Approval.State)
}
