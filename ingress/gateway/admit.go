package gateway

import (
	"context"
	"fmt"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/session"
)

// admit checks the sender's access, or returns the refusal. Approved users get a notice with their first message.
func (m *inboundRequest) admit(ctx context.Context) (Outcome, bool, error) {
	v, err := m.verdict(ctx)
	if err != nil {
		return Outcome{}, false, err
	}
	switch v.Access {
	case session.Allowed:
		return Outcome{}, true, nil
	case session.Pair:
		return m.pair(ctx)
	default:
		if v.Say == "" {
			return Outcome{Result: ResultRefused}, false, m.tellUnlisted(ctx)
		}
		out, err := m.turnAway(ctx, v.Say)
		return out, false, err
	}
}

// verdict is whether the sender has access.
func (m *inboundRequest) verdict(ctx context.Context) (session.Verdict, error) {
	if m.inAdminChat() {
		m.c.AllowFrom = append(slices.Clone(m.c.AllowFrom), m.e.Sender.ID) // the settings name them
		return session.Admit(m.c, m.e, false), nil
	}
	if m.direct() {
		var err error
		if m.granted, m.told, err = m.Stores.Users.Granted(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID); err != nil {
			return session.Verdict{}, err
		}
	}
	return session.Admit(m.c, m.e, m.granted), nil
}

// pair gives an unknown sender a code, the same one while it lasts.
func (m *inboundRequest) pair(ctx context.Context) (Outcome, bool, error) {
	code, err := m.Stores.Users.Pair(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID, m.e.Sender.Name)
	var out Outcome
	switch {
	case fault.Is(err, fault.RateLimited):
		out, err = m.turnAway(ctx, i18n.PairFull)
	case err == nil:
		out, err = m.turnAway(ctx, i18n.PairAsk, code)
	}
	return out, false, err
}

// turnAway refuses a message with a reason: once, then at most daily, so that a sender cannot make the bot write as often as they do.
// Another reason or another code is sent at once.
func (m *inboundRequest) turnAway(ctx context.Context, say i18n.ID, args ...any) (Outcome, error) {
	out := Outcome{Result: ResultRefused}
	first, err := m.Stores.Notices.Once(ctx, chat.NoticeKey{
		Topic: chat.TopicUnpaired, Channel: m.e.Channel, Account: m.e.Account, About: m.e.Sender.ID, What: fmt.Sprint(append([]any{say}, args...)...), Asked: m.e.ID,
	})
	if err != nil {
		return Outcome{}, err
	}
	if first {
		out.Reply = i18n.Say(m.lang, say, args...)
	}
	return out, nil
}

// shutOut refuses a sender disabled by an administrator, with a notice only in a direct message.
func (m *inboundRequest) shutOut(ctx context.Context) (Outcome, error) {
	if !m.direct() {
		return Outcome{Result: ResultRefused}, nil
	}
	out, err := m.turnAway(ctx, i18n.PairDisabled)
	out.Direct = out.Reply
	return out, err
}
