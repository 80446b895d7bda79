package delivery_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"xbot/activities/delivery"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// brief is a platform that takes answers to young messages only, and messages of the bot's own if it likes them.
type brief struct {
	*post

	young  string // the message that can be answered
	newest string // the message that was written last
	own    bool   // the bot may say something of its own
	said   []string
	asked  int // messages of its own that the bot has tried
}

func (b *brief) Account(context.Context, string, string) (channel.Account, error) { return b, nil }

func (b *brief) NewestMessage(context.Context, chat.Outbound) (string, error) { return b.newest, nil }

func (b *brief) Send(_ context.Context, to channel.Address, m channel.Message) (channel.Sent, error) {
	switch {
	case to.ReplyTo == "":
		b.asked++
		if !b.own {
			return channel.Sent{}, fault.Errorf(fault.Denied, "no messages of the bot's own")
		}
	case to.ReplyTo != b.young:
		return channel.Sent{}, channel.Belated(fault.Errorf(fault.Denied, "the message is too old"))
	}
	b.said = append(b.said, to.ReplyTo+": "+m.Text)
	b.got = append(b.got, m)
	return channel.Sent{ID: "1"}, nil
}

func newBrief(text string) *brief {
	b := &brief{post: newPost(text), newest: "old"}
	b.o.Place = chat.Address{ChatType: chat.ChatDirect, Peer: "carol", ReplyTo: "old"}
	return b
}

// deliver is one attempt of the activity.
func (b *brief) deliver(t *testing.T) error {
	t.Helper()
	d := &delivery.Deliverer{
		Outbox: b, Accounts: b, Messages: b, Split: func(text string, _ channel.Dialect, _ int) []string { return []string{text} },
		Policy: everywhere{MaxAge: 24 * time.Hour, Late: 25 * time.Hour},
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(d.Send)
	_, err := env.ExecuteActivity(d.Send, delivery.SendInput{ID: 1})
	return err
}

func TestLate_AnAnswerThatComesTooLateAnswersANewerMessage(t *testing.T) {
	b := newBrief("at last")
	b.young, b.newest = "new", "new"
	require.NoError(t, b.deliver(t))
	require.Equal(t, []string{"new: at last"}, b.said)
	require.Zero(t, b.got[0].Seq, "the numbers of the newer message belong to its own answers")
	require.Equal(t, chat.OutboundSent, b.end)
}

func TestLate_WithoutANewerMessageItIsOneOfTheBotsOwn(t *testing.T) {
	b := newBrief("at last")
	b.own = true
	require.NoError(t, b.deliver(t))
	require.Equal(t, []string{": at last"}, b.said)
	require.Equal(t, chat.OutboundSent, b.end)
}

func TestLate_WhatIsTakenNowhereWaitsForTheNextMessage(t *testing.T) {
	b := newBrief("at last")
	require.ErrorContains(t, b.deliver(t), "when somebody writes there again")
	require.Error(t, b.deliver(t))
	require.Equal(t, 1, b.asked, "the platform is not asked over and over")
	b.newest, b.young = "new", "new"
	require.NoError(t, b.deliver(t))
	require.Equal(t, []string{"new: at last"}, b.said)
	require.Equal(t, chat.OutboundSent, b.end)
}

func TestLate_NothingWaitsForEver(t *testing.T) {
	b := newBrief("at last")
	require.Error(t, b.deliver(t))
	b.o.Written = time.Now().Add(-25 * time.Hour)
	require.NoError(t, b.deliver(t))
	require.Equal(t, chat.OutboundExpired, b.end)
	require.Empty(t, b.said)
}

func TestLate_WhatMayHaveArrivedInTimeIsNotSaidAgain(t *testing.T) {
	b := newBrief("at last")
	b.own = true
	b.o.Pieces = []chat.Piece{{Text: "at last", Seq: 1, State: chat.PieceTried, Tried: time.Now()}}
	require.NoError(t, b.deliver(t))
	require.Empty(t, b.said)
	require.Equal(t, chat.OutboundUncertain, b.end)
}
