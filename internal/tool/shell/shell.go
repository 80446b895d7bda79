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
	"xbot/internal/turn/permission"
)

// Limits of a command in the foreground and of what the model reads of it.
const (
	// ceiling is when the runner kills a command, even if a caller waits for it.
	ceiling = 24 * time.Hour
	// moment is how long a command that is meant for the background may take to end at once, for example because it is
	// misspelt.
	moment = 300 * time.Millisecond

	defaultTimeout = 120 * time.Second
	maxTimeout     = 600 * time.Second
	maxOutput      = 30_000  // bytes
	maxCommand     = 100_000 // bytes; the kernel's limit for one argument is 128 KiB
)

//go:embed shell.md
var doc string

type params struct {
	Command    string `json:"command"`
	Timeout    int    `json:"timeout,omitempty" jsonschema:"Seconds, default 120, at most 600."`
	Background bool   `json:"background,omitempty" jsonschema:"Do not wait."`
	Reason     string `json:"reason,omitempty" jsonschema:"Why, in a few words; shown when approval is needed."` // see tool.Reason
}

type handler struct{}

// New returns the tool Shell.
func New() tool.Tool { return tool.DefineQuick("Shell", chat.ClassExec, doc, handler{}, tool.OnRunner) }

func (handler) Summary(p params) string { return p.Command }

func (handler) Pattern() chat.PatternKind { return chat.PatternCommand }

func (handler) Subject(p params) string { return p.Command }

func (handler) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	budget, err := p.check()
	if err != nil {
		return tool.FromError(err)
	}
	if call.Judged {
		judged, ok := permission.Judged(p.Command)
		if !ok {
			return tool.Fail("a rule allowed this command, and it cannot be read as it was then; write it without variables, substitutions and patterns such as *"), nil
		}
		p.Command = judged
	}
	began := time.Now()
	result, err := call.Box.Exec(ctx, sandbox.ExecRequest{
		ID:      call.ID,
		Command: p.Command,
		Dir:     call.Cwd, // and not call.Dir(), which is empty until the runner was seen: the folder is part of the command's identity
		Env:     call.Env,
		Timeout: ceiling,
		Budget:  budget,
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
	if result.State == sandbox.ExecRunning {
		return goesOn(call, p, result, began), nil
	}
	told := describe(result)
	if result.State == sandbox.ExecExited || result.State == sandbox.ExecKilled || result.State == sandbox.ExecTimedOut {
		told.Took = max(result.Ended.Sub(result.Started), time.Millisecond)
	}
	return told, nil
}

// goesOn returns the result for a command whose time in the foreground is up, or that was to have none.
func goesOn(call tool.Call, p params, result sandbox.ExecResult, began time.Time) chat.ToolResult {
	started := result.Started
	if started.IsZero() {
		started = began // its runner is out of reach
	}
	state := "it runs in the background"
	if !p.Background {
		state = fmt.Sprintf("still running after %.0f s: it goes on in the background", max(time.Since(started), 0).Seconds())
	}
	r := tool.Text(printed(result.Output) + "\n[" + state + ". You will be told when it ends; do other work, or answer now]")
	r.Background = &chat.Background{Command: p.Command, Dir: call.Cwd, Runner: call.Box.Name(), StartedAt: started}
	return r
}

// check returns how long the command may run in the foreground. A timeout over the limit is an error rather than a
// smaller timeout, so that the model plans for what it really gets.
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
	if p.Background {
		return moment, nil
	}
	return timeout, nil
}

// printed returns the output of a command for the model.
func printed(output []byte) string {
	text := strings.TrimRight(tool.Bound(tool.Clean(output), maxOutput+maxOutput/10), " \n")
	if text == "" {
		return "(no output)"
	}
	return text
}

// describe returns the result for a command that came to an end.
func describe(result sandbox.ExecResult) chat.ToolResult {
	output := printed(result.Output)
	ran := max(result.Ended.Sub(result.Started), 0).Seconds()
	end := func(format string, args ...any) string { return output + "\n[" + fmt.Sprintf(format, args...) + "]" }
	switch result.State {
	case sandbox.ExecExited:
		if result.Code == 0 {
			return tool.Text(end("exit code 0, %.1f s", ran))
		}
		return tool.FailCommand(end("exit code %d, %.1f s", result.Code, ran))
	case sandbox.ExecTimedOut:
		return tool.FailCommand(end("killed: it was still running after %.0f h, the longest a command may run", ceiling.Hours()))
	case sandbox.ExecKilled:
		return tool.FailCommand(end("killed before it ended; what it had done so far remains"))
	default:
		return tool.FailCommand(end("outcome unknown: the command had started, then the machine or its runner went away; it may have run in part or in full, so verify its effects before repeating it"))
	}
}
