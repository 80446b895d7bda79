package qq

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// gateway keeps one session with the platform's stream of events.
type gateway struct {
	*Account

	to     channel.Receiver
	report channel.Reporter
	keeper keeper

	invalid int   // sessions in a row that were refused at this level
	denied  int   // tokens in a row that the gateway did not take
	signed  bool  // the connection has got its session
	tooMuch int   // connections in a row that ended with a frame that was too large
	seen    int64 // number of the last event that the connection has brought; of the reader while it reads
	stuck   stuck
}

// maxDenied is how many fresh tokens the gateway may refuse in a row.
const maxDenied = 3

// connectionEnd is how a connection ended.
type connectionEnd struct {
	err    error
	fatal  bool          // trying again cannot help
	atOnce bool          // the platform asked for a new connection
	ours   bool          // the request was refused, and the next one asks for something else
	after  time.Duration // not before
	opened time.Time     // zero: it was never opened
}

// run connects until ctx ends.
func (g *gateway) run(ctx context.Context) error {
	p := pauses{pace: g.pace}
	g.keeper.memory = g.memory
	if !g.recall(ctx, &p) {
		return nil
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	saving, stop := context.WithCancel(ctx)
	defer stop()
	wg.Go(func() { g.keeper.run(saving, g.pace.save) })
	for {
		e := g.connect(ctx)
		if ctx.Err() != nil {
			return nil
		}
		g.report.Report(channel.Status{Err: e.err})
		if e.fatal {
			return e.err
		}
		if !channel.Rest(ctx, p.next(e, time.Now())) {
			return nil
		}
	}
}

// recall loads the last session, however long that takes: a new one instead would lose the events since then. A damaged one is
// given up. It returns false if ctx has ended.
func (g *gateway) recall(ctx context.Context, p *pauses) bool {
	for {
		err := g.keeper.load(ctx, g.set)
		if err == nil {
			return true
		}
		g.report.Report(channel.Status{Err: fmt.Errorf("read the place in QQ's stream of events: %w", err)})
		if !channel.Passing(err) {
			return true
		}
		if !channel.Rest(ctx, p.next(connectionEnd{}, time.Now())) {
			return false
		}
	}
}

// pauses decides how long to wait between connections.
type pauses struct {
	pace

	last  time.Duration
	quick int // connections in a row that were cut off
}

func (p *pauses) next(e connectionEnd, now time.Time) time.Duration {
	lasted := !e.opened.IsZero() && now.Sub(e.opened) >= p.pace.quick
	if lasted {
		p.last, p.quick = 0, 0
	}
	if !e.opened.IsZero() && !lasted && !e.ours {
		p.quick++
	}
	if p.quick >= 3 {
		p.quick = 0
		return max(p.cool, e.after)
	}
	switch {
	case e.atOnce && p.quick < 2:
		return e.after
	case e.ours:
		return max(p.first, e.after)
	}
	p.last = min(max(p.last*2, p.first), p.most)
	return max(p.last, e.after)
}

// connect holds one connection until it ends.
func (g *gateway) connect(ctx context.Context) connectionEnd {
	at, err := g.address(ctx)
	if err != nil {
		return ended(err)
	}
	if g.keeper.get().ID == "" && at.Limit.Total > 0 && at.Limit.Remaining <= 0 {
		after := time.Duration(at.Limit.ResetAfter) * time.Millisecond
		return connectionEnd{after: after, err: fault.Limited(after, "QQ permits no more new sessions today; the next one in %s", after.Round(time.Second))}
	}
	socket, err := dial(ctx, at.URL)
	if err != nil {
		return ended(fault.Errorf(fault.Unavailable, "connect to QQ's gateway: %w", err))
	}
	g.signed, g.seen = false, g.keeper.get().Seq
	l := &link{gateway: g, socket: socket, opened: time.Now()}
	e := g.judge(l.serve(ctx))
	e.opened = l.opened
	return e
}

func (g *gateway) address(ctx context.Context) (address, error) {
	var at address
	err := g.call(ctx, http.MethodGet, "/gateway/bot", nil, &at)
	if r, ok := errors.AsType[*refusal](err); ok && r.class() == unclear { // of a proxy on the way, or of a new kind: it may pass
		return at, fault.Errorf(fault.Unavailable, "QQ does not say where its gateway is: %w", r)
	}
	if err != nil {
		return at, explained(err)
	}
	if at.URL == "" {
		return at, fault.Errorf(fault.Unavailable, "QQ did not say where its gateway is")
	}
	return at, nil
}

// ended returns an end before there was a connection.
func ended(err error) connectionEnd {
	kind := fault.KindOf(err)
	return connectionEnd{err: err, fatal: kind == fault.Denied || kind == fault.Invalid, after: fault.After(err)}
}

// judge decides how to continue after the end of a connection.
func (g *gateway) judge(err error) connectionEnd {
	e := connectionEnd{err: err}
	if !errors.Is(err, errTooMuch) {
		g.tooMuch = 0
	}
	closed, byFrame := errors.AsType[closing](err)
	switch {
	case errors.Is(err, errReconnect):
		e.atOnce = true
	case errors.Is(err, errInvalid):
		return g.refusedSession(err, false)
	case errors.Is(err, errTooMuch):
		g.skip()
		return e
	case byFrame:
		return g.closed(closed)
	}
	return e
}

// skip continues after an event that was too large to be read: it is the one after the last that was read. If the platform
// numbers otherwise and sends it again, the session is given up in the end.
func (g *gateway) skip() {
	if g.tooMuch++; g.tooMuch > 3 {
		g.keeper.forget()
		return
	}
	g.keeper.change(func(s *session) {
		if s.Seq == g.seen { // else some before it are not committed yet, and come first
			s.Seq++
		}
	})
}

// refusedSession handles the answer to a Resume that came too late, or to an Identify that asked for too much. The platform
// does not name the missing permission; sure means that one is missing. Without it the second refusal decides: the first
// may be a hiccup, and less would be delivered from then on.
func (g *gateway) refusedSession(err error, sure bool) connectionEnd {
	was := g.keeper.get()
	g.keeper.forget()
	if was.ID != "" && !sure {
		return connectionEnd{err: err, ours: !g.signed} // one that is taken away right after its beginning does not concern permissions
	}
	if g.invalid++; g.invalid < 2 && !sure {
		return connectionEnd{err: err, ours: true}
	}
	g.invalid = 0
	levels := g.set.levels()
	if was.Level+1 >= len(levels) {
		g.keeper.change(func(s *session) { s.Level = 0 })
		return connectionEnd{err: fault.Errorf(fault.Denied, "QQ gives this bot no events at all; tick the events of messages in q.qq.com, Development, Event subscription"), fatal: true}
	}
	g.keeper.change(func(s *session) { s.Level++ })
	return connectionEnd{ours: true, err: fault.Errorf(fault.Denied, "the bot may not receive all it asked for (%s); trying with %s", levels[was.Level].name, levels[was.Level+1].name)}
}

// closed decides by the code of the close frame.
func (g *gateway) closed(c closing) connectionEnd {
	e := connectionEnd{err: fault.Errorf(fault.Unavailable, "QQ closed the connection: %w", c)}
	switch code := c.code; {
	case code == 4004:
		g.keeper.forget()
		g.tokens.Drop(c.token)
		if g.denied++; g.denied >= maxDenied {
			return connectionEnd{fatal: true, err: fault.Errorf(fault.Denied, "QQ's gateway does not take the bot's tokens; check AppID and AppSecret: %w", c)}
		}
	case code == 4006, code == 4007, 4900 <= code && code <= 4913:
		g.keeper.forget()
	case code == 4010, code == 4011, code == 4012:
		return connectionEnd{fatal: true, err: fault.Errorf(fault.Invalid, "QQ does not serve this bot in one connection: %w", c)}
	case code == 4013, code == 4014:
		return g.refusedSession(e.err, true)
	case code == 4914:
		return connectionEnd{fatal: true, err: fault.Errorf(fault.Denied, "the bot is not published, so only the sandbox serves it; set sandbox to yes or publish it: %w", c)}
	case code == 4915:
		return connectionEnd{fatal: true, err: fault.Errorf(fault.Denied, "QQ has banned the bot; ask QQ's support: %w", c)}
	}
	return e
}
