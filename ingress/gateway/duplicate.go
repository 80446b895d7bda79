package gateway

import (
	"context"
	"xbot/internal/turn/engine"
)

// duplicate finds a message that was delivered before, to any conversation.
func (m *inboundRequest) duplicate(ctx context.Context) (Outcome, bool, error) {
	if !m.direct() {
		known, err := m.Stores.GroupMessages.OverheardBefore(ctx, m.overheardMessage())
		if err != nil || known {
			return Outcome{Result: ResultDuplicate, Session: m.key}, known, err
		}
	}
	if !m.known {
		return Outcome{}, false, nil
	}
	got, ok, err := m.deliveredAs(ctx)
	if err != nil || !ok {
		return Outcome{}, false, err
	}
	return Outcome{Result: ResultDuplicate, Session: got.Session, Inbox: got.Inbox, Reply: got.Answer}, true, nil
}

// deliveredAs finds the message among those of its sender, including those of the user that the sender was before the policy
// linked them.
func (m *inboundRequest) deliveredAs(ctx context.Context) (engine.Delivered, bool, error) {
	in := m.inbound().NewRow
	got, ok, err := m.Stores.Turns.Delivered(ctx, in)
	if _, linked := m.p.Person(m.e); !linked || ok || err != nil {
		return got, ok, err
	}
	was, known, err := m.Stores.Users.KnownPerson(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID)
	if err != nil || !known || was.ID == in.User {
		return got, false, err
	}
	in.User = was.ID
	return m.Stores.Turns.Delivered(ctx, in)
}
