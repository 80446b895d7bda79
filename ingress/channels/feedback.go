package channels

import (
	"context"
	"time"

	"xbot/ingress/gateway"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/policy"
)

// signalTimeout bounds the sign that a message was accepted: later it is of no use.
const signalTimeout = 10 * time.Second

// signal shows a user that their message was accepted, as the policy defines. It is best effort and independent of the
// acknowledgement of the message: a user who has to wait also sees the progress of the turn.
func (r *receiver) signal(to channel.Address, e chat.Envelope, out gateway.Outcome) {
	ctx, cancel := context.WithTimeout(context.Background(), signalTimeout)
	defer cancel()
	a, err := r.Live.Account(ctx, r.channel, r.account)
	if err != nil {
		return // it was taken away at this moment
	}
	if out.Feedback != policy.FeedbackNone && !channel.MaySign(ctx, r.States, r.channel, r.account, channel.TraitsAt(a, to)) {
		return
	}
	switch out.Feedback {
	case policy.FeedbackReaction:
		err = react(ctx, a, to, e.ID, out.Emoji)
	case policy.FeedbackReply:
		err = received(ctx, a, to, e, out.Lang)
	}
	if err != nil {
		r.Log.Debug("a person was not shown that their message arrived", "channel", channel.Name(r.channel, r.account), "error", err)
	}
}

// react puts a reaction to a message, or shows that an answer is being written where there are no reactions.
func react(ctx context.Context, a channel.Account, to channel.Address, id, emoji string) error {
	var err error = fault.Errorf(fault.Denied, "the platform has no reactions")
	if reactor, can := a.(channel.Reactor); can {
		err = reactor.React(ctx, to, id, emoji)
	}
	typist, can := a.(channel.Typist)
	if can && fault.Is(err, fault.Denied) && (!counted(a, to) || channel.TraitsAt(a, to).Writing.Times != 0) {
		return typist.Typing(ctx, to)
	}
	return err
}

// received sends a text that a message arrived, unless that would use up one of a limited number of answers.
func received(ctx context.Context, a channel.Account, to channel.Address, e chat.Envelope, lang i18n.Lang) error {
	if counted(a, to) {
		return nil
	}
	_, err := a.Send(ctx, to, channel.Message{Key: keyOf(e) + ".f", Text: i18n.Say(lang, i18n.Received), Seq: 1})
	return err
}

// counted reports whether a platform permits only so many answers to a message.
func counted(a channel.Account, to channel.Address) bool {
	t := channel.TraitsAt(a, to)
	return t.Replies > 0 || t.ReplyWindow > 0
}
