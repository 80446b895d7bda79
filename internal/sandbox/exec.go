package sandbox

import (
	"context"
	"errors"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/runner/wire"
)

// execution is one Exec: the same request, attached again and again until the command's end is known.
type execution struct {
	runner *Runner
	req    ExecRequest
	store  string    // where the command was sent to; empty until it is first sent
	offset int64     // of the output that is still to be streamed
	sent   bool      // it may have reached the runner: from then on only the runner can say how it ended
	giveUp time.Time // when the budget of a command that was sent is used up; zero while it was not, and without a budget
}

// lateAnswer is how long after the budget an answer of the runner is still waited for. It has much to send, or the
// line is dead, undetected so far.
const lateAnswer = 10 * time.Second

// Exec attaches to a command or starts it and waits for its end, over any number of connections.
func (r *Runner) Exec(ctx context.Context, req ExecRequest) (ExecResult, error) {
	x := &execution{runner: r, req: req, store: req.StartedOn, offset: req.Offset, sent: req.StartedOn != ""}
	began := time.Now()
	if x.sent && req.Budget > 0 {
		x.giveUp = began.Add(req.Budget)
	}
	for pause := againFirst; ; pause = min(2*pause, againMost) {
		before := x.offset
		end, err := x.attach(ctx)
		if x.usedUp(ctx, err) {
			return ExecResult{State: ExecRunning, Total: x.offset}, nil
		}
		if !errors.Is(err, ErrOffline) && !errors.Is(err, ErrBroken) {
			return end, translate(r.name, err)
		}
		x.sent = x.sent || errors.Is(err, ErrBroken)
		if !x.sent && time.Since(began) > r.offlineWait {
			return ExecResult{}, r.offline() // the way looked open, but nothing went through
		}
		if x.offset > before {
			pause = againFirst // it was a good connection until then
		}
		if err := sleep(ctx, pause); err != nil {
			return ExecResult{}, err
		}
	}
}

// usedUp reports whether an attempt ended because the budget is used up and the runner cannot be asked. Only a command
// that was sent has a use for its budget; a stop of the caller comes first.
func (x *execution) usedUp(ctx context.Context, err error) bool {
	unreachable := errors.Is(err, ErrOffline) || errors.Is(err, ErrBroken) || errors.Is(err, context.DeadlineExceeded)
	return unreachable && ctx.Err() == nil && x.sent && !x.giveUp.IsZero() && !time.Now().Before(x.giveUp)
}

// within bounds an attempt by what is left of the budget and some patience.
func (x *execution) within(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	if x.giveUp.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, x.giveUp.Add(patience))
}

// attach makes one attempt.
func (x *execution) attach(ctx context.Context) (ExecResult, error) {
	info, err := x.ready(ctx)
	if err != nil {
		return ExecResult{}, err
	}
	if err := x.note(ctx, info.Store); err != nil {
		return ExecResult{}, err
	}
	if !x.sent && x.req.Budget > 0 {
		x.giveUp = time.Now().Add(x.req.Budget)
	}
	op := wire.OpExecAttach
	switch {
	case len(x.req.Secrets) > 0:
		op = wire.OpExecSecret
	case x.req.Confinement != (chat.Confinement{}):
		op = wire.OpExecNarrow
	}
	req, err := wire.NewRequest(op, wire.ExecAttach{
		ID:          string(x.req.ID),
		Command:     x.req.Command,
		Dir:         x.req.Dir,
		Env:         x.req.Env,
		TimeoutMS:   x.req.Timeout.Milliseconds(),
		BudgetMS:    x.req.Budget.Milliseconds(),
		Limit:       x.req.Limit,
		Stream:      x.req.Output != nil,
		Offset:      x.offset,
		Store:       x.store,
		Input:       x.req.Input,
		Confinement: wire.Confinement(x.req.Confinement),
		Secrets:     x.req.Secrets,
	})
	if err != nil {
		return ExecResult{}, err
	}
	ctx, cancel := x.within(ctx, lateAnswer)
	defer cancel()
	response, err := x.runner.link.Call(ctx, req, x.take)
	if err != nil {
		x.sent = x.sent || ctx.Err() != nil // it was on its way when the patience ended
		return ExecResult{}, err
	}
	var end wire.ExecEnd
	if err := response.Decode(&end); err != nil {
		return ExecResult{}, err
	}
	return resultOf(end), nil
}

