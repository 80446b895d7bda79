package activities

import (
	"cmp"
	"context"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/service"
	"xbot/runner/mask"
)

// RunnerSandboxes finds the sandbox of a runner for a user; an empty name means the runner that their commands go to. The sandbox's Name is the runner's.
// Denied explains why there is none. It does not wait for the runner.
type RunnerSandboxes interface {
	Box(ctx context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error)
}

// Confinements returns how the commands of a conversation are confined. only is the one runner on which they may run; empty: any.
type Confinements interface {
	Confinement(ctx context.Context, key chat.SessionKey) (walls chat.Confinement, only string, err error)
}

// Environments returns the environment variables of commands.
type Environments interface {
	// Environment returns what they have on a runner of a user.
	Environment(ctx context.Context, key chat.SessionKey, user chat.UserID, runner string) (sandbox.Environment, error)
	// Masker hides the secrets among them; nil: there are none.
	Masker(ctx context.Context, key chat.SessionKey) (*mask.Masker, error)
}

// ConsumerFiles returns the file systems of consumer conversations, which have no runner.
type ConsumerFiles interface {
	// FileSystem returns the file system of a conversation. ok is false if it is no consumer conversation. It returns Denied if its files are gone.
	FileSystem(ctx context.Context, key chat.SessionKey, user chat.UserID) (box sandbox.Sandbox, ok bool, err error)
}

// Sandboxes returns the sandbox of a conversation: that of a runner, with the variables and the confinement of the conversation.
type Sandboxes struct {
	RunnerSandboxes

	Consumers    ConsumerFiles // nil: no conversation is one of a consumer's
	Confinements Confinements  // nil: no conversation is confined further than its runner confines
	Environments Environments  // nil: no user has environment variables
}

// ForNewWork is Box for new work of a conversation. If the conversation is bound to one runner, it returns that one regardless of the runner argument
// (Denied if its user may not use it).
func (r Sandboxes) ForNewWork(ctx context.Context, key chat.SessionKey, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	return r.find(ctx, key, user, runner, false)
}

// ForStartedWork is ForNewWork for work that has started on a runner and continues there.
func (r Sandboxes) ForStartedWork(ctx context.Context, key chat.SessionKey, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	return r.find(ctx, key, user, runner, true)
}

func (r Sandboxes) find(ctx context.Context, key chat.SessionKey, user chat.UserID, runner string, begun bool) (sandbox.Sandbox, error) {
	var walls chat.Confinement
	var only string
	if r.Confinements != nil {
		var err error
		if walls, only, err = r.Confinements.Confinement(ctx, key); err != nil {
			return nil, err
		}
	}
	if r.Consumers != nil {
		if box, ok, err := r.Consumers.FileSystem(ctx, key, user); ok || err != nil {
			return within(box, walls, err)
		}
	}
	if service.Sealed("", key) {
		return nil, fault.Errorf(fault.Denied, "no tool acts here: the agent of a service reads what strangers wrote")
	}
	if begun {
		only = ""
	}
	box, err := r.Box(ctx, user, cmp.Or(only, runner))
	switch {
	case only != "" && fault.Is(err, fault.Denied):
		return nil, i18n.Fault(fault.Denied, i18n.RunnerOfScene, only)
	case err != nil:
		return nil, err
	}
	env, err := r.Environment(ctx, key, user, box.Name())
	if err != nil {
		return nil, err
	}
	return sandbox.Narrow(sandbox.WithEnvironment(box, env), walls), nil
}

// within confines the file system of a consumer conversation. It gets no variables, since no command runs there.
func within(box sandbox.Sandbox, walls chat.Confinement, err error) (sandbox.Sandbox, error) {
	if err != nil {
		return nil, err
	}
	return sandbox.Narrow(box, walls), nil
}

// Environment returns what commands of a conversation have on a runner of a user.
func (r Sandboxes) Environment(ctx context.Context, key chat.SessionKey, user chat.UserID, runner string) (sandbox.Environment, error) {
	if r.Environments == nil {
		return sandbox.Environment{}, nil
	}
	return r.Environments.Environment(ctx, key, user, runner)
}

// Masker hides the secrets of a conversation. Its runner hides them in what commands write, as it is written; this is for what tools find
// elsewhere, and for what shows them only when colours and the like are taken out.
func (r Sandboxes) Masker(ctx context.Context, key chat.SessionKey) (*mask.Masker, error) {
	if r.Environments == nil {
		return nil, nil
	}
	return r.Environments.Masker(ctx, key)
}

// Release makes the runner forget a command. It runs in the background: the runner prunes by age what was never released.
func Release(ctx context.Context, box sandbox.Sandbox, id chat.CallID) {
	ctx, cancel := Settling(ctx)
	go func() {
		defer cancel()
		_ = box.Release(ctx, id) // pruned by age otherwise
	}()
}

// KillGrace is how long a stopped call may take to end after its command was killed. It covers the runner's own grace between SIGTERM and SIGKILL.
const KillGrace = 4 * time.Second

// KillAndWait kills a command and waits for ended, both together for at most KillGrace.
func KillAndWait(ctx context.Context, box sandbox.Sandbox, id chat.CallID, ended <-chan struct{}) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), KillGrace)
	defer cancel()
	if box.Kill(ctx, id) != nil {
		return // out of reach: the command ends at its timeout at the latest, and the result is interrupted
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
