package gateway

import (
	"context"
	"errors"
	"time"

	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/edits"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/session"
)

// Edit changes a message that was delivered before, while it waits for its turn or serves as context; if a turn has read it, the model
// gets the new text with the next message. The envelope names it: channel, account, chat, thread, sender and id; its text is the new one.
// It reports false, and changes nothing, for a message that is unknown or was taken back, or has this text already.
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
	return g.Stores.GroupMessages.EditOverheard(ctx, m.overheardMessage())
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
	gone, err := m.Stores.Edits.IsRecalled(ctx, m.amendedKey(m.e.ID))
	if err != nil || gone {
		return false, err
	}
	return engine.Amendments{Store: m.Stores.Turns}.EditDelivered(ctx, m.amending(in, r.MessageID(in.PlatformID)), in.TextForModel(r.Text))
}

// Recall takes back a message that was delivered before, with its waiting commands. A waiting message is not answered. If a turn has
// read it, the model is notified with the next message; the turn is stopped, in silence, if all that it was to answer was taken back. A
// message that is taken back before it arrives is ignored when it does. It reports false where nothing changed.
func (g *Gateway) Recall(ctx context.Context, e chat.Envelope) (bool, error) {
	m, user, err := g.delivered(ctx, e)
	if err != nil {
		return false, err
	}
	if err := m.Stores.Edits.Recall(ctx, m.amendedKey(m.e.ID)); err != nil {
		return false, err
	}
	if user != 0 {
		changed, err := m.recall(ctx)
		if changed || err != nil {
			return changed, err
		}
	}
	return engine.Amendments{Store: g.Stores.Turns}.RecallOverheard(ctx, m.amendedKey(m.e.ID), m.overheardMessage())
}

// recall takes back the rows of a message.
func (m *inboundRequest) recall(ctx context.Context) (changed bool, err error) {
	in := m.inbound()
	return engine.Amendments{Store: m.Stores.Turns}.RecallDelivered(ctx, m.amending(in, intake.RowIDs(in.PlatformID)...))
}

// takenBack reports whether the message was taken back: before it arrived, or while it was accepted. Its accepted rows are taken back.
func (m *inboundRequest) takenBack(ctx context.Context, accepted bool) (bool, error) {
	gone, err := m.Stores.Edits.IsRecalled(ctx, m.amendedKey(m.e.ID))
	if err != nil || !gone || !accepted {
		return gone, err
	}
	_, err = m.recall(ctx)
	return true, err
}

func (m *inboundRequest) amendedKey(id string) edits.Key {
	place := m.e.Chat
	if m.direct() {
		place = m.e.Sender.ID
	}
	return edits.KeyOf(m.e.Channel, m.e.Account, m.e.ChatType, place, id)
}

func (m *inboundRequest) amending(in intake.Message, ids ...string) edits.Message {
	return edits.Message{Key: m.amendedKey(m.e.ID), Channel: in.Channel, Account: in.Account, User: in.User, IDs: ids}
}

// delivered finds the destination and the user of a message that was delivered before. The user is 0 if the sender has none.
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
