package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/channel/delivery"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

const peerKey = chat.SessionKey("agent:main:napcat:dm:7")

// onPlatform makes a conversation on a platform with an account, and a turn that answers a message there.
func (b *bundle) onPlatform() {
	b.t.Helper()
	require.NoError(b.t, b.Channels.SaveChannelAccount(b.t.Context(), accountstore.ChannelAccount{Channel: "napcat", Enabled: true, Settings: map[string]string{"url": "ws://x"}}, 0))
	_, err := b.Conversations.CreateSession(b.t.Context(), conversation.NewSession{Key: peerKey, Owner: b.user.ID, Channel: "napcat"})
	require.NoError(b.t, err)
}

func (b *bundle) writes(id string, to *chat.Address, turn chat.TurnID) {
	b.t.Helper()
	_, err := b.Turns.Accept(b.t.Context(), engine.NewRow{Session: peerKey, User: b.user.ID, Channel: "napcat", PlatformID: id, Text: "hello", To: to})
	require.NoError(b.t, err)
	_, ok, err := b.Turns.Claim(b.t.Context(), peerKey, turn, "r-"+string(turn), 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
}

func (b *bundle) answers(turn chat.TurnID, a chat.Answer) {
	b.t.Helper()
	step := chat.Step{Session: peerKey, Turn: turn}
	_, _, _, err := b.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	_, err = b.Turns.CommitStep(b.t.Context(), step, a)
	require.NoError(b.t, err)
}

func (b *bundle) next() (int64, string) {
	b.t.Helper()
	next, _, err := b.Deliveries.NextOutbound(b.t.Context(), peerKey)
	require.NoError(b.t, err)
	return next.ID, next.Words
}

func TestOutbound_AnAnswerWaitsForThePlaceOfItsMessage(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"}, "t1")
	b.answers("t1", chat.Answer{Text: "the answer", Finish: "stop"})
	id, words := b.next()
	require.Equal(t, "the answer", words)
	o, err := b.Deliveries.Outbound(t.Context(), id)
	require.NoError(t, err)
	require.True(t, o.Open)
	require.Len(t, o.Nonce, 32)
	require.Equal(t, "m1", o.Place.ReplyTo)
	require.Equal(t, "napcat", o.Channel)

	other := o
	o.Pieces = []chat.Piece{{Text: "the", Seq: 1}, {Text: "answer", Seq: 2}}
	require.NoError(t, b.Deliveries.SavePieces(t.Context(), &o, false))
	require.NoError(t, b.Deliveries.SavePieces(t.Context(), &o, true))
	require.NoError(t, b.Deliveries.SavePieces(t.Context(), &o, true))
	require.True(t, fault.Is(b.Deliveries.SavePieces(t.Context(), &other, true), fault.Conflict), "another attempt has gone on with it")
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), id, chat.OutboundSent, ""))
	require.True(t, fault.Is(b.Deliveries.SavePieces(t.Context(), &o, true), fault.Conflict), "what has ended stays as it is")
	_, err = b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	id, words = b.next()
	require.Equal(t, i18n.Say(i18n.English, i18n.Stopped), words)
	o, err = b.Deliveries.Outbound(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, 2, o.Before, "two messages have answered m1")
}

func TestOutbound_WhatIsNotForThePlatformDoesNotWait(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	here := &chat.Address{ChatType: chat.ChatDirect, Peer: "7"}
	b.writes("m1", here, "t1")
	b.answers("t1", chat.Answer{Text: "let me look", Finish: "tool_calls", Calls: []chat.ToolCall{{ID: "t1.0.0", Name: "Read", Class: chat.ClassRead, Arguments: "{}"}}})
	id, _ := b.next()
	require.Zero(t, id, "between its steps the model speaks to itself")
	_, err := b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnDone, "")
	require.NoError(t, err)

	b.writes("m2", here, "t2")
	b.answers("t2", chat.Answer{Text: "", Silent: true, Finish: "stop"})
	id, _ = b.next()
	require.Zero(t, id, "silence is silent")
	_, err = b.Turns.FinishTurn(t.Context(), peerKey, "t2", chat.TurnDone, "")
	require.NoError(t, err)

	b.writes("m3", nil, "t3")
	b.answers("t3", chat.Answer{Text: "read on the page", Finish: "stop"})
	id, _ = b.next()
	require.Zero(t, id, "who wrote on the page reads there")
	_, err = b.Turns.FinishTurn(t.Context(), peerKey, "t3", chat.TurnDone, "")
	require.NoError(t, err)

	require.NoError(t, b.Channels.DeleteChannelAccount(t.Context(), "napcat", ""))
	b.writes("m4", here, "t4")
	b.answers("t4", chat.Answer{Text: "a bridge reads the events", Finish: "stop"})
	id, _ = b.next()
	require.Zero(t, id, "there is nobody to deliver it")
}

