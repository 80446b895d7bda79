package delivery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"xbot/internal/channel"
	report "xbot/internal/channel/progress" // this package has a type progress
	"xbot/internal/chat"
)

// maxCard is how long the text of a card is at most, in characters, where the platform does not permit less.
const maxCard = 6000

// text returns the current text of a card, in the language of the turn, which may change while it runs.
func (s *followState) text(ctx context.Context, c chat.TurnProgress, now time.Time, t channel.Traits) (string, error) {
	lang, err := s.Turns.TurnLang(ctx, s.turn)
	if err != nil {
		return "", err
	}
	shown := report.Show(lang, s.report(c, now), now, min(maxCard, t.MaxText)-len(c.Turn.ID))
	return "**" + shown.Title + "**\n" + shown.Text, nil
}

// report returns what is known of the turn now.
func (s *followState) report(c chat.TurnProgress, now time.Time) report.Turn {
	p := report.Turn{State: c.Turn.State, Started: c.Turn.StartedAt, Calls: c.Calls, Todos: c.Todos, Waits: c.Turn.Waits}
	if c.Turn.EndedAt != nil {
		p.Ended = *c.Turn.EndedAt
	}
	delta, outputs := s.watch.Now()
	p.Output = printed(outputs, c.Calls)
	if delta != nil && delta.Turn == c.Turn.ID {
		p.Doing, p.Writing = delta.Doing, written(*delta, c.Calls)
	}
	if again := c.Retry; again != nil && (delta == nil || delta.Step != again.Step || delta.Attempt <= again.Failed) {
		p.Retry, p.Writing = again, "" // what was written before is void
	}
	p.Heard = s.noteProgress(now, c, delta, outputs)
	return p
}

// written returns the text of a step that was not committed yet. A text whose beginning this process has not received is not
// shown.
func written(d chat.Delta, calls []chat.ToolCall) string {
	committed := slices.ContainsFunc(calls, func(call chat.ToolCall) bool {
		_, step, _, ok := call.ID.Split()
		return ok && step >= d.Step
	})
	if d.Offset != 0 || committed {
		return ""
	}
	return d.Text
}

// printed returns the output of the newest command that runs.
func printed(outputs []chat.Output, calls []chat.ToolCall) string {
	for _, call := range slices.Backward(calls) {
		if call.State != chat.CallRunning {
			continue
		}
		for _, o := range outputs {
			if o.Call == call.ID {
				return o.Text
			}
		}
	}
	return ""
}

// noteProgress returns when the turn gave its newest sign of life.
func (s *followState) noteProgress(now time.Time, c chat.TurnProgress, delta *chat.Delta, outputs []chat.Output) time.Time {
	var b strings.Builder
	fmt.Fprint(&b, len(c.Calls), len(c.Todos))
	if c.Retry != nil {
		fmt.Fprint(&b, " ", c.Retry.Attempt)
	}
	for _, call := range c.Calls {
		b.WriteString(string(call.State))
	}
	if delta != nil {
		fmt.Fprint(&b, " ", delta.Step, delta.Attempt, delta.Offset+len(delta.Text), delta.ReasoningOffset+len(delta.Reasoning))
	}
	for _, o := range outputs {
		fmt.Fprint(&b, " ", o.Offset+int64(len(o.Text)))
	}
	sign := b.String()
	if sign != s.sign {
		s.sign, s.heard = sign, now
	}
	return s.heard
}

// fold returns the text of a turn's card next to its answer.
func (s *followState) fold(ctx context.Context, c chat.TurnProgress) (line, calls string, err error) {
	lang, err := s.Turns.TurnLang(ctx, s.turn)
	if err != nil {
		return "", "", err
	}
	p := report.Turn{State: c.Turn.State, Started: c.Turn.StartedAt, Calls: c.Calls}
	if c.Turn.EndedAt != nil {
		p.Ended = *c.Turn.EndedAt
	}
	line, calls = report.Fold(lang, p, time.Now())
	return line, calls, nil
}
