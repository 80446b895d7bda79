package onebot

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/fault"
)

// serve processes the events of a connection until it or ctx ends, and returns why it ended. Actions is the connection that
// takes actions, nil if another one is to come. The caller closes c.
func (a *account) serve(ctx context.Context, c, actions *conn, to channel.Receiver, report channel.Reporter) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { c.end(errClosed) })
	defer stop()
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	watch.Go(func() {
		select {
		case <-c.done:
			cancel()
		case <-ctx.Done():
		}
	})
	if actions == nil {
		var err error
		if actions, err = a.actions(ctx); err != nil {
			return err
		}
	}
	if _, err := a.whoami(ctx, actions); err != nil {
		return cmp.Or(c.reason(), err) // the reason comes first: err follows from it
	}
	if actions == c {
		a.link.Store(c)
		defer a.link.CompareAndSwap(c, nil)
	}
	in := &intake{account: a, c: c, to: to, report: report}
	in.run(ctx)
	return c.reason()
}

// intake processes the events of one connection.
type intake struct {
	*account
	c      *conn
	to     channel.Receiver
	report channel.Reporter
	lanes  [laneCount]chan *event
	away   bool // QQ is, although NapCat is there
}

// laneCount is how many chats are processed at once. The events of a chat are in one lane, in order.
const laneCount = 8

// laneLength is how many events may wait in a lane; more of them wait in the connection.
const laneLength = 256

func (in *intake) run(ctx context.Context) {
	var lanes sync.WaitGroup
	for i := range in.lanes {
		lane := make(chan *event, laneLength)
		in.lanes[i] = lane
		lanes.Go(func() {
			for {
				select {
				case e := <-lane:
					in.take(ctx, e)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	err := in.catchUp(ctx)
	if err == nil && ctx.Err() == nil {
		in.report.Report(channel.Status{Connected: true})
		in.listen(ctx)
	}
	in.c.end(cmp.Or(err, errClosed))
	in.c.loops.Wait()
	lanes.Wait()
	in.leave()
	_ = in.marks.save(ctx, in.resources.Memory, true) // an older mark costs repetitions only
}

// leave records events that came and were not processed, so that they are looked up.
func (in *intake) leave() {
	for {
		select {
		case e := <-in.c.events:
			if e.PostType == "message" {
				in.marks.begin(e)
			}
		default:
			return
		}
	}
}

func (in *intake) listen(ctx context.Context) {
	for {
		select {
		case e := <-in.c.events:
			in.route(ctx, e)
		case <-ctx.Done():
			return
		case <-in.c.done:
			return
		}
	}
}

// route gives an event to the lane of its chat. Events about the account and the bot's own messages are processed at once.
func (in *intake) route(ctx context.Context, e *event) {
	switch e.PostType {
	case "meta_event":
		in.pulse(e)
	case "message":
		in.marks.begin(e)
		in.lane(ctx, e)
	case "notice":
		if e.NoticeType == "bot_offline" {
			in.setAway(true)
			return
		}
		in.lane(ctx, e)
	case "message_sent":
		in.met.put(e.place(), e.MessageID, metEntry{id: messageID(e.place(), e.MessageID, e.Time), self: true})
	}
}

func (in *intake) lane(ctx context.Context, e *event) {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(e.place())) // it never fails
	select {
	case in.lanes[sum.Sum32()%laneCount] <- e:
	case <-ctx.Done():
	}
}

// pulse looks at a heartbeat: whether the QQ client under NapCat is signed in.
func (in *intake) pulse(e *event) {
	var h wire.Health
	if e.MetaType != "heartbeat" || json.Unmarshal(e.Status, &h) != nil {
		return
	}
	in.setAway(h.Down())
}

// setAway reports a change.
func (in *intake) setAway(away bool) {
	if in.away == away {
		return
	}
	in.away = away
	if away {
		in.report.Report(channel.Status{Err: fault.Errorf(fault.Unavailable, "NapCat is connected, but its QQ account is offline: sign in again in NapCat")})
		return
	}
	in.report.Report(channel.Status{Connected: true})
}

// take processes one event, and does not give it up during an outage: the protocol will not repeat it.
func (in *intake) take(ctx context.Context, e *event) {
	if !in.insist(ctx, func() error { return in.handle(ctx, e) }) {
		return
	}
	in.marks.done(e)
	if e.settled != nil {
		e.settled()
	}
	_ = in.marks.save(ctx, in.resources.Memory, false) // an older mark costs repetitions only
}

// Pauses between the attempts at an event that is not accepted.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 10 * time.Second
)

// insist repeats f until it succeeds or cannot, and reports whether the event is done with.
func (in *intake) insist(ctx context.Context, f func() error) bool {
	pause, began := firstPause, time.Now()
	for {
		err := f()
		switch {
		case err == nil:
			return true
		case channel.Refused(err), !channel.Passing(err) && ctx.Err() == nil && time.Since(began) > in.patience:
			in.report.Report(channel.Status{Connected: true, Event: time.Now(), Err: fmt.Errorf("an event was passed over: %w", err)})
			return true
		case ctx.Err() != nil || !channel.Rest(ctx, pause):
			return false
		}
		pause = min(2*pause, lastPause)
	}
}

func (in *intake) handle(ctx context.Context, e *event) error {
	switch {
	case e.PostType == "notice":
		return in.notice(ctx, e)
	case e.UserID == in.who() || e.UserID == "" || e.MessageID == "":
		return nil // the bot's own, or nothing that could be answered
	}
	envelope, ok := in.envelope(ctx, e)
	if !ok {
		return nil
	}
	if err := in.to.Receive(ctx, envelope); err != nil {
		return err
	}
	if e.settled != nil {
		return nil // it is connected once it has caught up
	}
	now := time.Now()
	in.report.Report(channel.Status{Connected: true, Event: now, Lag: max(0, now.Sub(envelope.SentAt))})
	return nil
}
