package channeltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"xbot/internal/channel"
	"xbot/internal/chat"
)

// receiver records the events of an adapter.
type receiver struct {
	channel string

	mu        sync.Mutex
	gate      func(ctx context.Context, e chat.Envelope) error // decides whether a message is committed; nil: it is
	envelopes []chat.Envelope
	edits     []chat.Envelope
	refusals  int // of recalls, that are still to come
	recalls   []chat.Envelope
	presses   []channel.Press
	statuses  []channel.Status
	bad       []string
}

var _ channel.Receiver = (*receiver)(nil)

// Receive records a message that the gate accepts.
func (r *receiver) Receive(ctx context.Context, e chat.Envelope) error {
	r.mu.Lock()
	gate := r.gate
	r.bad = append(r.bad, r.faults(e, true)...)
	r.mu.Unlock()
	if gate != nil {
		if err := gate(ctx, e); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.envelopes = append(r.envelopes, e)
	return nil
}

// Edited records a change.
func (r *receiver) Edited(_ context.Context, e chat.Envelope) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bad, r.edits = append(r.bad, r.faults(e, false)...), append(r.edits, e)
	return nil
}

// Recalled records that a message was taken back.
func (r *receiver) Recalled(_ context.Context, e chat.Envelope) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bad = append(r.bad, r.faults(e, false)...)
	if r.refusals > 0 {
		r.refusals--
		return errors.New("the database is away")
	}
	r.recalls = append(r.recalls, e)
	return nil
}

// refuseRecalls fails to commit the next recalls.
func (r *receiver) refuseRecalls(times int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refusals = times
}

// Pressed records an answer.
func (r *receiver) Pressed(_ context.Context, p channel.Press) (channel.Toast, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Channel != r.channel || p.Account != Account || p.Sender == "" || p.Event == "" {
		r.bad = append(r.bad, fmt.Sprintf("a press without its channel, account, event or sender: %+v", p))
	}
	r.presses = append(r.presses, p)
	return channel.Toast{Kind: "success", Text: "noted"}, nil
}

func (r *receiver) Report(s channel.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses = append(r.statuses, s)
}

// setGate sets the gate of the messages.
func (r *receiver) setGate(gate func(ctx context.Context, e chat.Envelope) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate = gate
}

func (r *receiver) received() []chat.Envelope { return locked(r, &r.envelopes) }
func (r *receiver) edited() []chat.Envelope   { return locked(r, &r.edits) }
func (r *receiver) recalled() []chat.Envelope { return locked(r, &r.recalls) }
func (r *receiver) pressed() []channel.Press  { return locked(r, &r.presses) }
func (r *receiver) reports() []channel.Status { return locked(r, &r.statuses) }
func (r *receiver) malformed() []string       { return locked(r, &r.bad) }

func locked[T any](r *receiver, list *[]T) []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(*list)
}

// connected reports whether the newest report has the account connected.
func (r *receiver) connected() bool {
	all := r.reports()
	return len(all) > 0 && all[len(all)-1].Connected
}

// faults are reasons for the gateway to refuse an envelope.
func (r *receiver) faults(e chat.Envelope, whole bool) (found []string) {
	say := func(format string, args ...any) {
		found = append(found, fmt.Sprintf(format, args...)+fmt.Sprintf(" in %+v", e))
	}
	if e.Channel != r.channel || e.Account != Account {
		say("channel %q and account %q are not %q and %q", e.Channel, e.Account, r.channel, Account)
	}
	if e.ID == "" || whole && e.Sender.ID == "" {
		say("no id of the message or its sender")
	}
	switch e.ChatType {
	case chat.ChatDirect:
	case chat.ChatGroup, chat.ChatChannel:
		if e.Chat == "" {
			say("a %s without an id", e.ChatType)
		}
	default:
		say("%q is no kind of place for an envelope", e.ChatType)
	}
	if whole && (e.SentAt.IsZero() || e.SentAt.After(time.Now().Add(time.Minute))) {
		say("sent at %v", e.SentAt)
	}
	for _, id := range []string{e.ID, e.Chat, e.Thread, e.Root, e.Parent, e.Sender.ID} {
		if len(id) > 256 {
			say("an id of %d bytes", len(id))
		}
	}
	for _, text := range []string{e.ID, e.Chat, e.Thread, e.Root, e.Parent, e.Sender.ID, e.Sender.Name, e.Subject, e.Room, e.Space, e.Text} {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			say("%q is no text", text)
		}
	}
	for _, a := range e.Attachments {
		if a.Key == "" || !slices.Contains([]string{"image", "audio", "video", "file", "sticker"}, a.Kind) {
			say("attachment %+v has no key or kind", a)
		}
	}
	return found
}
