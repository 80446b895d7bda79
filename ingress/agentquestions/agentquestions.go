// Package agentquestions closes the questions of coding agents that have ended.
package agentquestions

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/process"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Closer closes the questions that coding agents have open although their processes have ended, and wakes their turns. A turn that waits for
// a user follows no process, so it does not see the end. Several processes may run at once.
type Closer struct {
	CodingAgents interface {
		AskingCodingRuns(ctx context.Context) ([]codingagent.AskingRun, error)
	}
	Calls interface {
		CloseAgentQuestion(ctx context.Context, call chat.CallID, agent string) error
	}
	Sandboxes sandbox.Finder
	Log       *slog.Logger
}

const (
	every    = 2 * time.Second // between two looks at all processes
	lookTime = 5 * time.Second // for the processes of one runner: those of a runner that is offline are looked at later
)

// Run closes questions until ctx ends.
func (c *Closer) Run(ctx context.Context) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if err := c.Sweep(ctx); err != nil && ctx.Err() == nil {
			c.Log.Warn("looking at coding agents that wait for a person failed, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// place is a runner of a user.
type place struct {
	user   chat.UserID
	runner string
}

// Sweep looks once at each process that waits for a user. The runners are asked at the same time.
func (c *Closer) Sweep(ctx context.Context) error {
	runs, err := c.CodingAgents.AskingCodingRuns(ctx)
	if err != nil {
		return err
	}
	by := map[place][]codingagent.AskingRun{}
	for _, r := range runs {
		at := place{r.Owner, r.Runner}
		by[at] = append(by[at], r)
	}
	var looks sync.WaitGroup
	for at, runs := range by {
		looks.Go(func() {
			if err := c.lookAt(ctx, at, runs); err != nil && ctx.Err() == nil && !fault.Is(err, fault.Unavailable) {
				c.Log.Warn("a coding agent that waits for a person cannot be looked at", "runner", at.runner, "error", err)
			}
		})
	}
	looks.Wait()
	return nil
}

// lookAt closes the questions of the processes of one runner that have ended. It gives up with the first error, such as of a runner that is
// offline or revoked.
func (c *Closer) lookAt(ctx context.Context, at place, runs []codingagent.AskingRun) error {
	soon, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	box, err := c.Sandboxes.Box(soon, at.user, at.runner)
	if err != nil {
		return err
	}
	feeder, ok := box.(sandbox.Feeder)
	if !ok {
		return nil
	}
	for _, r := range runs {
		ended, err := process.Ended(soon, feeder, r.ID(), r.Store)
		switch {
		case soon.Err() != nil:
			return nil // the next look asks again
		case err != nil:
			return err
		case !ended:
			continue
		}
		if err := c.Calls.CloseAgentQuestion(ctx, r.Call, r.Agent); err != nil {
			return err
		}
		c.Log.Info("closed the question of a coding agent that has ended", "agent", r.Agent, "runner", at.runner, "call", r.Call)
	}
	return nil
}
