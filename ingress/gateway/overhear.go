package gateway

import (
	"context"

	"xbot/internal/turn/groupmessages"
)

// overhear stores a message that was not for the bot as context, if the policy wants some.
func (m *inboundRequest) overhear(ctx context.Context) (Outcome, error) {
	limit := *m.c.HistoryLimit
	if m.direct() || limit <= 0 || m.inContext(m.e.Text) == "" {
		return Outcome{Result: ResultIgnored}, nil
	}
	if gone, err := m.takenBack(ctx, false); err != nil || gone {
		return Outcome{Result: ResultIgnored}, err
	}
	if err := m.ensureSession(ctx); err != nil {
		return Outcome{}, err
	}
	kept, err := m.Stores.GroupMessages.Overhear(ctx, m.overheardMessage(), limit)
	switch {
	case err != nil:
		return Outcome{}, err
	case !kept:
		return Outcome{Result: ResultDuplicate, Session: m.key}, nil
	}
	return Outcome{Result: ResultOverheard, Session: m.key}, nil
}

func (m *inboundRequest) overheardMessage() groupmessages.Message {
	o := groupmessages.Message{
		Session: m.key, Channel: m.e.Channel, Account: m.e.Account, PlatformID: platformID(m.e), Text: m.inContext(m.e.Text), SentAt: m.e.SentAt,
	}
	if m.hints {
		o.Sender = senderName(m.e)
	}
	return o
}
