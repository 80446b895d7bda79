// Package worktree is the tool that gives a conversation a separate git worktree, so that agents that work at once do not
// change each other's files. What there is is asked of git: a worktree is locked, and the reason of the lock names whose it is.
package worktree

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

var (
	//go:embed worktree.md
	doc string
	//go:embed worktree.sh
	script string
)

const (
	// maxTime is how long git may take; a checkout of a large repository takes minutes.
	maxTime = 15 * time.Minute
	// maxOutput bounds the output of git that is read, in bytes.
	maxOutput = 16_000
)

// validName matches the names of worktrees: a name becomes a folder and the end of a branch.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$`)

// Folder keeps the working folder of a session, durably, for the calls that follow on the same runner.
type Folder interface {
	SetCwd(ctx context.Context, session chat.SessionKey, runner, cwd string) error
}

// Journal keeps where a call began: another attempt of it begins there, although the session may have moved since.
type Journal interface {
	Intent(ctx context.Context, call chat.CallID) (string, error)
	SetIntent(ctx context.Context, call chat.CallID, intent string) error
}

// Namer returns the name of a session's worktree, if the model gives none: the same at any time, and of a subagent after it.
type Namer interface {
	Worktree(ctx context.Context, session chat.SessionKey) (string, error)
}

type params struct {
	Action   string `json:"action" jsonschema:"init, status, cleanup"`
	Instance string `json:"instance,omitempty"`
	Force    bool   `json:"force,omitempty" jsonschema:"lose uncommitted work"`
	Reason   string `json:"reason,omitempty"` // see tool.Reason
}

type handler struct {
	folder  Folder
	journal Journal
	namer   Namer
}

// New returns the tool Worktree.
func New(folder Folder, journal Journal, namer Namer) tool.Tool {
	return tool.Define("Worktree", chat.ClassExec, doc, handler{folder, journal, namer}, tool.OnRunner)
}

func (handler) Summary(p params) string { return strings.TrimSpace(p.Action + " " + p.Instance) }

// Run does what is asked in one command of the call, which is found again and never run twice.
func (h handler) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	switch p.Action {
	case "init", "status", "cleanup":
	default:
		return tool.Fail("there is no action %q: there are init, status and cleanup", tool.Cut(p.Action, 40)), nil
	}
	name, err := h.name(ctx, call, p)
	if err != nil {
		return tool.FromError(err)
	}
	began, err := h.began(ctx, call)
	if err != nil {
		return tool.FromError(err)
	}
	got, err := call.Box.Exec(ctx, sandbox.ExecRequest{
		ID: call.ID, Command: command(p, name, call), Dir: began, Timeout: maxTime, Limit: maxOutput,
		Output: call.Output, StartedOn: call.StartedOn, Starting: call.Starting,
	})
	if err != nil {
		return tool.FromError(err)
	}
	if got.State != sandbox.ExecExited {
		return tool.FailCommand("git did not come to an end; see action status"), nil
	}
	said, moved := split(string(got.Output))
	if got.Code != 0 {
		return tool.FailCommand(said), nil
	}
	return h.move(ctx, call, said, moved)
}

func (h handler) name(ctx context.Context, call tool.Call, p params) (string, error) {
	name := strings.TrimSpace(p.Instance)
	if name == "" {
		var err error
		if name, err = h.namer.Worktree(ctx, call.Session); err != nil {
			return "", err
		}
	}
	if !validName.MatchString(name) {
		return "", fault.Errorf(fault.Invalid, "%.60q is no name of a worktree: use at most 80 letters, digits, - and _", name)
	}
	return name, nil
}

// began returns the folder in which the call began, as the first attempt of it noted; empty: the workspace.
func (h handler) began(ctx context.Context, call tool.Call) (string, error) {
	noted, err := h.journal.Intent(ctx, call.ID)
	if err != nil {
		return "", fmt.Errorf("read the intent of call %s: %w", call.ID, err)
	}
	if noted != "" {
		return strings.TrimPrefix(noted, "in "), nil
	}
	if err := h.journal.SetIntent(ctx, call.ID, "in "+call.Cwd); err != nil {
		return "", fmt.Errorf("write the intent of call %s: %w", call.ID, err)
	}
	return call.Cwd, nil
}

func command(p params, name string, call tool.Call) string {
	set := func(name, value string) string {
		return name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'\n"
	}
	force := ""
	if p.Force {
		force = "yes"
	}
	return set("action", p.Action) + set("name", name) + set("me", owner(call.Session)) + set("force", force) + set("workspace", call.Box.Workspace()) + script
}

// owner returns the owner's mark in the lock of a worktree.
func owner(session chat.SessionKey) string {
	sum := sha256.Sum256([]byte(session))
	return "xbot:" + hex.EncodeToString(sum[:8])
}

// split separates the output of the script from its last line, which names the folder that the session is in now.
func split(output string) (said, moved string) {
	said = strings.TrimRight(output, "\n")
	if at := strings.LastIndex(said, "\n"); strings.HasPrefix(said[at+1:], "now in ") {
		return strings.TrimRight(said[:max(at, 0)], "\n"), strings.TrimPrefix(said[at+1:], "now in ")
	}
	return said, ""
}

// move keeps the folder that the session is in now, once the runner agrees that it may be.
func (h handler) move(ctx context.Context, call tool.Call, said, moved string) (chat.ToolResult, error) {
	if moved == "" {
		return tool.Text(said), nil
	}
	if info, err := call.Box.Stat(ctx, moved); err != nil || !info.Dir {
		return tool.Fail("%s\n%s cannot be entered", said, moved), nil
	}
	if err := h.folder.SetCwd(ctx, call.Session, call.Box.Name(), moved); err != nil {
		return tool.FromError(fmt.Errorf("keep the working folder: %w", err))
	}
	return tool.Text(said + "\nNow in " + moved), nil
}