// ready waits for the runner: as long as it may be offline before the command was sent, then until the budget is used
// up.
func (x *execution) ready(ctx context.Context) (wire.Info, error) {
	if !x.sent {
		return x.runner.ready(ctx, false)
	}
	ctx, cancel := x.within(ctx, 0)
	defer cancel()
	return x.runner.ready(ctx, true)
}

// note remembers the store before the first send, and has the caller remember it beyond this process.
func (x *execution) note(ctx context.Context, store string) error {
	if x.store != "" {
		return nil
	}
	if x.req.Starting != nil {
		if err := x.req.Starting(ctx, store); err != nil {
			return err
		}
	}
	x.store = store
	return nil
}

// take passes on output. After a new connection the runner continues where the last piece ended.
func (x *execution) take(p wire.Push) error {
	var piece wire.ExecOutput
	if err := p.Decode(&piece); err != nil {
		return err
	}
	if piece.Offset != x.offset {
		return wire.Errorf(wire.Internal, "output at offset %d does not follow offset %d", piece.Offset, x.offset)
	}
	x.req.Output(piece.Offset, piece.Data)
	x.offset += int64(len(piece.Data))
	return nil
}

func resultOf(end wire.ExecEnd) ExecResult {
	return ExecResult{
		State:     ExecState(end.State),
		Code:      end.Code,
		Output:    end.Output,
		Truncated: end.Truncated,
		Total:     end.Total,
		Started:   end.Started,
		Ended:     end.Ended,
		Errors:    end.Errors,
	}
}

// Feeder is a Sandbox that writes to commands with input.
type Feeder interface {
	// Feed writes to the standard input of a command. What has a key that was written before is not written again, so it may be
	// repeated, over a kill of the runner, too. It may come before Exec: then the command reads it when it starts. A command that
	// has ended is a Conflict, one that the runner does not have, or not any more, NotFound. Without data it writes nothing.
	Feed(ctx context.Context, id chat.CallID, in Input) error
}

// Input is a write to a command.
type Input struct {
	Key   string // at most wire.MaxID bytes
	Data  []byte
	Close bool   // the input ends here
	Store string // the job store that the command was sent to; empty: whichever the runner has
}

var _ Feeder = (*Runner)(nil)

// Feed writes to the standard input of a command.
func (r *Runner) Feed(ctx context.Context, id chat.CallID, in Input) error {
	return r.send(ctx, wire.OpExecWrite, wire.ExecWrite{ID: string(id), Key: in.Key, Data: in.Data, Close: in.Close, Store: in.Store})
}

// Release makes the runner delete the record of a command.
func (r *Runner) Release(ctx context.Context, id chat.CallID) error {
	return r.send(ctx, wire.OpExecRelease, wire.ExecID{ID: string(id)})
}

// ReadOutput returns a part of what a command wrote, at most wire.MaxChunk bytes of it.
func (r *Runner) ReadOutput(ctx context.Context, id chat.CallID, offset, limit int64) (FileData, error) {
	part, err := ask[wire.ReadResult](ctx, r, wire.OpExecOutput, wire.ExecOutputRead{ID: string(id), Offset: offset, Limit: limit})
	if err == nil && (part.Size < 0 || int64(len(part.Data)) > limit) { // it may be any program
		err = fault.Errorf(fault.Invalid, "runner %s answered %d bytes of %d where at most %d were asked for", r.name, len(part.Data), part.Size, limit)
	}
	if err != nil {
		return FileData{}, err
	}
	return FileData{Data: part.Data, Size: part.Size}, nil
}
