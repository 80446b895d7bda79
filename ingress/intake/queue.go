package intake

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
)

// Policies is the policy document in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// queue returns how a message waits: by the settings of the conversation, which came with the message, then by the policy. Without a
// policy the defaults of the store hold.
func (d *Dispatcher) queue(ctx context.Context, in Message) (chat.Queue, error) {
	if d.Policies == nil {
		return in.Queue, nil
	}
	p, err := d.Policies.Get(ctx)
	if err != nil {
		return chat.Queue{}, err
	}
	return p.Queue(in.Channel, in.ChatType, in.Queue), nil
}

// accept commits a message for a turn, and wakes the turn, when its burst is over if more of one may follow.
func (d *Dispatcher) accept(ctx context.Context, in Message) (got engine.Accepted, err error) {
	if in.Queue, err = d.queue(ctx, in); err != nil {
		return got, err
	}
	if got, err = d.Turns.Accept(ctx, in.NewRow); err != nil {
		return got, err
	}
	d.wakeLater(in, got)
	return got, nil
}

// Again accepts a message that takes the place of another one. Its text is no command: the model gets it unchanged.
func (d *Dispatcher) Again(ctx context.Context, in Message) (engine.Accepted, error) {
	if err := Check(in); err != nil {
		return engine.Accepted{}, err
	}
	return d.accept(ctx, in)
}

// Plain accepts a text as a message unchanged: it is never a command, a word that means one, or the answer to a question, and it gets a
// separate turn behind what waits. The same id with the same text is a duplicate; with another text it is a Conflict.
func (d *Dispatcher) Plain(ctx context.Context, in Message) (engine.Accepted, error) {
	if err := Check(in); err != nil {
		return engine.Accepted{}, err
	}
	in, err := d.applyExpiry(ctx, in)
	if err != nil {
		return engine.Accepted{}, err
	}
	in.Control, in.Queue.Mode = false, chat.QueueFollowup
	return d.accept(ctx, in)
}

// AcceptPair commits two messages of a conversation, one behind the other, or neither: a command for a turn and the text
// that came with it. It carries out neither.
func (d *Dispatcher) AcceptPair(ctx context.Context, first, second Message) (a, b engine.Accepted, err error) {
	for _, in := range []*Message{&first, &second} {
		if err := Check(*in); err != nil {
			return a, b, err
		}
		if in.Queue, err = d.queue(ctx, *in); err != nil {
			return a, b, err
		}
	}
	if a, b, err = d.Turns.AcceptPair(ctx, first.NewRow, second.NewRow); err != nil {
		return a, b, err
	}
	d.wakeLater(first, a)
	if b.Wait > 0 || b.Fetch { // else the turn of the first one finds it
		d.wakeLater(second, b)
	}
	return a, b, nil
}

func (d *Dispatcher) wakeLater(in Message, got engine.Accepted) {
	if got.Fetch {
		d.fetch(got.ID)
	}
	if got.Wait <= 0 {
		d.wake(in, got.Idle)
		return
	}
	d.debouncer.after(d.clock(), in.Session, got.Wait, func() { d.wake(in, false) })
}

// Edit changes the text of a message of a session that waits. It is a Conflict once a turn has claimed it.
func (d *Dispatcher) Edit(ctx context.Context, key chat.SessionKey, id chat.InboxID, text string) error {
	if err := checkText(text); err != nil {
		return err
	}
	if _, bang := command.Bang(text); bang || d.Commands.Knows(text) {
		lang, err := d.speaks(ctx, Message{NewRow: engine.NewRow{Session: key, Text: text}})
		if err != nil {
			return err
		}
		return fault.Errorf(fault.Invalid, "%s", i18n.Say(lang, i18n.QueueCommand))
	}
	return d.Turns.EditWaiting(ctx, key, id, text)
}

// Recall takes a message or command of a session back that waits. It is a Conflict once a turn has claimed it.
func (d *Dispatcher) Recall(ctx context.Context, key chat.SessionKey, id chat.InboxID) error {
	return d.Turns.RecallWaiting(ctx, key, id)
}
