package qq

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/channel"
)

// stuck is the event that the receiver could not take, over all connections that brought it.
type stuck struct {
	session string
	seq     int64
	since   time.Time
}

// deliver passes an event to the receiver until it is committed. An event that the receiver calls malformed, or fails at for
// longer than patience permits, is passed over: the events behind it would wait forever. While the receiver accepts no event
// at all, it waits. An error means that it was not accepted before ctx or the connection ended, which brings it again.
func (g *gateway) deliver(ctx context.Context, gone <-chan struct{}, f frame) error {
	pause := g.pace.retry
	for {
		at, err := g.dispatch(ctx, g.to, f)
		switch {
		case err == nil:
			if !at.IsZero() {
				g.report.Report(channel.Status{Connected: true, Event: time.Now(), Lag: max(0, time.Since(at))})
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case channel.Refused(err):
			g.report.Report(channel.Status{Connected: true, Event: time.Now(), Err: fmt.Errorf("an event was passed over: %w", err)})
			return nil
		case g.waited(f) > g.pace.patience && !channel.Passing(err):
			g.report.Report(channel.Status{Connected: true, Event: time.Now(), Err: fmt.Errorf("an event was passed over after %s: %w", g.pace.patience, err)})
			return nil
		}
		select {
		case <-gone:
			return err
		case <-time.After(pause):
		}
		pause = min(pause*2, 25*g.pace.retry)
	}
}

// waited returns how long an event has been failing.
func (g *gateway) waited(f frame) time.Duration {
	s := g.keeper.get()
	if g.stuck.session != s.ID || g.stuck.seq != f.Seq {
		g.stuck = stuck{session: s.ID, seq: f.Seq, since: time.Now()}
	}
	return time.Since(g.stuck.since)
}
