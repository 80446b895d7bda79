package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/store"
	"xbot/internal/turn/calls"
)

const askedCall = chat.CallID("t1.0.0")

// asksOn opens a turn on the platform that asks whether a call may run.
func (b *bundle) asksOn(to *chat.Address) {
	b.t.Helper()
	b.onPlatform()
	b.writes("m1", to, "t1")
	b.answers("t1", chat.Answer{Text: "let me look", Finish: "tool_calls", Calls: []chat.ToolCall{
		{ID: askedCall, Name: "Shell", Class: chat.ClassExec, Arguments: `{"command":"ls"}`, Summary: "ls", Rule: chat.RuleAsk},
	}})
	b.ask(askedCall, "to look")
}

func (b *bundle) question() chat.Outbound {
	b.t.Helper()
	next, ok, err := b.Deliveries.NextOutbound(b.t.Context(), peerKey)
	require.NoError(b.t, err)
	require.True(b.t, ok, "something waits")
	o, err := b.Deliveries.Outbound(b.t.Context(), next.ID)
	require.NoError(b.t, err)
	return o
}

// sent records that the question arrived as message om_1.
func (b *bundle) sent(o chat.Outbound) {
	b.t.Helper()
	o.Pieces = []chat.Piece{{Seq: 1, State: chat.PieceSent, ID: "om_1"}}
	require.NoError(b.t, b.Deliveries.SavePieces(b.t.Context(), &o, true))
	require.NoError(b.t, b.Deliveries.EndDelivery(b.t.Context(), o.ID, chat.OutboundSent, ""))
}

func (b *bundle) nothingWaits() {
	b.t.Helper()
	_, ok, err := b.Deliveries.NextOutbound(b.t.Context(), peerKey)
	require.NoError(b.t, err)
	require.False(b.t, ok)
}

func (b *bundle) allows(a calls.Answer) error {
	a.Session, a.UserName, a.Call, a.Allow = peerKey, "Ann", askedCall, true
	_, err := b.Calls.Answer(b.t.Context(), a)
	return err
}

func TestQuestion_IsSentOnceAndSettledOnce(t *testing.T) {
	b := setup(t)
	woken := &woken{}
	b.Store = store.New(b.pool, store.Options{Wakes: woken})
	b.asksOn(&chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"})
	b.ask(askedCall, "again")
	require.Equal(t, []chat.SessionKey{peerKey}, woken.who)
	o := b.question()
	require.Equal(t, chat.OutboundQuestion, o.Kind)
	require.Equal(t, "m1", o.Place.ReplyTo)
	require.Equal(t, "to look", o.Asked.Call.Approval.Reason)
	require.Equal(t, string(i18n.English), o.Asked.Lang)
	next, _, err := b.Deliveries.NextOutbound(t.Context(), peerKey)
	require.NoError(t, err)
	require.Equal(t, "Shell · ls", next.Words)
	b.sent(o)
	b.nothingWaits()

	require.NoError(t, b.allows(calls.Answer{User: b.user.ID, Key: "press/1"}))
	require.Len(t, woken.who, 2)
	o = b.question()
	require.Equal(t, chat.OutboundSettled, o.Kind)
	require.Equal(t, "om_1", o.Asked.Sent)
	require.Equal(t, chat.ApprovalAllowed, o.Asked.Call.Approval.State)
	require.NoError(t, b.allows(calls.Answer{User: b.user.ID, Key: "press/1"}), "the same press again")
	require.Equal(t, fault.Conflict, fault.KindOf(b.allows(calls.Answer{User: b.user.ID, Key: "press/2"})))
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), o.ID, chat.OutboundSent, ""))
	_, err = b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	b.nothingWaits()
}

func TestQuestion_ThatNobodyHasSeenIsNotSentOnceItIsClosed(t *testing.T) {
	b := setup(t)
	b.asksOn(&chat.Address{ChatType: chat.ChatDirect, Peer: "7"})
	require.NoError(t, b.Calls.Expire(t.Context(), askedCall))
	b.nothingWaits()
	var state string
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT state FROM outbound").Scan(&state))
	require.Equal(t, chat.OutboundExpired, state)
}

func TestQuestion_ThatMayHaveBeenSeenIsSettledBehindIt(t *testing.T) {
	for name, ends := range map[string]func(b *bundle){
		"nobody answers": func(b *bundle) { require.NoError(b.t, b.Calls.Expire(b.t.Context(), askedCall)) },
		"a stop": func(b *bundle) {
			_, err := b.Turns.FinishTurn(b.t.Context(), peerKey, "t1", chat.TurnStopped, i18n.Stopped)
			require.NoError(b.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.asksOn(&chat.Address{ChatType: chat.ChatDirect, Peer: "7"})
			o := b.question()
			o.Pieces = []chat.Piece{{Seq: 1, State: chat.PieceTried, Tried: time.Now()}}
			require.NoError(t, b.Deliveries.SavePieces(t.Context(), &o, true))
			ends(b)
			require.Equal(t, o.ID, b.question().ID, "whether it arrived is found out first")
			b.sent(o)
			require.Equal(t, chat.OutboundSettled, b.question().Kind)
		})
	}
}

func TestQuestion_OnThePageIsNotSent(t *testing.T) {
	b := setup(t)
	b.asksOn(nil)
	b.nothingWaits()
	_, err := b.Calls.Question(t.Context(), "napcat", "", askedCall)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestQuestion_IsFoundByTheAccountThatAskedItAlone(t *testing.T) {
	b := setup(t)
	b.asksOn(&chat.Address{ChatType: chat.ChatDirect, Peer: "7"})
	q, err := b.Calls.Question(t.Context(), "napcat", "", askedCall)
	require.NoError(t, err)
	require.Equal(t, calls.Question{Session: peerKey, Place: chat.Address{ChatType: chat.ChatDirect, Peer: "7"}}, q)
	for _, where := range [][2]string{{"feishu", ""}, {"napcat", "other"}} {
		_, err = b.Calls.Question(t.Context(), where[0], where[1], askedCall)
		require.Equal(t, fault.NotFound, fault.KindOf(err))
	}
	_, err = b.Calls.Question(t.Context(), "napcat", "", "no \x00 call")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestEndDelivery_OfAQuestionThatMayBeLostThePersonIsTold(t *testing.T) {
	b := setup(t)
	b.asksOn(&chat.Address{ChatType: chat.ChatDirect, Peer: "7"})
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), b.question().ID, chat.OutboundUncertain, "broke"))
	require.Equal(t, i18n.Say(i18n.English, i18n.AskUnknown), b.question().Text)
}
