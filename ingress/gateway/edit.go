package gateway

import (
	"context"
	"errors"
	"time"

	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/session"
)

// Edit changes a message that was delivered before, while it waits for its turn or is kept as context. The envelope names
// it: channel, account, chat, thread, sender and id; its text is the new one. It reports false, and changes nothing, once
// the message was answered or is being answered, and for one that is unknown.
func (g *Gateway) Edit(ctx context.Context, e chat.Envelope) (bool, error) {
	m, user, err := g.delivered(ctx, e)
	if err != nil {
		return false, err
	}
	text := m.text
	if text == "" {
		return false, fault.Errorf(fault.Invalid, "the new text is empty; to take a message back, delete it")
	}
	if user != 0 {
		changed, err := m.edit(ctx, text)
		if changed || err != nil && !fault.Is(err, fault.NotFound) {
			return changed, err
		}
	}
	return g.Store.EditOverheard(ctx, m.heard())
}

// edit changes the message that was made from a text: the text after a command, or all of it. A text that became a command, or
// would become one by the change, stays as it is.
func (m *inboundRequest) edit(ctx context.Context, text string) (bool, error) {
	in := m.inbound()
	in.Text = text
	in, err := m.Dispatch.ApplyResetPolicy(ctx, in)
	if err != nil || !m.exists {
		return false, err
	}
	r, err := m.Dispatch.Commands.Parse(ctx, in)
	if errors.Is(err, intake.ErrIgnored) || err == nil && r.Text == "" {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return m.Store.EditQueued(ctx, in.Channel, in.Account, in.User, r.MessageID(in.PlatformID), in.TextForModel(r.Text))
}

// Recall takes a message back that was delivered before, as Edit changes one, with the commands that stood in it and wait.
func (g *Gateway) Recall(ctx context.Context, e chat.Envelope) (bool, error) {
	m, user, err := g.delivered(ctx, e)
	if err != nil {
		return false, err
	}
	if user != 0 {
		changed, err := m.recall(ctx)
		if changed || err != nil {
			return changed, err
		}
	}
	return g.Store.RecallOverheard(ctx, m.heard())
}

// recall takes back what waits of a message.
func (m *inboundRequest) recall(ctx context.Context) (changed bool, err error) {
	in := m.inbound()
	for _, id := range intake.RowIDs(in.PlatformID) {
		one, err := m.Store.RecallQueued(ctx, in.Channel, in.Account, in.User, id)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return changed, err
		}
		changed = changed || one
	}
	return changed, nil
}

// delivered finds where a message went that was delivered before, and who wrote it; 0: somebody without a user.
func (g *Gateway) delivered(ctx context.Context, e chat.Envelope) (*inboundRequest, chat.UserID, error) {
	m, err := g.newRequest(ctx, e)
	if err != nil {
		return nil, 0, err
	}
	m.e.SentAt = time.Time{}
	if err := m.route(ctx); err != nil {
		return nil, 0, err
	}
	if m.text == "" {
		m.text, _ = session.Addressed(m.c, m.e, "")
	}
	if !m.known {
		return m, 0, nil
	}
	return m, m.user.ID, nil
}
