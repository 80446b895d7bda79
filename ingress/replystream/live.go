package replystream

import (
	"context"
	"encoding/json"

	"xbot/internal/chat"
)

// draft is how much of a step the reader got while it is written, in bytes.
type draft struct {
	step, attempt   int
	text, reasoning int
	tool            string
	arguments       map[chat.CallID]int
}

// misses reports whether there is a gap before a piece.
func (t draft) misses(d chat.Delta) bool {
	return d.Offset > t.text || d.ReasoningOffset > t.reasoning || d.ArgumentsOffset > t.arguments[d.Call]
}

// Live yields a piece of the current output of the model, unless its step was sent whole.
func (f *follower) Live(ctx context.Context, e chat.Event) error {
	if e.Kind != chat.EventDelta {
		return nil
	}
	var d chat.Delta
	if json.Unmarshal(e.Data, &d) != nil {
		return nil // of a newer server
	}
	return f.delta(ctx, d)
}

// delta yields a piece, after the durable events that precede it.
func (f *follower) delta(ctx context.Context, d chat.Delta) error {
	if d.Turn == f.foreign {
		return nil
	}
	if d.Turn != f.turn || d.Step != f.draft.step { // rows came before it that were not read yet: its turn, or the steps before
		if err := f.events.Rows(ctx); err != nil {
			return err
		}
		if d.Turn != f.turn {
			f.foreign = d.Turn
			return nil
		}
	}
	return f.piece(d)
}

// piece yields the part of a piece that the reader does not have. It leaves out a piece behind a gap: the live output may close it, else the
// message of the step brings the whole.
func (f *follower) piece(d chat.Delta) error {
	if !f.current(d) {
		return nil
	}
	if d.Step != f.draft.step || d.Attempt > f.draft.attempt {
		if err := f.restart(d.Step); err != nil {
			return err
		}
		f.draft = draft{step: d.Step, attempt: d.Attempt}
	}
	if f.draft.misses(d) {
		if now := f.events.Sub.Writing(); len(now) > 0 && now[0].Turn == f.turn && now[0].Step == d.Step && now[0].Attempt == d.Attempt {
			return f.pieces(now)
		}
	}
	return f.pieces([]chat.Delta{d})
}

func (f *follower) pieces(all []chat.Delta) error {
	for _, d := range all {
		if err := f.fresh(d); err != nil {
			return err
		}
	}
	return nil
}

// fresh yields the part of a piece that follows what the reader has.
func (f *follower) fresh(d chat.Delta) error {
	if fresh := unknown(d.Reasoning, d.ReasoningOffset, f.draft.reasoning); fresh != "" {
		f.draft.reasoning += len(fresh)
		if err := f.write(Reasoning{d.Step, fresh}); err != nil {
			return err
		}
	}
	if fresh := unknown(d.Text, d.Offset, f.draft.text); fresh != "" {
		f.draft.text += len(fresh)
		if err := f.write(Text{d.Step, fresh}); err != nil {
			return err
		}
	}
	if d.ToolName != "" && d.ToolName != f.draft.tool {
		f.draft.tool = d.ToolName
		if err := f.write(Writing{d.Step, d.ToolName}); err != nil {
			return err
		}
	}
	told := f.draft.arguments[d.Call]
	if fresh := unknown(d.Arguments, d.ArgumentsOffset, told); fresh != "" {
		if f.draft.arguments == nil {
			f.draft.arguments = map[chat.CallID]int{}
		}
		f.draft.arguments[d.Call] = told + len(fresh)
		return f.write(Arguments{Step: d.Step, ID: d.Call, Tool: d.ToolName, Offset: told, Piece: fresh})
	}
	return nil
}

// unknown returns the end of a piece that begins at an offset, for a reader that has told bytes; empty: none, or there is a gap.
func unknown(piece string, offset, told int) string {
	if offset > told || offset+len(piece) <= told {
		return ""
	}
	return piece[told-offset:]
}

// current reports whether a piece is of a step that the reader did not get whole, by an attempt that was not given up.
func (f *follower) current(d chat.Delta) bool {
	if d.Turn != f.turn || d.Step <= f.step || d.Step < f.draft.step {
		return false
	}
	return d.Step != f.draft.step || d.Attempt >= f.draft.attempt
}

// write yields a piece. Before the first one a reader with a cursor gets Restart: its pieces of this step, if any, are void.
func (f *follower) write(what Content) error {
	if f.void {
		f.void = false
		if err := f.emit(0, Restart{f.draft.step}); err != nil {
			return err
		}
	}
	f.streamed = true
	return f.emit(0, what)
}

// restart voids the pieces of the step that is being written, if the reader got any.
func (f *follower) restart(step int) error {
	if !f.streamed || step != f.draft.step {
		f.streamed = false
		return nil
	}
	f.streamed, f.void = false, false
	return f.emit(0, Restart{step})
}
