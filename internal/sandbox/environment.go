package sandbox

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/runner/mask"
	"xbot/runner/wire"
)

// Environment is the variables of a conversation's commands, in addition to the clean environment of their runner.
type Environment struct {
	Variables []string      // "KEY=value"; the ones of a request win
	Secrets   []wire.Secret // as in ExecRequest
}

// Masker hides the values of its secrets; nil where there are none.
func (e Environment) Masker() *mask.Masker { return mask.New(e.Secrets) }

// WithEnvironment gives the commands of a sandbox an environment. Processes that are started to be talked to do not have it: they are shared by
// all conversations of a user. An empty one is the sandbox itself.
func WithEnvironment(box Sandbox, env Environment) Sandbox {
	if len(env.Variables) == 0 && len(env.Secrets) == 0 {
		return box
	}
	return environmentSandbox{Sandbox: box, env: env}
}

// environmentSandbox is a Sandbox whose commands have an environment.
type environmentSandbox struct {
	Sandbox

	env Environment
}

var (
	_ Sandbox = environmentSandbox{}
	_ Feeder  = environmentSandbox{}
)

// Exec runs the command in the environment.
func (f environmentSandbox) Exec(ctx context.Context, req ExecRequest) (ExecResult, error) {
	req.Env = slices.Concat(f.env.Variables, req.Env)
	req.Secrets = slices.Concat(f.env.Secrets, req.Secrets)
	return f.Sandbox.Exec(ctx, req)
}

// Feed writes to a command.
func (f environmentSandbox) Feed(ctx context.Context, id chat.CallID, in Input) error {
	feeder, ok := f.Sandbox.(Feeder)
	if !ok {
		return fault.Errorf(fault.Invalid, "runner %s writes to no commands", f.Name())
	}
	return feeder.Feed(ctx, id, in)
}
