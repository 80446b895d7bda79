// Package login finds out whether a coding agent on a runner can answer: it is installed, and logged in at a model provider.
package login

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agents"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Box is the part of a sandbox that a check uses.
type Box interface {
	Exec(ctx context.Context, req sandbox.ExecRequest) (sandbox.ExecResult, error)
	Release(ctx context.Context, id chat.CallID) error
}

var _ Box = (*sandbox.Runner)(nil)

const (
	checkTime  = 10 * time.Second // of one command: agents answer it from local files
	outputSize = 16 << 10         // bytes of output that are read
	missing    = 127              // exit code of a shell that does not find a program
	minute     = "2006-01-02 15:04"
)

// Agent is an agent to check.
type Agent struct {
	Name     string    // codex, claude, kimi or opencode
	Program  string    // in place of the usual command; empty: that one
	Answered time.Time // the end of its newest turn, if that turn was answered; else zero
}

// Check runs the log-in check of an agent on a runner, and returns the result for an operator. The agent is assumed to work unless that is
// disproved: a turn that was answered counts more than the check, which knows the log-ins of the agent alone and not the providers of its
// configuration, and a check that does not end in time, as on a busy machine, proves nothing. NotFound means that the agent is not
// installed, Denied that it is not logged in, with the command that logs in; other errors are those of the runner.
func Check(ctx context.Context, box Box, a Agent) (string, error) {
	check, err := agents.Check(a.Name)
	if err != nil {
		return "", err
	}
	words := check.Command
	if a.Program != "" {
		words = append([]string{a.Program}, words[1:]...)
	}
	done, err := run(ctx, box, codingagent.CommandLine(words)+" 2>&1")
	late := errors.Is(ctx.Err(), context.DeadlineExceeded)
	if err != nil && !late {
		return "", err
	}
	answered := ""
	if !a.Answered.IsZero() {
		answered = "; it last answered at " + a.Answered.Local().Format(minute)
	}
	switch {
	case late || done.State != sandbox.ExecExited:
		return a.Name + " did not say in time whether somebody is logged in" + answered, nil
	case done.Code == missing:
		return "", fault.Errorf(fault.NotFound, "%s is not installed, or is not in the PATH of the runner", a.Name)
	case check.Silent && check.LoggedIn(done.Code, output(done)):
		return a.Name + " is there; whether somebody is logged in shows in a turn alone" + answered, nil
	case check.LoggedIn(done.Code, output(done)):
		return "somebody is logged in" + answered, nil
	case answered != "":
		return a.Name + " finds no log-in of its own" + answered, nil
	}
	return configured(ctx, box, a.Name, check)
}

// configured decides on an agent without a log-in: one whose configuration names a provider needs none.
func configured(ctx context.Context, box Box, agent string, check codingagent.Check) (string, error) {
	if check.Providers != "" {
		done, err := run(ctx, box, check.Providers)
		switch {
		case err != nil && ctx.Err() == nil:
			return "", err
		case done.State == sandbox.ExecExited && done.Code == 0:
			return agent + " finds no log-in of its own, but its configuration names a provider; whether that one answers shows in a turn", nil
		}
	}
	return "", fault.Errorf(fault.Denied, "nobody is logged in to %s: run %s on that machine", agent, check.Hint)
}

func run(ctx context.Context, box Box, command string) (sandbox.ExecResult, error) {
	id := chat.CallID("login." + rand.Text())
	done, err := box.Exec(ctx, sandbox.ExecRequest{ID: id, Command: command, Timeout: checkTime, Limit: outputSize})
	if err != nil {
		return done, err
	}
	_ = box.Release(context.WithoutCancel(ctx), id) // forgotten later otherwise
	return done, nil
}

func output(done sandbox.ExecResult) string { return strings.ToValidUTF8(string(done.Output), "") }
