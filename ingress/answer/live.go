package answer

import (
	"context"
	"encoding/json"

	"xbot/internal/chat"
)

// draft is how much of a step the reader has been told while it is written, in bytes.
type draft struct {
	step, attempt   int
	text, reasoning int
	tool            string
}

// live tells a piece of what the model writes now, unless it was told as a whole.
func (f *follower) live(ctx context.Context, e chat.Event) error {
	if e.Kind != chat.EventDelta {
		return nil
	}
	var d chat.Delta
	if json.Unmarshal(e.Data, &d) != nil {
		return nil // of a newer server
	}
	if d.Turn == f.foreign {
		return nil
	}
	if d.Turn != f.turn || d.Step != f.draft.step { // rows came before it that were not read yet: its turn, or the steps before
		if err := f.durable(ctx); err != nil {
			return err
		}
		if d.Turn != f.turn {
			f.foreign = d.Turn
			return nil
		}
	}
	return f.piece(d)
}

// piece tells what the reader does not know of a piece. What comes behind a gap is left out: what is live now may close it, else the message
// of the step brings the whole.
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
	if d.Offset > f.draft.text || d.ReasoningOffset > f.draft.reasoning {
		if now, _ := f.sub.Now(); now != nil && now.Turn == f.turn && now.Step == d.Step && now.Attempt == d.Attempt {
			d = *now
		}
	}
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
		return f.write(Writing{d.Step, d.ToolName})
	}
	return nil
}

// unknown returns the end of a piece that begins at an offset, of which a reader has been told so many bytes; empty: none, or there is a gap.
func unknown(piece string, offset, told int) string {
	if offset > told || offset+len(piece) <= told {
		return ""
	}
	return piece[told-offset:]
}

// current reports whether a piece is of a step that the reader was not told as a whole, by an attempt that was not given up.
func (f *follower) current(d chat.Delta) bool {
	if d.Turn != f.turn || d.Step <= f.step || d.Step < f.draft.step {
		return false
	}
	return d.Step != f.draft.step || d.Attempt >= f.draft.attempt
}

// write tells a piece. Before the first one a reader with a cursor is told that pieces of this step which it may have are void.
func (f *follower) write(what What) error {
	if f.void {
		f.void = false
		if err := f.tell(0, Restart{f.draft.step}); err != nil {
			return err
		}
	}
	f.told = true
	return f.tell(0, what)
}

// restart says that the pieces of the step that is being written are void, if the reader was told any.
func (f *follower) restart(step int) error {
	if !f.told || step != f.draft.step {
		f.told = false
		return nil
	}
	f.told, f.void = false, false
	return f.tell(0, Restart{step})
}
