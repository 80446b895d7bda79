// Package tool is what a model can call: the port that a tool implements, the registry that finds a tool by name,
// and the parts that all tools share (parameters, results, bounded text). The tools themselves live in the packages
// below it; each is one .go file with one .md file that the model reads.
//
// A tool acts on a machine only through sandbox.Sandbox, and keeps state only through the one-method interfaces it
// declares, so that a tool can be run again by another process after any crash.
package tool

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Spec is the description of a tool for the scheduler and the model.
type Spec struct {
	Name        string
	Class       chat.ToolClass
	Description string
	Parameters  json.RawMessage // JSON Schema of an object; the same bytes in every process of a build
	// Quick means that a call usually ends within a second. It is only a guess: one that takes longer goes on.
	Quick bool
	// Inward means that calls change nothing outside of the conversation and xbot's memory. Tools that only read, and
	// those that hand work to agents, whose calls are judged themselves, need not set it (Acts).
	Inward bool
	// Planning means that calls run before a plan was approved in a turn that wants one (chat.PlanState), although they do not only read
	// (Plans).
	Planning bool
	// OnRunner means that every call acts on the runner of the conversation: without a runner it fails before approval.
	OnRunner bool
	// Pattern is the kind of text that rules for some calls of the tool match; see Subjecter.
	Pattern chat.PatternKind
	// Optional means that the model is shown the tool only while the conversation uses it; until then only its name is in the prompt,
	// below Group. Other tools are always shown.
	Optional bool
	Group    string // the tool's group, such as the name of an MCP server; one word or two
	// Remote is the tool as its MCP server describes it; nil: it is not of an MCP server.
	Remote *Remote
}

// Names returns the names under which deny and ask rules, and hooks, mean the tool. For a tool of an MCP server they include spellings that a
// model may confuse with it: in lower case, and with underscores for dashes.
func (s Spec) Names() []string {
	out := append([]string{s.Name}, s.Remote.Names()...)
	if s.Remote == nil {
		return out
	}
	for _, name := range out {
		if plain := strings.ReplaceAll(strings.ToLower(name), "-", "_"); !slices.Contains(out, plain) {
			out = append(out, plain)
		}
	}
	return out
}

// Acts reports whether calls change something outside of the conversation: files, processes, schedules, the network. The default for a
// tool is true.
func (s Spec) Acts() bool {
	return !s.Inward && s.Class != chat.ClassRead && s.Class != chat.ClassAgent
}

// Plans reports whether calls run before a plan was approved in a turn that wants one.
func (s Spec) Plans() bool { return s.Planning || s.Class == chat.ClassRead }

// Tool is something that a model can call.
type Tool interface {
	Spec() Spec

	// Run does the work of one call. What the tool found wrong is a result with IsError, made by Fail; the error is
	// only for what the model cannot mend: the sandbox or the store cannot be reached, or ctx ended. Such an error
	// keeps its chain (fault.KindOf, errors.Is), and the caller decides whether to try again. Run never ends a
	// command because ctx ended; the caller does that with Box.Kill where a stop was meant.
	//
	// Run may be called again with the same Call.ID after a crash, and leaves the same effect as one run would.
	Run(ctx context.Context, call Call) (chat.ToolResult, error)

	// Summary is the one argument that a reader of a folded call wants to see: a command, a path, a pattern.
	// One line, at most 200 characters; empty when the arguments cannot be read.
	Summary(arguments string) string
}

// Call is one call of a tool.
type Call struct {
	ID        chat.CallID
	Session   chat.SessionKey
	User      chat.UserID
	Arguments string // JSON text as the model wrote it; may be malformed
	Box       sandbox.Sandbox
	Cwd       string   // working folder of the session; empty means the workspace of Box
	Env       []string // the conversation's environment variables for commands, NAME=value

	// StartedOn and Starting are for tools that run a command: see sandbox.ExecRequest.
	StartedOn string
	Starting  func(ctx context.Context, store string) error

	// Judged reports whether a rule with a pattern allowed the call. Shell then runs permission.Judged(command).
	Judged bool

	// Approval is the user's approval of the call, with the answers where it asked questions; nil if no user was asked.
	Approval *chat.Approval

	// Attended reports whether the call can ask a user something (chat.ToolResult.Asks).
	Attended bool

	// Sampler answers requests of an MCP server to the model; nil: they are refused.
	Sampler Sampler

	// Output receives what a command prints while it runs, offset in bytes from its start; nil without a viewer.
	Output func(offset int64, piece []byte)
	// Progress shows operators in a few words how far the call is; nil without one. The words have nothing of a user in them.
	Progress func(text string)
	// Stopped reports, once the context of the call has ended, whether a user stopped it. Otherwise another attempt goes on. nil: it is not known.
	Stopped func() bool
}

// Dir returns the working folder of the call.
func (c Call) Dir() string {
	if c.Cwd == "" {
		return c.Box.Workspace()
	}
	return c.Cwd
}

// Path makes a path that the model gave absolute, against the working folder. A leading tilde is refused, because
// only a shell of the sandbox knows whose home is meant.
func (c Call) Path(name string) (string, error) {
	switch {
	case strings.TrimSpace(name) == "":
		return "", fault.Errorf(fault.Invalid, "path is empty; give the path of a file or folder")
	case strings.ContainsRune(name, 0):
		return "", fault.Errorf(fault.Invalid, "path holds a NUL character")
	case name == "~" || strings.HasPrefix(name, "~/"):
		return "", fault.Errorf(fault.Invalid, "~ is not expanded in paths; give an absolute path or one relative to %s", c.Dir())
	case path.IsAbs(name):
		return path.Clean(name), nil
	}
	return path.Join(c.Dir(), name), nil
}

// Short shows a path the way the model would write it: relative to the working folder when it lies below it.
func (c Call) Short(name string) string {
	if rest, below := strings.CutPrefix(name, strings.TrimSuffix(c.Dir(), "/")+"/"); below && rest != "" {
		return rest
	}
	return name
}
