package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/channel/delivery"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/engine"
)

var here = &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"}

// follows lets the relay look, as if a minute had passed since it looked last.
func (b *bundle) follows() []delivery.Undelivered {
	b.t.Helper()
	_, err := b.pool.Exec(b.t.Context(), "UPDATE progress_cards SET woken_at = woken_at - interval '61 seconds'")
	require.NoError(b.t, err)
	got, err := b.ToFollow(b.t.Context(), 0)
	require.NoError(b.t, err)
	return got
}

func (b *bundle) nextFollow() chat.TurnID {
	b.t.Helper()
	turn, _, _, err := b.Deliveries.NextFollow(b.t.Context(), peerKey)
	require.NoError(b.t, err)
	return turn
}

func (b *bundle) shows(turn chat.TurnID) {
	b.t.Helper()
	ok, err := b.Deliveries.TryCard(b.t.Context(), turn)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	require.NoError(b.t, b.Deliveries.ShowCard(b.t.Context(), turn, "card of "+string(turn)))
}

func TestToFollow_NamesATurnThatRunsForAWhileOnceAMinute(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", here, "t1")
	got, err := b.ToFollow(t.Context(), time.Hour)
	require.NoError(t, err)
	require.Empty(t, got, "it has just begun")
	got, err = b.ToFollow(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, []delivery.Undelivered{{Session: peerKey, Channel: "napcat"}}, got)
	got, err = b.ToFollow(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, got)
	require.Len(t, b.follows(), 1, "a minute later somebody looks whether it is followed still")
	require.NoError(t, b.Deliveries.KeepFollowing(t.Context(), "t1"))
	got, err = b.ToFollow(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, got, "it is")

	c, err := b.Deliveries.TurnProgress(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, chat.CardWaiting, c.Card.State)
	require.Equal(t, *here, c.Card.Place)
	require.Len(t, c.Card.Nonce, 32)
	require.Equal(t, chat.TurnRunning, c.Turn.State)
	require.False(t, c.Waits)
}

func TestNoteLine_EachIsNotedOnceAndNoneOnceTheTurnIsShownOtherwise(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", here, "t1")
	b.follows()
	note := func(n int) bool {
		t.Helper()
		fresh, err := b.Deliveries.NoteLine(t.Context(), "t1", n)
		require.NoError(t, err)
		return fresh
	}
	require.True(t, note(2))
	require.Equal(t, []bool{false, false, true}, []bool{note(1), note(2), note(3)})
	c, err := b.Deliveries.TurnProgress(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, 3, c.Card.Lines)
	require.NoError(t, b.Deliveries.EndCard(t.Context(), "t1", chat.CardNone))
	require.False(t, note(4))
}

func TestToFollow_LeavesOutWhomNobodyOnAPlatformWaitsFor(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", nil, "t1")
	require.Empty(t, b.follows(), "who wrote on the page sees it there")
	_, err := b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	b.writes("m2", here, "t2")
	require.NoError(t, b.Channels.SaveChannelAccount(t.Context(), accountstore.ChannelAccount{Channel: "napcat", Enabled: false, Settings: map[string]string{}}, 0))
	require.Empty(t, b.follows(), "the bot is switched off")
}

func TestNextFollow_EndsWithTheAnswerAndComesBackForACardThatIsLeft(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", here, "t1")
	b.follows()
	require.Equal(t, chat.TurnID("t1"), b.nextFollow())
	b.shows("t1")
	b.answers("t1", chat.Answer{Text: "the answer", Finish: "stop"})
	require.Empty(t, b.nextFollow(), "the answer is written")
	_, err := b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	require.Equal(t, chat.TurnID("t1"), b.nextFollow(), "its card says that it runs")
	require.NoError(t, b.Deliveries.PutOffCard(t.Context(), "t1", time.Hour))
	require.Empty(t, b.nextFollow(), "later")
	require.Empty(t, b.follows(), "later")
	require.NoError(t, b.Deliveries.PutOffCard(t.Context(), "t1", -time.Second))
	require.Len(t, b.follows(), 1)
	require.NoError(t, b.Deliveries.EndCard(t.Context(), "t1", chat.CardSettled))
	require.Empty(t, b.nextFollow())
	require.Empty(t, b.follows())
}

