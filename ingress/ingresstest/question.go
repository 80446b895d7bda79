package ingresstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/question"
)

// Ask makes the turn that answers the waiting messages of a session ask with one call, and returns its id.
func (b *Platform) Ask(key chat.SessionKey, turn chat.TurnID, call chat.ToolCall) chat.CallID {
	b.T.Helper()
	_, claimed, err := b.Store.Turns.Claim(b.T.Context(), key, turn, string(turn), 0)
	require.NoError(b.T, err)
	require.True(b.T, claimed)
	step := chat.Step{Session: key, Turn: turn}
	_, _, _, err = b.Store.Turns.BeginStep(b.T.Context(), step)
	require.NoError(b.T, err)
	call.ID, call.Summary = chat.NewCallID(turn, 0, 0), "it"
	_, err = b.Store.Turns.CommitStep(b.T.Context(), step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call.Ruled()}})
	require.NoError(b.T, err)
	_, err = b.Store.Calls.Ask(b.T.Context(), call.ID, chat.Request{})
	require.NoError(b.T, err)
	return call.ID
}

// Call reads a call.
func (b *Platform) Call(id chat.CallID) chat.Call {
	b.T.Helper()
	call, err := b.Store.Calls.Call(b.T.Context(), id)
	require.NoError(b.T, err)
	return call
}

// Question returns a call that asks a user.
func Question(t *testing.T, asked ...chat.Inquiry) chat.ToolCall {
	t.Helper()
	questions, err := question.Check(asked)
	require.NoError(t, err)
	return chat.ToolCall{Name: "AskUser", Class: chat.ClassRead, Asks: chat.Asks{Questions: questions}}
}

// EverybodyPolicy lets all users write everywhere without naming the bot.
const EverybodyPolicy = `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open", groups: {"*": {requireMention: false}}}}}`
