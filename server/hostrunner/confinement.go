package hostrunner

import (
	"cmp"
	"context"
	"time"

	"xbot/internal/chat"
)

// confinementCheck is how often the choice of an administrator is read in addition to notifications, which may be missed.
const confinementCheck = 15 * time.Second

// withConfinement runs the local runner with the setting XBOT_CONFINE, else as an administrator chose, and again with each other
// choice, until it or ctx ends. Commands outlive the runner, and keep the sandbox that they began in.
func (h *Host) withConfinement(ctx context.Context, setting string, run func(ctx context.Context, confine string) error) error {
	if setting != "" {
		return run(ctx, setting)
	}
	changes, leave := h.Changes.AccessChanges()
	defer leave()
	for {
		chosen, err := h.Runners.LocalSandbox(ctx)
		if err != nil {
			h.Log.Warn("whether an administrator chose to run commands without a sandbox could not be read, so they run in one", "error", err)
		}
		confine := cmp.Or(chosen.Confine, chat.ConfineAuto)
		running, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- run(running, confine) }()
		changed, err := h.awaitConfinement(ctx, changes, ended, confine)
		stop()
		if !changed {
			return err
		}
		if err := <-ended; ctx.Err() != nil {
			return err
		}
		h.Log.Info("the local runner is started again, since an administrator changed the sandbox of its commands", "confine_before", confine)
	}
}

// awaitConfinement waits until the runner has ended, or another choice than the given one was made.
func (h *Host) awaitConfinement(ctx context.Context, changes <-chan struct{}, ended <-chan error, confine string) (changed bool, err error) {
	tick := time.NewTicker(confinementCheck)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return false, err
		case <-changes:
		case <-tick.C:
		}
		chosen, err := h.Runners.LocalSandbox(ctx)
		if err == nil && chosen.Confine != confine {
			return true, nil
		}
	}
}
