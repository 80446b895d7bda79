// Package shell is the tool that runs commands. A command is attached to or started by the id of its call, so that a
// call that is run again after a crash finds the command it had started and never starts a second one.
package shell

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"
	"unicode"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// Limits of a command in the foreground (spec/001 §7.3) and of what the model reads of it.
const (
	defaultTimeout = 120 * time.Second
	maxTimeout     = 600 * time.Second
	maxOutput      = 30_000  // bytes
	maxCommand     = 100_000 // bytes; the kernel's limit for one argument is 128 KiB
)

//go:embed shell.md
var doc string

type params struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty" jsonschema:"Seconds, default 120, at most 600."`
	Reason  string `json:"reason,omitempty" jsonschema:"Why, in a few words; shown when approval is needed."` // see tool.Reason
}

type handler struct{}

// New returns the tool Shell.
func New() tool.Tool { return tool.Define("Shell", chat.ClassExec, doc, handler{}) }

func (handler) Summary(p params) string { return p.Command }

func (handler) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	timeout, err := p.check()
	if err != nil {
		return tool.FromError(err)
	}
	result, err := call.Box.Exec(ctx, sandbox.ExecRequest{
		ID:      call.ID,
		Command: p.Command,
		Dir:     call.Dir(),
		Timeout: timeout,
		Limit:   maxOutput,
		Output:  call.Output,

		StartedOn: call.StartedOn,
		Starting:  call.Starting,
	})
	if fault.Is(err, fault.NotFound) {
		return tool.Fail("%s; if the working folder %s is gone, move with Cd", err, call.Dir()), nil
	}
	if err != nil {
		return tool.FromError(err)
	}
	return describe(result, timeout), nil
}

// check returns the timeout to use. A timeout over the limit is an error rather than a smaller timeout, so that the
// model plans for what it really gets.
func (p params) check() (time.Duration, error) {
	timeout := time.Duration(p.Timeout) * time.Second
	switch {
	case strings.TrimSpace(p.Command) == "":
		return 0, fault.Errorf(fault.Invalid, "command is empty")
	case len(p.Command) > maxCommand:
		return 0, fault.Errorf(fault.Invalid, "the command has %d bytes, at most %d are allowed; write a script with FileCreate and run it", len(p.Command), maxCommand)
	case p.Timeout == 0:
		timeout = defaultTimeout
	case timeout < 0 || timeout > maxTimeout:
		return 0, fault.Errorf(fault.Invalid, "timeout must be between 1 and %.0f seconds, not %d", maxTimeout.Seconds(), p.Timeout)
	}
	for i, r := range p.Command {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return 0, fault.Errorf(fault.Invalid, "the command holds the control character %U at byte %d; write it as an escape, for example with printf", r, i)
		}
	}
	return timeout, nil
}

// describe is what the model reads of a command that came to an end.
func describe(result sandbox.ExecResult, timeout time.Duration) chat.ToolResult {
	output := strings.TrimRight(tool.Bound(Clean(result.Output), maxOutput+maxOutput/10), " \n")
	if output == "" {
		output = "(no output)"
	}
	ran := max(result.Ended.Sub(result.Started), 0).Seconds()
	end := func(format string, args ...any) string { return output + "\n[" + fmt.Sprintf(format, args...) + "]" }
	switch result.State {
	case sandbox.ExecExited:
		if result.Code == 0 {
			return tool.Text(end("exit code 0, %.1f s", ran))
		}
		return tool.FailCommand(end("exit code %d, %.1f s", result.Code, ran))
	case sandbox.ExecTimedOut:
		return tool.FailCommand(end("killed: it was still running after its timeout of %.0f s; if it needs longer, give a timeout of up to %.0f s or split the work", timeout.Seconds(), maxTimeout.Seconds()))
	case sandbox.ExecKilled:
		return tool.FailCommand(end("killed on request before it ended; what it had done so far remains"))
	default:
		return tool.FailCommand(end("outcome unknown: the command had started, then the machine or its runner went away; it may have run in part or in full, so verify its effects before repeating it"))
	}
}
