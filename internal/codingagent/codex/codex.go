// Package codex implements the protocol of `codex app-server`: JSON-RPC lines without a version.
//
// Shapes: openai/codex, codex-rs/app-server/README.md (commit 001cdd27), codex-rs/app-server-protocol: src/jsonrpc_lite.rs (ids are strings or
// numbers), schema/json/CommandExecutionRequestApprovalParams.json, ToolRequestUserInputParams.json, v2/TurnStartParams.json and
// v2/TurnSteerParams.json (commit 28bff793: UserInput); pictures are data: URLs, as in protocol/src/user_input.rs.
package codex

import (
	"encoding/json"
	"strings"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/jsonrpc"
)

type driver struct {
	turn     codingagent.Turn
	thread   string
	id       string // of the turn, as codex names it
	stopKeys []string
	open     codingagent.Remembered[request]
	steers   codingagent.Steers
	usage    usage
	reply    string
	failure  *turnError
	gone     bool // the thread is not there
	ended    bool
}

// New makes a driver for one turn.
func New(turn codingagent.Turn) codingagent.Driver {
	return &driver{turn: turn, open: codingagent.Remembered[request]{}}
}

// Check asks codex for its log-in. It writes "Not logged in" and exits with 1 where there is none.
func Check() codingagent.Check {
	return codingagent.Check{Command: []string{"codex", "login", "status"}, Hint: "codex login", Reader: check{}, Providers: providers}
}

// providers finds a model_provider in the configuration: `codex login status` knows accounts and keys of OpenAI alone.
const providers = `grep -Eqs '^[[:space:]]*model_provider[[:space:]]*=' "${CODEX_HOME:-$HOME/.codex}/config.toml"`

type check struct{}

func (check) LoggedIn(code int, output string) bool {
	return code == 0 && !strings.Contains(strings.ToLower(output), "not logged in")
}

func (d *driver) Command() []string {
	command := []string{"codex"}
	if d.turn.Profile != "" {
		command = append(command, "-c", "profile="+string(codingagent.Encode(d.turn.Profile))) // there is no flag; versions that refuse it report so
	}
	return append(command, "app-server")
}

func (d *driver) Start() []codingagent.Write {
	return []codingagent.Write{jsonrpc.Request("", d.key("initialize"), "initialize", initializeParams{
		ClientInfo:   clientInfo{Name: "xbot", Title: "xbot", Version: "1"},
		Capabilities: capabilities{ExperimentalAPI: true}, // it asks the user questions only then
	})}
}

func (d *driver) Line(line []byte) codingagent.Step {
	in, ok := jsonrpc.Read(line)
	switch {
	case !ok || d.ended && len(in.ID) == 0:
		return codingagent.Step{}
	case in.Method == "":
		return d.answered(in)
	case len(in.ID) > 0:
		return d.handleRequest(in)
	default:
		return d.notification(in)
	}
}

// answered takes codex's answer to a request of the driver.
func (d *driver) answered(in jsonrpc.Incoming) codingagent.Step {
	name := in.Name()
	if key, ok := strings.CutPrefix(name, "steer:"); ok {
		d.steers.Settle(key, in.Error == nil)
		return codingagent.Step{}
	}
	if d.ended {
		return codingagent.Step{}
	}
	switch name {
	case d.key("initialize"), d.key("thread"), d.key("turn"):
		if in.Error != nil {
			d.gone = name == d.key("thread") && d.turn.Thread != "" && strings.Contains(in.Error.Message, "no rollout found")
			return d.end(codingagent.Failed, &turnError{Message: in.Error.Message})
		}
	}
	switch name {
	case d.key("initialize"):
		return codingagent.Step{Writes: []codingagent.Write{jsonrpc.Notify("", d.key("initialized"), "initialized"), d.openThread()}}
	case d.key("thread"):
		return d.startTurn(in.Result)
	case d.key("turn"):
		var result struct {
			Turn turnState `json:"turn"`
		}
		if codingagent.Decode(in.Result, &result) {
			return d.begin(result.Turn.ID)
		}
	}
	return codingagent.Step{}
}

