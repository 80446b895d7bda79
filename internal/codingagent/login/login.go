// Package login finds out whether somebody is logged in to a coding agent on a runner.
package login

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agents"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Box is what a check needs of a sandbox.
type Box interface {
	Exec(ctx context.Context, req sandbox.ExecRequest) (sandbox.ExecResult, error)
	Release(ctx context.Context, id chat.CallID) error
}

var _ Box = (*sandbox.Runner)(nil)

const (
	checkTime  = 10 * time.Second // of a check: agents answer it from files of their own
	outputSize = 16 << 10         // bytes of what a check writes that are read
	missing    = 127              // exit code of a shell that finds no program
)

// State says for an operator how it stands with the log-in of an agent of which Check said err.
func State(agent string, err error) string {
	check, unknown := agents.Check(agent)
	switch {
	case err != nil:
		return err.Error()
	case unknown == nil && check.Silent:
		return agent + " is there; whether somebody is logged in shows in a turn alone"
	}
	return "somebody is logged in"
}

// Check asks an agent on a runner for its log-in. program stands in place of its usual command, if it is set. NotFound says that the runner
// does not have the agent, Denied that nobody is logged in and by which command a person is, which silent agents do not tell; other errors are those of the runner.
func Check(ctx context.Context, box Box, agent, program string) error {
	check, err := agents.Check(agent)
	if err != nil {
		return err
	}
	words := check.Command
	if program != "" {
		words = append([]string{program}, words[1:]...)
	}
	id := chat.CallID("login." + rand.Text())
	done, err := box.Exec(ctx, sandbox.ExecRequest{ID: id, Command: codingagent.CommandLine(words) + " 2>&1", Timeout: checkTime, Limit: outputSize})
	if err != nil {
		return err
	}
	_ = box.Release(context.WithoutCancel(ctx), id) // forgotten later otherwise
	switch {
	case done.State != sandbox.ExecExited:
		return fault.Errorf(fault.Unavailable, "%s does not say whether somebody is logged in (%s)", agent, done.State)
	case done.Code == missing:
		return fault.Errorf(fault.NotFound, "%s is not installed, or is not in the PATH of the runner", agent)
	case !check.LoggedIn(done.Code, strings.ToValidUTF8(string(done.Output), "")):
		return fault.Errorf(fault.Denied, "nobody is logged in to %s: run %s on that machine", agent, check.Hint)
	}
	return nil
}
