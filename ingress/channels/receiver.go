package channels

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"xbot/internal/channel"
	"xbot/internal/chat"
)

// receiver accepts the messages and events of one account.
type receiver struct {
	*AccountRunner
	channel, account string

	mu         sync.Mutex
	reportedAt time.Time // time of the last ReportChannel
	status     channel.Status
}

var _ channel.Receiver = (*receiver)(nil)

func (d *AccountRunner) receiver(name, account string) *receiver {
	return &receiver{AccountRunner: d, channel: name, account: account}
}

// Receive commits a message. A reply that belongs to no conversation (a pairing code, a refusal) is sent at once, with a key
// made from the message, so that a second delivery does not send it twice. It gets no sequence number: these are for
// answers, which may follow.
func (r *receiver) Receive(ctx context.Context, e chat.Envelope) error {
	e.Channel, e.Account = r.channel, r.account
	out, err := r.Gateway.Receive(ctx, e)
	if err != nil {
		return err
	}
	to := channel.Address{ChatType: e.ChatType, Chat: e.Chat, Peer: e.Sender.ID, Thread: e.Thread, ReplyTo: e.ID}
	if out.Feedback != "" {
		r.signals.Go(func() { r.signal(to, e, out) })
	}
	if out.Direct != "" {
		r.direct(to, channel.Message{Key: keyOf(e) + ".r", Text: out.Direct})
	}
	if out.Card != nil {
		r.direct(to, channel.Message{Key: keyOf(e) + ".c", Card: out.Card})
	}
	return nil
}

const (
	// directWait is how long an event waits for its own answer before it is acknowledged: platforms allow three seconds in all.
	directWait = 1500 * time.Millisecond
	// directTimeout is how long such an answer may take.
	directTimeout = 30 * time.Second
)

// direct sends a user a message that belongs to no conversation. A slow platform does not keep the event from being
// acknowledged in time.
func (r *receiver) direct(to channel.Address, m channel.Message) {
	said := make(chan struct{})
	r.signals.Go(func() {
		defer close(said)
		ctx, cancel := context.WithTimeout(context.Background(), directTimeout)
		defer cancel()
		a, err := r.Live.Account(ctx, r.channel, r.account)
		if err == nil {
			_, err = a.Send(ctx, to, m)
		}
		if err != nil && !away(err) {
			r.Log.Warn("a person could not be told at once", "channel", channel.Name(r.channel, r.account), "error", err)
		}
	})
	select {
	case <-said:
	case <-time.After(directWait):
	}
}

// Edited changes a message that waits.
func (r *receiver) Edited(ctx context.Context, e chat.Envelope) error {
	e.Channel, e.Account = r.channel, r.account
	_, err := r.Gateway.Edit(ctx, e)
	return err
}

// Recalled takes a message back that waits.
func (r *receiver) Recalled(ctx context.Context, e chat.Envelope) error {
	e.Channel, e.Account = r.channel, r.account
	_, err := r.Gateway.Recall(ctx, e)
	return err
}

// Report stores the state of the account: changes at once, the arrival of events once a second.
func (r *receiver) Report(s channel.Status) {
	r.mu.Lock()
	changed := s.Connected != r.status.Connected || fmt.Sprint(s.Err) != fmt.Sprint(r.status.Err)
	if !changed && time.Since(r.reportedAt) < reportEvery {
		r.mu.Unlock()
		return
	}
	r.reportedAt, r.status = time.Now(), s
	r.mu.Unlock()
	problem := ""
	if s.Err != nil {
		problem = s.Err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), keepEvery)
	defer cancel()
	if err := r.States.ReportChannel(ctx, r.channel, r.account, s.Connected, s.Event, s.Lag, problem); err != nil {
		r.Log.Debug("state of a channel not written", "channel", channel.Name(r.channel, r.account), "error", err)
	}
}

func keyOf(e chat.Envelope) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{e.Channel, e.Account, e.Chat, e.Sender.ID, e.ID}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Pressed takes an answer to a question by a card.
func (r *receiver) Pressed(ctx context.Context, p channel.Press) (channel.Toast, error) {
	p.Channel, p.Account = r.channel, r.account
	return r.Gateway.Press(ctx, p), nil
}
