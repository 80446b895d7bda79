package channels_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/policy"
)

// signs is a bot that notes how it told people that their message arrived.
type signs struct {
	bot
	refuses bool // reactions
	traits  channel.Traits
	seen    []string
}

func (s *signs) React(_ context.Context, _ channel.Address, id, emoji string) error {
	if s.refuses {
		return fault.Errorf(fault.Denied, "there are none here")
	}
	s.do(func() { s.seen = append(s.seen, "reaction "+emoji+" to "+id) })
	return nil
}

func (s *signs) Typing(context.Context, channel.Address) error {
	s.do(func() { s.seen = append(s.seen, "typing") })
	return nil
}

func (s *signs) Send(_ context.Context, _ channel.Address, m channel.Message) (channel.Sent, error) {
	s.do(func() { s.seen = append(s.seen, "said "+m.Text) })
	return channel.Sent{}, nil
}

func (s *signs) Traits() channel.Traits { return s.traits }

func TestReceive_ShowsAtOnceThatAMessageArrived(t *testing.T) {
	few := channel.Traits{Replies: 4}
	for name, c := range map[string]struct {
		mode    string
		refuses bool
		traits  channel.Traits
		want    []string
	}{
		"by a reaction":                                {mode: policy.FeedbackReaction, want: []string{"reaction OK to m1"}},
		"by typing where there are no reactions":       {mode: policy.FeedbackReaction, refuses: true, want: []string{"typing"}},
		"not by typing where that counts as an answer": {mode: policy.FeedbackReaction, refuses: true, traits: few},
		"by typing where it may take the place of an answer": {
			mode: policy.FeedbackReaction, refuses: true, traits: channel.Traits{Replies: 4, Writing: channel.Writing{Times: 2}}, want: []string{"typing"},
		},
		"in words": {mode: policy.FeedbackReply, want: []string{"said 收到！"}},
		"not in words where they would use up an answer":  {mode: policy.FeedbackReply, traits: few},
		"not at all where nobody is answered":             {},
		"not at all where the policy wants nothing of it": {mode: policy.FeedbackNone},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{known: configured(1), outcome: gateway.Outcome{Result: gateway.ResultAccepted, Feedback: c.mode, Emoji: "OK", Lang: i18n.Chinese}}
			s := &signs{refuses: c.refuses, traits: c.traits}
			w.as = func(b bot) channel.Account { s.bot = b; return s }
			stop := start(t, w.setup("first"))
			w.eventually(t, "it runs", func() bool { return w.to != nil })
			require.NoError(t, w.to.Receive(t.Context(), chat.Envelope{ID: "m1", Sender: chat.Peer{ID: "u1"}, Text: "你好"}))
			stop() // waits for what is on its way
			require.Equal(t, c.want, s.seen)
		})
	}
}

func TestReceive_ShowsNoMoreSignsThanTheAccountMay(t *testing.T) {
	w := &world{known: configured(1), outcome: gateway.Outcome{Result: gateway.ResultAccepted, Feedback: policy.FeedbackReaction, Emoji: "OK"}}
	s := &signs{traits: channel.Traits{Signs: 2}}
	w.as = func(b bot) channel.Account { s.bot = b; return s }
	stop := start(t, w.setup("first"))
	w.eventually(t, "it runs", func() bool { return w.to != nil })
	for _, id := range []string{"m1", "m2", "m3"} {
		require.NoError(t, w.to.Receive(t.Context(), chat.Envelope{ID: id, Sender: chat.Peer{ID: "u1"}, Text: "你好"}), "what is refused is the sign, not the message")
	}
	stop()
	require.Len(t, s.seen, 2)
	require.Equal(t, 3, w.signs)
}