func TestOutbound_OfAnAnswerThatMayBeLostThePersonIsToldOnce(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7"}, "t1")
	b.answers("t1", chat.Answer{Text: "the answer", Finish: "stop"})
	id, _ := b.next()
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), id, chat.OutboundUncertain, "broke"))
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), id, chat.OutboundUncertain, "broke"))
	notice, words := b.next()
	require.Equal(t, i18n.Say(i18n.English, i18n.SentUnknown), words)
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), notice, chat.OutboundUncertain, "broke"))
	id, _ = b.next()
	require.Zero(t, id, "not of what tells of it")
}

func TestOutbound_OfANoticeThatMayBeLostThePersonIsToldOnce(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7"}, "t1")
	_, err := b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	for _, want := range []string{i18n.Say(i18n.English, i18n.Stopped), i18n.Say(i18n.English, i18n.NoticeUnknown)} {
		id, words := b.next()
		require.Equal(t, want, words)
		require.NoError(t, b.Deliveries.EndDelivery(t.Context(), id, chat.OutboundUncertain, "broke"))
	}
	id, _ := b.next()
	require.Zero(t, id, "not of what tells of it")
}

func TestOutbound_AWrittenStopIsAnsweredByOneMessage(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	stop := func(id, text string, to *chat.Address) {
		t.Helper()
		_, err := b.Turns.Stop(t.Context(), engine.NewRow{Session: peerKey, User: b.user.ID, Channel: "napcat", PlatformID: id, Text: text, To: to}, i18n.English)
		require.NoError(t, err)
	}
	here := func(id string) *chat.Address { return &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: id} }
	for _, c := range []struct {
		turn chat.TurnID
		text string
		to   *chat.Address
		want []string
	}{
		{"t1", "/stop", here("s1"), []string{i18n.Say(i18n.English, i18n.StopsTurn)}},
		{"t2", "", nil, []string{i18n.Say(i18n.English, i18n.Stopped)}}, // pressed on the page
		{"t3", "/stop", &chat.Address{ChatType: chat.ChatGroup, Chat: "20001", Peer: "7"}, []string{i18n.Say(i18n.English, i18n.StopsTurn), i18n.Say(i18n.English, i18n.Stopped)}},
	} {
		b.writes("m-"+string(c.turn), here("m-"+string(c.turn)), c.turn)
		stop("stop-"+string(c.turn), c.text, c.to)
		_, err := b.Turns.FinishTurn(t.Context(), peerKey, c.turn, chat.TurnStopped, i18n.Stopped)
		require.NoError(t, err)
		for _, want := range c.want {
			id, words := b.next()
			require.Equal(t, want, words)
			require.NoError(t, b.Deliveries.EndDelivery(t.Context(), id, chat.OutboundSent, ""))
		}
		id, words := b.next()
		require.Zero(t, id, words)
		got, err := b.Conversations.Messages(t.Context(), peerKey, conversation.Page{Limit: 100})
		require.NoError(t, err)
		require.Equal(t, i18n.Say(i18n.English, i18n.Stopped), got.Messages[len(got.Messages)-1].Content, "the transcript says how the turn ended")
	}
}

func TestToDeliver_NamesSessionsThatWereNotServed(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7"}, "t1")
	b.answers("t1", chat.Answer{Text: "the answer", Finish: "stop"})
	_, err := b.pool.Exec(t.Context(), "UPDATE outbound SET woken_at = now() - interval '1 hour'")
	require.NoError(t, err)
	got, err := b.ToDeliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, []delivery.Undelivered{{Session: peerKey, Channel: "napcat"}}, got)
	got, err = b.ToDeliver(t.Context())
	require.NoError(t, err)
	require.Empty(t, got, "each once a minute")
}