func (d *driver) openThread() codingagent.Write {
	params := threadParams{
		ThreadID: d.turn.Thread, Model: d.turn.Model, Cwd: d.turn.Dir, ApprovalPolicy: d.approvals(), Sandbox: d.sandbox(),
		Personality: d.personality(),
	}
	if len(d.turn.AddDirs) > 0 && d.sandbox() == codingagent.WorkspaceWrite {
		params.Config = map[string]any{"sandbox_workspace_write.writable_roots": d.turn.AddDirs}
	}
	method := "thread/start"
	if d.turn.Thread != "" {
		method = "thread/resume"
	}
	return jsonrpc.Request("", d.key("thread"), method, params)
}

func (d *driver) startTurn(result json.RawMessage) codingagent.Step {
	var opened struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	if !codingagent.Decode(result, &opened) || opened.Thread.ID == "" {
		return d.end(codingagent.Failed, &turnError{Message: "codex opened no conversation"})
	}
	d.thread = opened.Thread.ID
	return codingagent.Step{
		Writes: []codingagent.Write{jsonrpc.Request("", d.key("turn"), "turn/start", turnParams{
			ThreadID: d.thread, Input: input(d.turn.UserMessage()), Cwd: d.turn.Dir, ApprovalPolicy: d.approvals(), SandboxPolicy: d.outer(),
			Model: d.turn.Model, Effort: d.turn.Effort, Personality: d.personality(),
		})},
		Events: []codingagent.Event{codingagent.Thread{ID: d.thread}},
	}
}

// begin records the id of the turn and sends the interruptions that came before it was known.
func (d *driver) begin(id string) codingagent.Step {
	if id == "" || d.id != "" {
		return codingagent.Step{}
	}
	d.id = id
	step := eventStep(codingagent.Taken{})
	for _, key := range d.stopKeys {
		step.Writes = append(step.Writes, d.Interrupt(key)...)
	}
	return step
}

func (d *driver) Steer(key string, m codingagent.Message) ([]codingagent.Write, bool) {
	if d.id == "" || !d.steers.May(key, !d.ended) {
		return nil, false
	}
	return []codingagent.Write{jsonrpc.Request("", "steer:"+key, "turn/steer",
		steerParams{ThreadID: d.thread, ExpectedTurnID: d.id, Input: input(m)})}, true
}

func (d *driver) Interrupt(key string) []codingagent.Write {
	if d.id == "" {
		d.stopKeys = append(d.stopKeys, key)
		return nil
	}
	if d.ended {
		return nil
	}
	return []codingagent.Write{jsonrpc.Request("", "interrupt:"+key, "turn/interrupt", interruptParams{ThreadID: d.thread, TurnID: d.id})}
}

func (d *driver) end(outcome codingagent.Outcome, failure *turnError) codingagent.Step {
	d.ended = true
	end := codingagent.End{Outcome: outcome, Reply: d.reply}
	if outcome == codingagent.Failed {
		if failure == nil {
			failure = d.failure
		}
		end.Error, end.LogIn, end.Gone = failure.text(), failure.unauthorized(), d.gone
	}
	return codingagent.Step{Events: []codingagent.Event{end}}
}

func (d *driver) key(what string) string { return what + ":" + d.turn.Key }

func (d *driver) approvals() codingagent.Approvals {
	if d.turn.Approvals == "" {
		return codingagent.ApproveNever
	}
	return d.turn.Approvals
}

func (d *driver) sandbox() codingagent.Sandbox {
	if d.turn.Sandbox == "" {
		return codingagent.ReadOnly
	}
	return d.turn.Sandbox
}

// outer informs codex that its process is confined already: its own sandbox needs namespaces, which a confined runner does not give. The
// runner makes the commands of a read-only turn change nothing (agents.Confinement).
func (d *driver) outer() *sandboxPolicy {
	if !d.turn.Confined || d.sandbox() == codingagent.FullAccess {
		return nil
	}
	return &sandboxPolicy{Type: "externalSandbox", NetworkAccess: "enabled"}
}

// personality passes on the names that codex knows.
func (d *driver) personality() string {
	switch d.turn.Personality {
	case "friendly", "pragmatic", "none":
		return d.turn.Personality
	}
	return ""
}