func TestCardOfAnswer_IsTakenTogetherWithThePiece(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", here, "t1")
	b.follows()
	b.shows("t1")
	require.NoError(t, b.Turns.NotifyTurnHeld(t.Context(), engine.Live{Turn: "t1", Session: peerKey}))
	notice, _ := b.next()
	_, ok, err := b.Deliveries.CardOfAnswer(t.Context(), notice)
	require.NoError(t, err)
	require.False(t, ok, "a notice is no answer")
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), notice, chat.OutboundSent, ""))

	b.answers("t1", chat.Answer{Text: "the answer", Finish: "stop"})
	id, _ := b.next()
	card, ok, err := b.Deliveries.CardOfAnswer(t.Context(), id)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "card of t1", card.Message)
	o, err := b.Deliveries.Outbound(t.Context(), id)
	require.NoError(t, err)
	other := o
	o.Pieces = []chat.Piece{{Text: "the answer", Seq: 1, State: chat.PieceSent, ID: card.Message}}
	require.NoError(t, b.Deliveries.AnswerCard(t.Context(), "t1", &o))
	require.True(t, fault.Is(b.Deliveries.AnswerCard(t.Context(), "t1", &other), fault.Conflict), "another attempt has gone on with it")
	o, err = b.Deliveries.Outbound(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, card.Message, o.Pieces[0].ID)
	_, ok, err = b.Deliveries.CardOfAnswer(t.Context(), id)
	require.NoError(t, err)
	require.False(t, ok)
	_, err = b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	require.Empty(t, b.nextFollow(), "an answer is not settled")
	require.NoError(t, b.Deliveries.EndCard(t.Context(), "t1", chat.CardNone))
	c, err := b.Deliveries.TurnProgress(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, chat.CardAnswer, c.Card.State, "the first end stands")
}

func TestCourse_OfATurnThatWasReleasedOrNeverShown(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", here, "t1")
	b.follows()
	b.shows("t1")
	_, err := b.Turns.SettleTurn(t.Context(), "t1") // no step had begun: the message waits for another turn
	require.NoError(t, err)
	require.Equal(t, chat.TurnID("t1"), b.nextFollow(), "the card of a turn that is gone is taken back")
	c, err := b.Deliveries.TurnProgress(t.Context(), "t1")
	require.NoError(t, err)
	require.Empty(t, c.Turn.State)
	require.NoError(t, b.Deliveries.EndCard(t.Context(), "t1", chat.CardSettled))

	_, ok, err := b.Turns.Claim(t.Context(), peerKey, "t2", "r2", 0)
	require.NoError(t, err)
	require.True(t, ok)
	b.follows()
	_, err = b.Turns.FinishTurn(t.Context(), peerKey, "t2", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	require.Empty(t, b.nextFollow(), "nothing was shown of it")
	require.Empty(t, b.follows())
	ok, err = b.Deliveries.TryCard(t.Context(), "t2")
	require.NoError(t, err)
	require.False(t, ok, "and nothing will be")

	require.NoError(t, b.Agents.DeleteSession(t.Context(), peerKey))
	_, err = b.Deliveries.TurnProgress(t.Context(), "t1")
	require.True(t, fault.Is(err, fault.NotFound))
}

func TestCourse_HoldsTheCallsOfItsTurn(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", here, "t1")
	b.follows()
	b.answers("t1", chat.Answer{Text: "let me look", Finish: "tool_calls", Calls: []chat.ToolCall{{ID: "t1.0.0", Name: "Shell", Summary: "make", Class: chat.ClassExec, Arguments: "{}"}}})
	c, err := b.Deliveries.TurnProgress(t.Context(), "t1")
	require.NoError(t, err)
	require.Len(t, c.Calls, 1)
	require.Equal(t, "make", c.Calls[0].Summary)
	require.Equal(t, chat.CallOpen, c.Calls[0].State)
	require.Equal(t, chat.TurnID("t1"), b.nextFollow(), "what the model says between its steps is no answer")
}

func TestCourse_SaysWhichCallWaitsForAPerson(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	require.NoError(t, b.Permissions.SetPermission(t.Context(), b.user.ID, chat.ToolRule{Tool: "Shell", Rule: chat.RuleAsk}))
	b.writes("m1", here, "t1")
	b.follows()
	b.answers("t1", chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{{ID: "t1.0.0", Name: "Shell", Class: chat.ClassExec, Arguments: "{}", Rule: chat.RuleAsk}}})
	_, err := b.Calls.Ask(t.Context(), "t1.0.0", chat.Request{})
	require.NoError(t, err)
	c, err := b.Deliveries.TurnProgress(t.Context(), "t1")
	require.NoError(t, err)
	require.NotNil(t, c.Calls[0].Approval)
	require.Equal(t, chat.ApprovalOpen, c.Calls[0].Approval.State)
}

func TestCourse_NamesARetryUntilSomethingElseHappens(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", here, "t1")
	b.follows()
	retry := func() *chat.Retry {
		c, err := b.Deliveries.TurnProgress(t.Context(), "t1")
		require.NoError(t, err)
		return c.Retry
	}
	require.Nil(t, retry())
	step := chat.Step{Session: peerKey, Turn: "t1"}
	_, _, _, err := b.Turns.BeginStep(t.Context(), step)
	require.NoError(t, err)
	_, err = b.Turns.CountFailure(t.Context(), step, func(n int, _ i18n.Lang) (chat.Retry, bool) {
		return chat.Retry{Turn: "t1", Attempt: n + 1, Failed: 7, Text: "again"}, true
	})
	require.NoError(t, err)
	require.Equal(t, &chat.Retry{Turn: "t1", Attempt: 2, Failed: 7, Text: "again"}, retry())
	_, err = b.Turns.CommitStep(t.Context(), step, chat.Answer{Text: "the answer", Finish: "stop"})
	require.NoError(t, err)
	require.Nil(t, retry())
}
