package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/card"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store"
)

func TestCards_EachCallChangesACardOnce(t *testing.T) {
	b := setup(t)
	b.asksOn(&chat.Address{ChatType: chat.ChatDirect, Peer: "7"})
	require.NoError(t, b.Cards.DraftCard(t.Context(), peerKey, "card_1", "c1", card.Card{Title: "Lunch"}))
	add := func(c card.Card) (card.Card, error) {
		c.Elements = append(slices.Clone(c.Elements), card.Element{Kind: card.Divider})
		return c, nil
	}
	for range 2 {
		got, err := b.Cards.ChangeCard(t.Context(), peerKey, "card_1", "c2", add)
		require.NoError(t, err)
		require.Len(t, got.Elements, 1)
	}
	require.NoError(t, b.Cards.DraftCard(t.Context(), peerKey, "card_1", "c1", card.Card{Title: "Lunch"}), "the call that made it runs again")
	_, err := b.Cards.ChangeCard(t.Context(), peerKey, "card_1", "c3", func(c card.Card) (card.Card, error) {
		return c, fault.Errorf(fault.Invalid, "no")
	})
	require.True(t, fault.Is(err, fault.Invalid))
	got, err := b.Cards.Card(t.Context(), peerKey, "card_1")
	require.NoError(t, err)
	require.Len(t, got.Elements, 1, "what does not fit changes nothing")
	_, err = b.Cards.Card(t.Context(), "agent:main:web:thread:other", "card_1")
	require.True(t, fault.Is(err, fault.NotFound), "a card of somebody else is none")

	for range 25 {
		require.NoError(t, b.Cards.DraftCard(t.Context(), peerKey, "card_x"+time.Now().Format(".000000000"), "c9", card.Card{Title: "x"}))
	}
	var kept int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM card_drafts").Scan(&kept))
	require.Equal(t, 20, kept)
	_, err = b.pool.Exec(t.Context(), "UPDATE card_drafts SET changed_at = now() - interval '31 days'")
	require.NoError(t, err)
	_, err = b.Turns.Prune(t.Context(), time.Hour)
	require.NoError(t, err)
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM card_drafts").Scan(&kept))
	require.Zero(t, kept)
}

func TestCards_AreSentOnceByTheirCallAndNeverAnswered(t *testing.T) {
	b := setup(t)
	woken := &woken{}
	b.Store = store.New(b.pool, store.Options{Wakes: woken})
	b.onPlatform()
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"}, "t1")
	b.answers("t1", chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{{ID: askedCall, Name: "card_send", Class: chat.ClassIdempotent, Arguments: `{}`}}})
	made := card.Card{Title: "Lunch", Elements: []card.Element{{Kind: card.Divider}}}
	for range 2 {
		sent, err := b.Cards.SendCard(t.Context(), peerKey, askedCall, made)
		require.NoError(t, err)
		require.True(t, sent)
	}
	require.Equal(t, []chat.SessionKey{peerKey}, woken.who)
	sent, err := b.Cards.SendCard(t.Context(), "agent:main:web:thread:other", askedCall, made)
	require.NoError(t, err)
	require.False(t, sent, "a call of another conversation")
	o := b.question()
	require.Equal(t, chat.OutboundCard, o.Kind)
	require.Equal(t, "m1", o.Place.ReplyTo)
	require.JSONEq(t, `{"title":"Lunch","elements":[{"kind":"divider"}]}`, o.Text)
	_, err = b.Calls.Question(t.Context(), o.Channel, o.Account, askedCall)
	require.True(t, fault.Is(err, fault.NotFound), "a press finds no question")
	require.NoError(t, b.Deliveries.EndDelivery(t.Context(), o.ID, chat.OutboundUncertain, "the connection broke"))
	o = b.question()
	require.Equal(t, chat.OutboundMessage, o.Kind, "a person is told that it may not have arrived")
}
