package gateway

import (
	"context"
	"slices"

	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/session"
)

// admit checks the sender's access, or returns what they are told. Approved people are told so with their first message.
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
		out := Outcome{Result: ResultRefused}
		if v.Say != "" {
			out.Reply = i18n.Say(m.lang, v.Say)
		}
		return out, false, nil
	}
}

// verdict is whether the sender is let in.
func (m *inboundRequest) verdict(ctx context.Context) (session.Verdict, error) {
	if m.inAdminChat() {
		m.c.AllowFrom = append(slices.Clone(m.c.AllowFrom), m.e.Sender.ID) // the settings name them
		return session.Admit(m.c, m.e, false), nil
	}
	if m.direct() {
		var err error
		if m.granted, m.told, err = m.Store.Granted(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID); err != nil {
			return session.Verdict{}, err
		}
	}
	return session.Admit(m.c, m.e, m.granted), nil
}

// pair gives an unknown person a code, the same one while it lasts.
func (m *inboundRequest) pair(ctx context.Context) (Outcome, bool, error) {
	code, err := m.Store.Pair(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID, m.e.Sender.Name)
	switch {
	case fault.Is(err, fault.RateLimited):
		return Outcome{Result: ResultRefused, Reply: i18n.Say(m.lang, i18n.PairFull)}, false, nil
	case err != nil:
		return Outcome{}, false, err
	}
	return Outcome{Result: ResultRefused, Reply: i18n.Say(m.lang, i18n.PairAsk, code)}, false, nil
}

// shutOut refuses somebody whom an administrator has shut out, which they are told where nobody else reads it.
func (m *inboundRequest) shutOut() Outcome {
	out := Outcome{Result: ResultRefused}
	if m.direct() {
		out.Reply = i18n.Say(m.lang, i18n.PairDisabled)
		out.Direct = out.Reply
	}
	return out
}
