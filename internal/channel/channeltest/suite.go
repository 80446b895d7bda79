package channeltest

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/channel"
	"xbot/internal/chat"
)

// Claim is one promise of the port.
type Claim struct {
	Name  string
	needs []Ability
	check func(b *bench)
}

// Run tries every claim on a platform. Claims that need abilities the platform lacks are skipped with the reason.
func Run(t *testing.T, p Platform) {
	t.Helper()
	for _, c := range Claims() {
		t.Run(c.Name, func(t *testing.T) {
			for _, need := range c.needs {
				if why, lacks := p.Lacks[need]; lacks {
					t.Skipf("the platform has no %s: %s", need, why)
				}
			}
			leaks := []goleak.Option{goleak.IgnoreCurrent()}
			for _, f := range p.Leaves {
				leaks = append(leaks, goleak.IgnoreAnyFunction(f))
			}
			t.Cleanup(func() {
				if !t.Failed() {
					goleak.VerifyNone(t, leaks...)
				}
			})
			c.Try(t, p)
		})
	}
}

// Claims returns all claims, in an order useful for a new adapter.
func Claims() []Claim {
	return slices.Concat(accountClaims, receiveClaims, durableClaims, connectionClaims, sendClaims, outcomeClaims, fileClaims, abilityClaims, cardClaims)
}

// Try tries the claim on a fresh emulator.
func (c Claim) Try(t testing.TB, p Platform) {
	t.Helper()
	b := &bench{TB: t, Platform: p, Emulator: p.Start(t), patience: cmp.Or(p.Patience, 15*time.Second)}
	c.check(b)
	require.Empty(b, b.Broken(), "the platform would not have understood or trusted this")
}

// bench is the environment of one claim.
type bench struct {
	testing.TB
	Platform
	Emulator

	patience time.Duration
}

// has reports whether the platform has an ability.
func (b *bench) has(a Ability) bool {
	_, lacks := b.Lacks[a]
	return !lacks
}

// within returns a context for one call.
func (b *bench) within() context.Context {
	ctx, cancel := context.WithTimeout(b.Context(), b.patience)
	b.Cleanup(cancel)
	return ctx
}

// wait waits until something holds.
func (b *bench) wait(holds func() bool, what string, args ...any) {
	b.Helper()
	late := time.NewTimer(b.patience)
	defer late.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-late.C:
			require.FailNow(b, "waited in vain", append([]any{what}, args...)...)
		}
	}
}

// places returns the places that the platform has.
func (b *bench) places() []Where {
	places := []Where{Direct}
	if b.has(Groups) {
		places = append(places, Group)
		if b.has(Threads) {
			places = append(places, Thread)
		}
	}
	return places
}

// process is an account that receives.
type process struct {
	*receiver
	b       *bench
	account channel.Account
	cancel  context.CancelFunc
	done    chan error
}

// run starts an account of the emulator and waits until it is connected.
func (b *bench) run() *process {
	b.Helper()
	return b.runOn(b.Emulator)
}

func (b *bench) runOn(e Emulator) *process {
	b.Helper()
	p := b.start(e.Open(b))
	b.wait(func() bool { return p.connected() && e.Connected() > 0 }, "the account did not connect and report it")
	return p
}

// start makes an account receive until the test ends.
func (b *bench) start(a channel.Account) *process {
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	p := &process{b: b, account: a, cancel: cancel, done: done, receiver: &receiver{channel: b.Channel}}
	go func() { done <- a.Run(ctx, p.receiver, p.receiver) }()
	b.Cleanup(func() {
		p.stop()
		require.Empty(b, p.malformed(), "envelopes that the gateway would refuse")
	})
	return p
}

// stop ends the account and returns how Run ended; a second stop does nothing.
func (p *process) stop() {
	p.b.Helper()
	p.cancel()
	if p.done == nil {
		return
	}
	done := p.done
	p.done = nil
	select {
	case err := <-done:
		require.NoError(p.b, err, "Run returns nil when its context ends")
	case <-time.After(p.b.patience):
		require.FailNow(p.b, "Run did not end with its context")
	}
}

// ended waits for Run to end unasked.
func (p *process) ended() error {
	p.b.Helper()
	done := p.done
	p.done = nil
	select {
	case err := <-done:
		return err
	case <-time.After(p.b.patience):
		p.cancel()
		require.FailNow(p.b, "Run went on although trying again cannot help")
		return nil
	}
}

// arrive writes as a person and waits for the envelope.
func (p *process) arrive(w Written) (chat.Envelope, string) {
	p.b.Helper()
	before := len(p.received())
	id := p.b.Write(w)
	p.b.wait(func() bool { return len(p.received()) > before }, "what %q wrote in the %s did not arrive", w.Text, w.Where)
	return p.received()[before], id
}

// hear waits for an envelope with a text.
func (p *process) hear(text string) chat.Envelope {
	p.b.Helper()
	var found chat.Envelope
	p.b.wait(func() bool {
		i := slices.IndexFunc(p.received(), func(e chat.Envelope) bool { return e.Text == text })
		if i >= 0 {
			found = p.received()[i]
		}
		return i >= 0
	}, "%q did not arrive", text)
	return found
}

// answerTo returns the place of an answer to an envelope, as the product makes it.
func answerTo(e chat.Envelope) channel.Address {
	return channel.Address{ChatType: e.ChatType, Chat: e.Chat, Peer: e.Sender.ID, Thread: e.Thread, ReplyTo: e.ID}
}

// say writes as person 0 would, so that the bot is addressed.
func say(in Where, text string) Written {
	return Written{Where: in, Text: text, Mention: in != Direct}
}
