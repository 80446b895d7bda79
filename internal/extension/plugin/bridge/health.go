package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
)

const (
	// failing is the number of crashes in a row after which administrators are informed.
	failing = 3
	// pauseFirst and pauseMost are the pause of a plugin after its second crash in a row, and the longest one.
	pauseFirst = time.Second
	pauseMost  = 5 * time.Minute
	// noteTime limits the note in the database.
	noteTime = 5 * time.Second
)

// health is the recent health of a plugin. It is guarded by the mu of the bridge.
type health struct {
	revision int64
	crashes  int       // in a row
	next     time.Time // when it may be started again
	why      string    // of the last one
	noted    bool      // administrators are informed
}

// pause returns an error if a plugin cannot be started now, or nil if it can. The caller holds mu.
func (b *Bridge) pause(one installed.Plugin) error {
	h := b.health[one.Plugin.ID]
	if h == nil || h.revision != one.Revision {
		return nil
	}
	if wait := time.Until(h.next); wait > 0 {
		return fault.Errorf(fault.Unavailable, "the plugin %s has failed %d times in a row (%s); it is started again in %s", one.Plugin.ID, h.crashes, h.why, wait.Round(time.Second))
	}
	return nil
}

// crashed counts an unexpected end of a process. Administrators also read its output.
func (b *Bridge) crashed(one installed.Plugin, why, wrote string) {
	if b.trial != nil {
		return // its installer reports it
	}
	b.mu.Lock()
	h := b.health[one.Plugin.ID]
	if h == nil || h.revision != one.Revision {
		h = &health{revision: one.Revision}
		b.health[one.Plugin.ID] = h
	}
	h.crashes++
	h.why = why
	if h.crashes > 1 {
		h.next = time.Now().Add(min(pauseFirst<<min(h.crashes-2, 16), pauseMost))
	}
	note := h.crashes >= failing
	h.noted = h.noted || note
	crashes := h.crashes
	b.mu.Unlock()
	if wrote != "" {
		why += "; it wrote: " + wrote
	}
	b.cfg.Log.Warn("a plugin failed", "plugin", one.Plugin.ID, "times", crashes, "error", why)
	b.failed(one, why)
	if note {
		b.note(one, fmt.Sprintf("it has failed %d times in a row: %s", crashes, why))
	}
}

// worked records that a process has answered.
func (b *Bridge) worked(p *process) {
	p.stream.doubt.late.Store(0)
	b.mu.Lock()
	cleared := p.cleared
	p.cleared = true
	b.mu.Unlock()
	b.works(p.plugin, cleared)
}

// works records that a plugin has answered. cleared: its stored problem is already removed.
func (b *Bridge) works(one installed.Plugin, cleared bool) {
	if b.trial != nil {
		return
	}
	b.mu.Lock()
	h := b.health[one.Plugin.ID]
	noted := !cleared && one.Problem != "" || h != nil && h.noted
	if h != nil && h.revision == one.Revision {
		delete(b.health, one.Plugin.ID)
	}
	b.mu.Unlock()
	if noted {
		b.note(one, "")
	}
}

// failed stores the last failure of a plugin for administrators, also while the server ends.
func (b *Bridge) failed(one installed.Plugin, why string) {
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	if err := b.cfg.Rows.SetPluginFailure(ctx, one.Plugin.ID, one.Revision, why); err != nil {
		b.cfg.Log.Warn("the failure of a plugin is not noted", "plugin", one.Plugin.ID, "error", err)
	}
}

// note stores the problem for administrators, also while the server ends.
func (b *Bridge) note(one installed.Plugin, problem string) {
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	if err := b.cfg.Rows.SetPluginProblem(ctx, one.Plugin.ID, one.Revision, problem); err != nil {
		b.cfg.Log.Warn("the problem of a plugin is not noted", "plugin", one.Plugin.ID, "error", err)
	}
}

// RefusedError reports that a plugin could not carry out a request, with its message.
type RefusedError struct {
	Plugin, Said string
	Code         int           // of JSON-RPC; 0: none
	After        time.Duration // time until a retry; 0: none given
}

// Error returns a sentence for the model and the user.
func (e *RefusedError) Error() string { return "the plugin " + e.Plugin + " says: " + e.Said }

// UnknownError reports that the answer to a request did not come: the plugin may have carried it out, or not.
type UnknownError struct{ Plugin, Why string }

// Error returns a sentence for the model and the user.
func (e *UnknownError) Error() string {
	return "outcome unknown: the plugin " + e.Plugin + " was asked, and did not answer (" + e.Why + "); it may have done all, part or none of its work, so verify its effects before repeating it"
}

// lostError reports that a process ended during a request.
type lostError struct{ why string }

func (e *lostError) Error() string { return e.why }

func isLost(err error) bool {
	_, ok := errors.AsType[*lostError](err)
	return ok
}

func asRefused(err error) (*RefusedError, bool) { return errors.AsType[*RefusedError](err) }

// errUnanswered reports that the time of a request was up after it was sent.
var errUnanswered = errors.New("its time was up")

// explain translates an error for the caller.
func explain(timed context.Context, one installed.Plugin, r Request, timeout time.Duration, err error) error {
	lost, isLost := errors.AsType[*lostError](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errUnanswered):
		return &UnknownError{Plugin: one.Plugin.ID, Why: "its " + timeout.String() + " were up"}
	case isLost && r.Repeat:
		return fault.Errorf(fault.Unavailable, "the plugin %s failed: %s", one.Plugin.ID, lost.why)
	case isLost:
		return &UnknownError{Plugin: one.Plugin.ID, Why: lost.why}
	case timed.Err() != nil && fault.KindOf(err) == fault.Internal:
		return fault.Errorf(fault.Unavailable, "the plugin %s did not answer within %s", one.Plugin.ID, timeout)
	}
	return err
}
