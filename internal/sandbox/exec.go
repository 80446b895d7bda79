package sandbox

import (
	"context"
	"errors"
	"time"

	"xbot/internal/chat"
	"xbot/runner/wire"
)

// execution is one Exec: the same request, attached again and again until the command's end is known.
type execution struct {
	runner *Runner
	req    ExecRequest
	store  string // where the command was sent to; empty until it is first sent
	offset int64  // of the output that is still to be streamed
	sent   bool   // it may have reached the runner: from then on only the runner can say how it ended
}

// Exec attaches to a command or starts it and waits for its end, over any number of connections.
func (r *Runner) Exec(ctx context.Context, req ExecRequest) (ExecResult, error) {
	x := &execution{runner: r, req: req, store: req.StartedOn, offset: req.Offset, sent: req.StartedOn != ""}
	began := time.Now()
	for pause := againFirst; ; pause = min(2*pause, againMost) {
		before := x.offset
		end, err := x.attach(ctx)
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

// attach makes one attempt.
func (x *execution) attach(ctx context.Context) (ExecResult, error) {
	info, err := x.runner.ready(ctx, x.sent)
	if err != nil {
		return ExecResult{}, err
	}
	if err := x.note(ctx, info.Store); err != nil {
		return ExecResult{}, err
	}
	req, err := wire.NewRequest(wire.OpExecAttach, wire.ExecAttach{
		ID:        string(x.req.ID),
		Command:   x.req.Command,
		Dir:       x.req.Dir,
		Env:       x.req.Env,
		TimeoutMS: x.req.Timeout.Milliseconds(),
		BudgetMS:  x.req.Budget.Milliseconds(),
		Limit:     x.req.Limit,
		Stream:    x.req.Output != nil,
		Offset:    x.offset,
		Store:     x.store,
	})
	if err != nil {
		return ExecResult{}, err
	}
	response, err := x.runner.link.Call(ctx, req, x.take)
	if err != nil {
		return ExecResult{}, err
	}
	var end wire.ExecEnd
	if err := response.Decode(&end); err != nil {
		return ExecResult{}, err
	}
	return resultOf(end), nil
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

// take passes on output. After a new connection the runner goes on where the last piece ended.
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
	}
}

// Kill ends a command, or keeps it from ever starting.
func (r *Runner) Kill(ctx context.Context, id chat.CallID) error {
	return r.tell(ctx, wire.OpExecKill, wire.ExecID{ID: string(id)})
}

// Release lets the runner forget a command.
func (r *Runner) Release(ctx context.Context, id chat.CallID) error {
	return r.tell(ctx, wire.OpExecRelease, wire.ExecID{ID: string(id)})
}

// ReadOutput returns a part of what a command wrote, at most wire.MaxChunk bytes of it.
func (r *Runner) ReadOutput(ctx context.Context, id chat.CallID, offset, limit int64) (FileData, error) {
	part, err := ask[wire.ReadResult](ctx, r, wire.OpExecOutput, wire.ExecOutputRead{ID: string(id), Offset: offset, Limit: limit})
	return FileData{Data: part.Data, Size: part.Size}, err
}
