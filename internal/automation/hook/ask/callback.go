package ask

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"xbot/internal/automation/hook"
	"xbot/internal/fault"
)

// Func is a function that a hook can name. It ends with its context.
type Func func(ctx context.Context, q hook.Question) (hook.Answer, error)

// Callbacks are the functions by name. A build can add more here.
type Callbacks map[string]Func

var _ hook.Asker = Callbacks{}

// Standard returns the functions that come with the program.
func Standard(log *slog.Logger) Callbacks { return Callbacks{"log": logs(log), "timing": timing(log)} }

// Names lists the names of the functions.
func (c Callbacks) Names() []string { return slices.Sorted(maps.Keys(c)) }

// Ask implements hook.Asker. A function that panics has failed.
func (c Callbacks) Ask(ctx context.Context, h hook.Handler, q hook.Question) (answer hook.Answer, err error) {
	fn, ok := c[h.Callback]
	if !ok {
		return hook.Answer{}, fault.Errorf(fault.Invalid, "there is no function %q", h.Callback)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fault.Errorf(fault.Internal, "%s panics: %v", h.Callback, r)
		}
	}()
	return fn(ctx, q)
}

// logs writes a line for each event, without the text of users.
func logs(log *slog.Logger) Func {
	return func(_ context.Context, q hook.Question) (hook.Answer, error) {
		p := q.Payload
		log.Info("hook", "event", p.Event, "id", p.ID, "session", p.Session, "turn", p.Turn, "tool", p.ToolName, "trigger", p.Trigger)
		return hook.Answer{}, nil
	}
}

// timing logs the duration of tool calls.
func timing(log *slog.Logger) Func {
	return func(_ context.Context, q hook.Question) (hook.Answer, error) {
		p := q.Payload
		for _, r := range p.Results {
			log.Info("tool timing", "session", p.Session, "turn", p.Turn, "tool", r.Tool, "ms", r.Elapsed, "ok", r.Success)
		}
		if p.ToolName != "" {
			log.Info("tool timing", "session", p.Session, "turn", p.Turn, "tool", p.ToolName, "ms", p.Elapsed, "ok", p.Failure == "")
		}
		return hook.Answer{}, nil
	}
}
