// Package agent holds the tool with which a model hands work to other agents. What the tool decides is written down; carrying it
// out, and waiting for it, is the turn's.
package agent

import (
	"cmp"
	"context"
	_ "embed"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed subagent.md
var doc string

// Subagents keeps subagents and what they are asked, durably. Errors that the model can mend are Denied, Conflict, NotFound or Invalid.
type Subagents interface {
	AssignTask(ctx context.Context, task chat.SubagentTask) (chat.Assignment, error)
	// AssignmentOf returns the earlier assignment of a call.
	AssignmentOf(ctx context.Context, call chat.CallID) (chat.Assignment, bool, error)
	DirectSubagents(ctx context.Context, key chat.SessionKey) ([]chat.Subagent, error)
	// StopSubagent asks the running turn of a subagent to stop, once for each key, and reports whether it ran.
	StopSubagent(ctx context.Context, key chat.SessionKey, why string) (ran bool, err error)
	// UnloadSubagent unloads a subagent, and reports whether it had nothing to do.
	UnloadSubagent(ctx context.Context, key chat.SessionKey, wake bool) (bool, error)
	// LastMessages reads the newest messages of a conversation, the oldest of them first.
	LastMessages(ctx context.Context, key chat.SessionKey, n int) ([]chat.Message, error)
}

// Roles finds the roles that a call can hand work to, and the model of a role there.
type Roles interface {
	Roles(ctx context.Context, call tool.Call) ([]role.Role, []role.Broken, error)
	// Make returns the configuration of a subagent of a role; tier overrides that of the role.
	Make(ctx context.Context, call tool.Call, r role.Role, tier string) (chat.NewSubagent, error)
}

type params struct {
	Action     string `json:"action,omitempty" jsonschema:"spawn (default), send, inspect, interrupt, unload, list"`
	Role       string `json:"role,omitempty"`
	Instance   string `json:"instance,omitempty"`
	Task       string `json:"task,omitempty" jsonschema:"of spawn and send"`
	Background bool   `json:"background,omitempty"`
	ModelTier  string `json:"model_tier,omitempty" jsonschema:"vanguard, balance, swift"`
	Tail       int    `json:"tail,omitempty" jsonschema:"messages that inspect shows, 5"`
}

type handler struct {
	store Subagents
	roles Roles
}

// New returns the tool SubAgent.
func New(store Subagents, roles Roles) tool.Tool {
	return tool.Define("SubAgent", chat.ClassAgent, doc, handler{store, roles}, tool.Planning)
}

func (handler) Summary(p params) string {
	what := name(p)
	if p.Action != "" && p.Action != "spawn" {
		what = strings.TrimSpace(p.Action + " " + what)
	}
	if p.Task == "" {
		return what
	}
	return strings.TrimPrefix(what+": "+p.Task, ": ")
}

func name(p params) string {
	return chat.SubagentRef{Role: strings.TrimSpace(p.Role), Instance: strings.TrimSpace(p.Instance)}.Name()
}

// Run carries out an action. Of spawn and send the result is the subagent's, or the notice that it will come.
func (h handler) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	p.Role, p.Instance = strings.TrimSpace(p.Role), strings.TrimSpace(p.Instance)
	var out chat.ToolResult
	var err error
	switch action := cmp.Or(p.Action, "spawn"); action {
	case "spawn", "send":
		out, err = h.assign(ctx, call, p, action == "spawn")
	case "list":
		out, err = h.list(ctx, call)
	case "inspect":
		out, err = h.inspect(ctx, call, p)
	case "interrupt":
		out, err = h.interrupt(ctx, call, p)
	case "unload":
		out, err = h.unload(ctx, call, p)
	default:
		return tool.Fail("there is no action %q: there are spawn, send, inspect, interrupt, unload and list", tool.Cut(action, 40)), nil
	}
	if err != nil {
		return tool.FromError(err)
	}
	return out, nil
}

func (h handler) assign(ctx context.Context, call tool.Call, p params, spawn bool) (chat.ToolResult, error) {
	if handed, before, err := h.store.AssignmentOf(ctx, call.ID); err != nil || before {
		return result(handed), err
	}
	turn, _, _, ok := call.ID.Split()
	if !ok {
		return chat.ToolResult{}, fault.Errorf(fault.Internal, "%q is no id of a call", call.ID)
	}
	task := chat.SubagentTask{
		Call: call.ID, Session: call.Session, Turn: turn, Role: p.Role, Instance: p.Instance, Text: strings.TrimSpace(p.Task), Background: p.Background,
	}
	if err := check(p, task); err != nil {
		return chat.ToolResult{}, err
	}
	if !spawn && p.Instance == "" {
		return chat.ToolResult{}, fault.Errorf(fault.Invalid, "an agent without an instance answers once: spawn one with an instance to send it more")
	}
	if spawn {
		if err := h.choose(ctx, call, p, &task); err != nil {
			return chat.ToolResult{}, err
		}
	}
	handed, err := h.store.AssignTask(ctx, task)
	if err != nil {
		return chat.ToolResult{}, err
	}
	return result(handed), nil
}

func result(handed chat.Assignment) chat.ToolResult {
	r := chat.ToolResult{Handed: &handed}
	if handed.Background {
		r.Content = handed.Subagent.Name() + " works on it. Its answer comes as a message; do not wait for it."
	}
	return r
}

func check(p params, task chat.SubagentTask) error {
	switch {
	case p.Role == "":
		return fault.Errorf(fault.Invalid, "role is missing")
	case p.Instance != "" && !role.ValidName(p.Instance):
		return fault.Errorf(fault.Invalid, "the instance %.60q is no name: use at most %d letters, digits, - and _", p.Instance, role.MaxName)
	case task.Text == "":
		return fault.Errorf(fault.Invalid, "task is missing: say all that the agent needs, it sees nothing else")
	case len(task.Text) > chat.MaxSubagentTask:
		return fault.Errorf(fault.Invalid, "the task has %d bytes, at most %d are taken: write the rest to a file and name it", len(task.Text), chat.MaxSubagentTask)
	}
	return nil
}

// choose finds the role of a new subagent.
func (h handler) choose(ctx context.Context, call tool.Call, p params, task *chat.SubagentTask) error {
	roles, broken, err := h.roles.Roles(ctx, call)
	if err != nil {
		return err
	}
	r, ok := role.Find(roles, p.Role)
	if !ok {
		return noRole(p.Role, roles, broken)
	}
	task.Role = r.Name
	made, err := h.roles.Make(ctx, call, r, strings.ToLower(strings.TrimSpace(p.ModelTier)))
	task.New = &made
	return err
}

// noRole returns an error with the existing roles, or with the broken file that was meant.
func noRole(wanted string, roles []role.Role, broken []role.Broken) error {
	for _, b := range broken {
		if strings.EqualFold(role.Fallback(b.File), wanted) {
			return fault.Errorf(fault.NotFound, "the role %s cannot be read: %s: %s", wanted, b.File, b.Why)
		}
	}
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = r.Name
	}
	return fault.Errorf(fault.NotFound, "there is no role %q: there are %s", tool.Cut(wanted, 60), strings.Join(names, ", "))
}
