// Package ingress lets the world in: it accepts what arrives, commits it as a row, and wakes the turn that is to
// handle it. Accepted means committed: a failed wake never fails an accepted row, the relay repeats it.
package ingress

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/phrase"
	"xbot/internal/store"
)

// MaxTextBytes bounds one message.
const MaxTextBytes = 200_000

// maxIDBytes bounds the id that a client gives a message.
const maxIDBytes = 128

// wakeTimeout bounds one wake; the relay takes over after it.
const wakeTimeout = 10 * time.Second

// Inbox keeps what was accepted.
type Inbox interface {
	Accept(ctx context.Context, in store.Inbound) (store.Accepted, error)
	AcceptBang(ctx context.Context, in store.Inbound, command string) (store.Accepted, error)
	Stop(ctx context.Context, in store.Inbound, lang phrase.Lang) (store.Stopped, error)
	Answer(ctx context.Context, a store.Answer) (chat.ToolCall, error)
	Command(ctx context.Context, in store.Inbound, answer func(context.Context) (string, error)) (store.Accepted, error)
}

// Dispatch takes in messages and stops.
type Dispatch struct {
	Inbox Inbox
	Waker interface {
		Wake(ctx context.Context, r Row) error
	}
	Starter interface {
		StartBang(ctx context.Context, id chat.InboxID) error
	}
	Commands *Commands // carried out here; nil for none. What is not among them goes to the model
	Log      *slog.Logger

	wakes sync.WaitGroup
}

// Inbound is a message as a channel delivered it, from a user who may write to the session.
type Inbound struct {
	store.Inbound
	UserName string
}

// Message accepts a message, or carries out the command that it is.
func (d *Dispatch) Message(ctx context.Context, in Inbound) (store.Accepted, error) {
	if err := check(in); err != nil {
		return store.Accepted{}, err
	}
	if c, ok := command.Parse(in.Text); ok && c.Args == "" && (c.Name == "stop" || c.Name == "cancel") {
		stopped, err := d.Stop(ctx, in)
		return stopped.Accepted, err
	}
	known, args, ok := d.Commands.find(in.Text)
	if ok && !known.Queued {
		return d.command(ctx, in, known, args)
	}
	in.Control = ok
	if cmd, ok := command.Bang(in.Text); ok {
		return d.bang(ctx, in, cmd)
	}
	got, err := d.Inbox.Accept(ctx, in.Inbound)
	if err != nil {
		return got, err
	}
	d.wake(ctx, in)
	return got, nil
}

// bang accepts a bang command and has it carried out beside the conversation.
func (d *Dispatch) bang(ctx context.Context, in Inbound, cmd string) (store.Accepted, error) {
	got, err := d.Inbox.AcceptBang(ctx, in.Inbound, cmd)
	if err != nil {
		return got, err
	}
	ctx = context.WithoutCancel(ctx)
	d.wakes.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, wakeTimeout)
		defer cancel()
		if err := d.Starter.StartBang(ctx, got.ID); err != nil {
			d.Log.Warn("command not started, the relay tries again", "session", in.Session, "error", err)
		}
	})
	return got, nil
}

// Stop stops the running turn of a session and clears its queue.
func (d *Dispatch) Stop(ctx context.Context, in Inbound) (store.Stopped, error) {
	got, err := d.Inbox.Stop(ctx, in.Inbound, phrase.Of(in.Text))
	if err == nil && got.Turn != "" {
		d.wake(ctx, in)
	}
	return got, err
}

// Wait waits for the wakes under way.
func (d *Dispatch) Wait() { d.wakes.Wait() }

// wake wakes the turn without keeping the sender waiting: the row is committed, so the answer to them is already true.
func (d *Dispatch) wake(ctx context.Context, in Inbound) {
	ctx = context.WithoutCancel(ctx)
	d.wakes.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, wakeTimeout)
		defer cancel()
		row := Row{Session: in.Session, Channel: in.Channel, UserName: in.UserName, Text: in.Text}
		if err := d.Waker.Wake(ctx, row); err != nil {
			d.Log.Warn("turn not woken, the relay tries again", "session", in.Session, "error", err)
		}
	})
}

func check(in Inbound) error {
	switch {
	case in.PlatformID == "" || len(in.PlatformID) > maxIDBytes:
		return fault.Errorf(fault.Invalid, "client_message_id must have between 1 and %d bytes", maxIDBytes)
	case store.Clean(in.PlatformID) != in.PlatformID:
		return fault.Errorf(fault.Invalid, "client_message_id must be valid UTF-8 without NUL")
	case len(in.Text) > MaxTextBytes:
		return fault.Errorf(fault.TooLarge, "the message has %d bytes; at most %d are accepted", len(in.Text), MaxTextBytes)
	case len(store.Clean(in.Text)) == 0:
		return fault.Errorf(fault.Invalid, "the message is empty")
	}
	return nil
}
