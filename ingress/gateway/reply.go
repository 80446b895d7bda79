package gateway

import (
	"context"
	"strings"

	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
)

// reply adds the immediate reply to a command or an answer.
func (m *inboundRequest) reply(ctx context.Context, in intake.Message, out Outcome, answer bool) (Outcome, error) {
	if answer || command.Slashed(in.Text) || m.text == "" {
		said, err := m.answerOf(ctx, in, out.Inbox)
		if err != nil {
			return Outcome{}, err
		}
		if said != "" {
			out.Reply = strings.TrimSpace(said + "\n\n" + out.Reply)
			if out.Result == ResultAccepted {
				out.Result = ResultAnswered
			}
		}
	}
	if m.direct() && m.granted && !m.told {
		first, err := m.Stores.Users.NotifyGranted(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID)
		if err != nil {
			m.Log.Warn("not noted that somebody was told that they were let in", "error", err)
		}
		if first {
			lang, err := m.spoken(ctx)
			if err != nil {
				return Outcome{}, err
			}
			out.Direct = i18n.Say(lang, i18n.PairWelcome)
			out.Reply = strings.TrimSpace(out.Direct + "\n\n" + out.Reply)
		}
	}
	return out, nil
}

// answerOf returns the answer to a command, or to the commands that a message had in addition to its text.
func (m *inboundRequest) answerOf(ctx context.Context, in intake.Message, id chat.InboxID) (string, error) {
	said, err := m.Stores.Turns.CommandAnswer(ctx, id)
	if err != nil || said != "" {
		return said, err
	}
	in.PlatformID = intake.BesideID(in.PlatformID)
	got, _, err := m.Stores.Turns.Delivered(ctx, in.NewRow)
	return got.Answer, err
}

// refused reports whether the sender can do something about an error: then they get it.
func refused(err error) bool {
	switch fault.KindOf(err) {
	case "", fault.Internal, fault.Unavailable:
		return false
	}
	return true
}
