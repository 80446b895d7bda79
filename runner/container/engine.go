package container

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Times of the engine.
const (
	engineWait = 30 * time.Second // for one command
	pullWait   = 10 * time.Minute // for one that may fetch an image
	stopGrace  = 10               // seconds that a container gets to end before it is killed
)

// engine runs commands of the engine's command line.
type engine struct{ program string }

// run executes a command and returns what it wrote. A failure carries the engine's own words.
func (e engine) run(ctx context.Context, limit time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.program, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("the program %q is not installed: install a container engine, or name its program with --docker", e.program)
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s %s took longer than %s", e.program, args[0], limit)
	}
	return "", &engineError{action: e.program + " " + args[0], said: strings.TrimSpace(said.String()), err: err}
}

// engineError is a command that the engine refused.
type engineError struct {
	action, said string
	err          error
}

// Error returns the engine's words, with what was asked of it.
func (e *engineError) Error() string {
	if e.said == "" {
		return e.action + ": " + e.err.Error()
	}
	return e.action + ": " + e.said
}

// isAbsent reports whether the engine has no container of the name. An engine that does not run may have "no such file", its socket.
func isAbsent(err error) bool {
	refused, ok := errors.AsType[*engineError](err)
	if !ok {
		return false
	}
	message := strings.ToLower(refused.said)
	return strings.Contains(message, "no such container") || strings.Contains(message, "no such object")
}

// engineContainer is a container at the engine.
type engineContainer struct {
	Created bool              `json:"-"` // there is one
	State   state             `json:"state"`
	Labels  map[string]string `json:"labels"`
}

// state is what all engines write of a container's state. A field that one of them lacks is false or 0.
type state struct {
	Running     bool `json:"Running"`
	ExitCode    int  `json:"ExitCode"`  // of its first process, once it does not run
	OutOfMemory bool `json:"OOMKilled"` // the kernel killed one of its processes because its memory ran out
}

// inspect looks for a container.
func (e engine) inspect(ctx context.Context, name string) (engineContainer, error) {
	out, err := e.run(ctx, engineWait, "container", "inspect", "--format", `{"state":{{json .State}},"labels":{{json .Config.Labels}}}`, name)
	if isAbsent(err) {
		return engineContainer{}, nil
	}
	if err != nil {
		return engineContainer{}, err
	}
	is := engineContainer{Created: true}
	if err := json.Unmarshal([]byte(out), &is); err != nil {
		return engineContainer{}, fmt.Errorf("read the state of container %s: %w", name, err)
	}
	return is, nil
}

func (e engine) start(ctx context.Context, name string) error {
	_, err := e.run(ctx, engineWait, "start", name)
	return err
}

func (e engine) stop(ctx context.Context, name string) error {
	_, err := e.run(ctx, engineWait, "stop", "--time", fmt.Sprint(stopGrace), name)
	return err
}

func (e engine) kill(ctx context.Context, name string) error {
	_, err := e.run(ctx, engineWait, "kill", name)
	return err
}

func (e engine) remove(ctx context.Context, name string) error {
	_, err := e.run(ctx, engineWait, "rm", "--force", name)
	if isAbsent(err) {
		return nil
	}
	return err
}

// Check describes the engine and the image for users, or returns why they cannot be used.
func Check(ctx context.Context, program, image string) (string, error) {
	e := engine{program}
	version, err := e.run(ctx, engineWait, "version", "--format", "{{.Server.Version}}")
	if err != nil {
		return "", fmt.Errorf("the container engine does not answer: %w", err)
	}
	if _, err := e.run(ctx, engineWait, "image", "inspect", "--format", "{{.Id}}", image); err != nil {
		return "", fmt.Errorf("the engine has no image %s (%w): pull or build it", image, err)
	}
	return fmt.Sprintf("engine %s, image %s", strings.TrimSpace(version), image), nil
}