func TestHoldChannel_OneHoldsItUntilItIsHeardOfNoMore(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	hold := func(who string, lease time.Duration) bool {
		got, err := b.Channels.HoldChannel(t.Context(), "napcat", "", who, lease)
		require.NoError(t, err)
		return got
	}
	require.True(t, hold("a", time.Hour))
	require.False(t, hold("b", time.Hour))
	require.True(t, hold("a", -time.Second), "it renews its own")
	require.True(t, hold("b", time.Hour), "the lease is over")
	require.NoError(t, b.Channels.ReleaseChannel(t.Context(), "napcat", "", "a"))
	require.False(t, hold("a", time.Hour), "nobody gives back what another holds")
	require.NoError(t, b.Channels.RememberChannel(t.Context(), "napcat", "", "seq", []byte{0, 1}))
	kept, err := b.Channels.RecallChannel(t.Context(), "napcat", "", "seq")
	require.NoError(t, err)
	require.Equal(t, []byte{0, 1}, kept)
}

func TestSpendSign_CountsAnHourOverAllProcessesAndSaysWhatWasRefused(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	spend := func() bool {
		t.Helper()
		may, err := b.Channels.SpendSign(t.Context(), "napcat", "", 2)
		require.NoError(t, err)
		return may
	}
	shows := func(signs int) {
		t.Helper()
		all, err := b.Channels.ChannelOverview(t.Context())
		require.NoError(t, err)
		require.Equal(t, signs, all[0].Signs)
		require.Equal(t, 2, all[0].SignsBudget)
	}
	require.Equal(t, []bool{true, true, false}, []bool{spend(), spend(), spend()})
	shows(3)
	_, err := b.pool.Exec(t.Context(), "UPDATE channel_states SET signs_from = signs_from - interval '61 minutes'")
	require.NoError(t, err)
	shows(0)
	require.True(t, spend(), "another hour")
	shows(1)
	ok, err := b.Channels.HoldChannel(t.Context(), "napcat", "", "one", time.Minute)
	require.NoError(t, err)
	require.True(t, ok, "counting holds nothing")
}

func TestChannelOverview_SaysWhatHoldsTheMessagesThatWait(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	held := func() (int, string) {
		all, err := b.Channels.ChannelOverview(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 1)
		return all[0].Waiting, all[0].Held
	}
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"}, "t1")
	b.answers("t1", chat.Answer{Text: "the answer", Finish: "stop"})
	waiting, why := held()
	require.Equal(t, 1, waiting)
	require.Empty(t, why)
	id, _ := b.next()
	require.NoError(t, b.Deliveries.NoteDelivery(t.Context(), id, "the quota is used up "+strings.Repeat("x", 1000)))
	_, why = held()
	require.True(t, strings.HasPrefix(why, "the quota is used up "))
	require.Len(t, why, 300)
	listed, err := b.Inspection.InspectUndelivered(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, listed, 1, "the inbox lists what the channel counts")
	require.Equal(t, "waiting", listed[0].Outcome)
	require.Nil(t, listed[0].EndedAt)
	require.True(t, strings.HasPrefix(listed[0].Reason, "the quota is used up "))
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), id, chat.OutboundSent, ""))
	waiting, why = held()
	require.Zero(t, waiting)
	require.Empty(t, why)
	listed, err = b.Inspection.InspectUndelivered(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, listed)
}

func TestEndDelivery_OfAnswersThatGrewTooOldThePersonIsToldOnceForAll(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	for n, turn := range []chat.TurnID{"t1", "t2", "t3"} {
		id := fmt.Sprint("m", n)
		b.writes(id, &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: id}, turn)
		b.answers(turn, chat.Answer{Text: "the answer", Finish: "stop"})
		b.finishPeer(turn)
	}
	for range 3 {
		id, words := b.next()
		require.Equal(t, "the answer", words)
		require.NoError(t, b.Deliveries.EndDelivery(t.Context(), id, chat.OutboundExpired, "the platform was away for a day"))
	}
	notice, words := b.next()
	require.Equal(t, i18n.Say(i18n.English, i18n.SentExpired), words)
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), notice, chat.OutboundExpired, "still away"))
	id, _ := b.next()
	require.Zero(t, id, "once for all of them, and nothing of the notice itself")
}

func TestEndDelivery_OfWhatThePlatformRefusesThePersonIsToldOnce(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"}, "t1")
	b.answers("t1", chat.Answer{Text: "the answer", Finish: "stop"})
	id, _ := b.next()
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), id, chat.OutboundFailed, "not in these words"))
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), id, chat.OutboundFailed, "not in these words"))
	notice, words := b.next()
	require.Equal(t, i18n.Say(i18n.English, i18n.SentRefused), words)
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), notice, chat.OutboundFailed, "the bot is not in this chat"))
	id, _ = b.next()
	require.Zero(t, id, "nothing is said of that")
}
