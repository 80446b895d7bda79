// Package channels receives from platforms: it runs the accounts that are configured, each in one ingress at a time, and
// hands what arrives to the gateway. It has no state that another ingress would need.
package channels

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"xbot/ingress/gateway"
	"xbot/internal/channel"
	"xbot/internal/chat"
)

const (
	// lookEvery is how soon a change of the configuration takes effect.
	lookEvery = time.Second
	// lease is how long a connection belongs to an ingress that does not renew it.
	lease = 15 * time.Second
	// keepEvery is how often a lease is renewed.
	keepEvery = 5 * time.Second
	// againAfter is when an account that cannot work is tried again: the fault may be fixed on the platform.
	againAfter = 10 * time.Minute
	// reportEvery bounds how often the arrival of events is written down.
	reportEvery = time.Second
)

// Gateway accepts what arrives.
type Gateway interface {
	Receive(ctx context.Context, e chat.Envelope) (gateway.Outcome, error)
	Edit(ctx context.Context, e chat.Envelope) (bool, error)
	Recall(ctx context.Context, e chat.Envelope) (bool, error)
	// Press accepts an answer by a card, within the platform's time limit, and returns the reply to its sender.
	Press(ctx context.Context, p channel.Press) channel.Toast
}

// States records which process runs an account, the state of the account, and its progress updates.
type States interface {
	channel.Signs
	HoldChannel(ctx context.Context, channel, account, holder string, lease time.Duration) (bool, error)
	ReleaseChannel(ctx context.Context, channel, account, holder string) error
	ReportChannel(ctx context.Context, channel, account string, connected bool, event time.Time, lag time.Duration, problem string) error
}

// AccountRunner runs the receiving sides of accounts.
type AccountRunner struct {
	Live    *channel.Live
	Gateway Gateway
	States  States
	Holder  string // names this ingress
	Log     *slog.Logger
	// Addresses returns the address of a call; nil: addresses are unknown and not limited.
	Addresses interface{ Address(r *http.Request) string }

	bodies  bodies
	running map[[2]string]*run
	signals sync.WaitGroup // signs of reception on their way
}

// run is an account that this ingress runs, or would if another one did not.
type run struct {
	revision int64
	stop     context.CancelFunc
	done     chan struct{}
}

// Run runs the configured accounts until ctx ends.
func (d *AccountRunner) Run(ctx context.Context) error {
	d.running = map[[2]string]*run{}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	defer d.signals.Wait()
	defer d.stopAll()
	for {
		if err := d.look(ctx); err != nil && ctx.Err() == nil {
			d.Log.Warn("channels not read, trying again each second", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// look starts new accounts and stops those that are gone or were changed.
func (d *AccountRunner) look(ctx context.Context) error {
	known, err := d.Live.Accounts(ctx)
	if err != nil {
		return err
	}
	wanted := map[[2]string]int64{}
	for _, c := range known {
		if c.Enabled {
			wanted[[2]string{c.Channel, c.Account}] = c.Revision
		}
	}
	for id, r := range d.running {
		if revision, ok := wanted[id]; ok && revision == r.revision {
			continue
		}
		r.stop()
		select {
		case <-r.done:
			delete(d.running, id)
		default: // the next round tries it again: the others do not wait for it
		}
	}
	for id, revision := range wanted {
		if d.running[id] == nil {
			d.running[id] = d.begin(ctx, id[0], id[1], revision)
		}
	}
	return nil
}

func (d *AccountRunner) begin(ctx context.Context, name, account string, revision int64) *run {
	ctx, stop := context.WithCancel(ctx)
	r := &run{revision: revision, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		d.hold(ctx, name, account)
	}()
	return r
}

func (d *AccountRunner) stopAll() {
	for _, r := range d.running {
		r.stop()
	}
	for _, r := range d.running {
		<-r.done
	}
}

// hold runs an account whenever this ingress holds it.
func (d *AccountRunner) hold(ctx context.Context, name, account string) {
	for ctx.Err() == nil {
		mine, err := d.States.HoldChannel(ctx, name, account, d.Holder, lease)
		if err == nil && mine {
			d.serve(ctx, name, account)
		}
		channel.Rest(ctx, keepEvery)
	}
}

// serve runs an account until it ends or belongs to another.
func (d *AccountRunner) serve(ctx context.Context, name, account string) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var keeping sync.WaitGroup
	keeping.Go(func() {
		defer stop()
		d.keep(ctx, name, account)
	})
	receiver := d.receiver(name, account)
	a, err := d.Live.Account(ctx, name, account)
	if err == nil {
		err = a.Run(ctx, receiver, receiver)
	}
	switch {
	case err == nil || ctx.Err() != nil:
	case channel.IsAbsent(err): // the next round looks again
		receiver.Report(channel.Status{Err: err})
	default:
		d.Log.Error("channel does not work", "channel", channel.Name(name, account), "error", err, "again_in", againAfter)
		receiver.Report(channel.Status{Err: err})
		channel.Rest(ctx, againAfter) // or a change of the settings, or the end
	}
	stop()
	keeping.Wait()
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepEvery)
	defer cancel()
	if err := d.States.ReleaseChannel(settle, name, account, d.Holder); err != nil {
		d.Log.Debug("channel not released, its lease ends by itself", "channel", channel.Name(name, account), "error", err)
	}
}

// keep renews the lease until ctx ends, another ingress has it, or it could not be renewed for as long as it holds.
func (d *AccountRunner) keep(ctx context.Context, name, account string) {
	kept := time.Now()
	for {
		channel.Rest(ctx, keepEvery)
		if ctx.Err() != nil {
			return
		}
		mine, err := d.States.HoldChannel(ctx, name, account, d.Holder, lease)
		if err == nil && mine {
			kept = time.Now()
		}
		if err == nil && !mine || time.Since(kept) > lease {
			d.Log.Warn("channel is held by another ingress now", "channel", channel.Name(name, account))
			return
		}
	}
}

// away reports whether the end of a context is the reason of an error.
func away(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
