// Package claude implements the stream-json protocol of `claude -p`: messages and control requests, one JSON object a line.
//
// Shapes: anthropics/claude-agent-sdk-python (commit e8bde60), src/claude_agent_sdk/types.py (SDKControlRequest,
// SDKControlResponse, SandboxSettings), _internal/query.py (control requests, can_use_tool), _internal/message_parser.py,
// _internal/transport/subprocess_cli.py (flags). Compared with sdk.d.ts of @anthropic-ai/claude-agent-sdk 0.3.332.
package claude

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"xbot/internal/codingagent"
)

type driver struct {
	turn      codingagent.Turn
	thread    string
	begun     bool // the user's message was written
	taken     bool // claude has it
	stopped   bool // claude confirmed the interruption
	loggedOut bool
	ended     bool
	reply     string
	stopKeys  []string
	current   string // id of the message that is streamed
	counts    map[string]*blocks
	works     codingagent.Remembered[codingagent.Work]
	open      codingagent.Remembered[request]
	echoed    codingagent.Remembered[bool] // by uuid of a message
}

// blocks counts the texts of one message: the streamed ones, and the whole ones.
type blocks struct{ streamed, whole int }

// New makes a driver for one turn.
func New(turn codingagent.Turn) codingagent.Driver {
	return &driver{
		turn: turn, counts: map[string]*blocks{}, works: codingagent.Remembered[codingagent.Work]{},
		open: codingagent.Remembered[request]{}, echoed: codingagent.Remembered[bool]{},
	}
}

// Check asks claude for its log-in: `claude auth status --json` prints {"loggedIn": …}.
func Check() codingagent.Check {
	return codingagent.Check{Command: []string{"claude", "auth", "status", "--json"}, Hint: "claude auth login", Reader: check{}}
}

type check struct{}

func (check) LoggedIn(code int, output string) bool {
	var status struct {
		LoggedIn *bool `json:"loggedIn"`
	}
	from, to := strings.Index(output, "{"), strings.LastIndex(output, "}")
	if from >= 0 && to > from && json.Unmarshal([]byte(output[from:to+1]), &status) == nil && status.LoggedIn != nil {
		return *status.LoggedIn
	}
	return code == 0
}

func (d *driver) Command() []string {
	command := []string{
		"claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--include-partial-messages", "--replay-user-messages", "--permission-prompt-tool", "stdio",
		"--permission-mode", d.mode(),
	}
	if settings := d.settings(); settings != "" {
		command = append(command, "--settings", settings)
	}
	if d.turn.Sandbox != codingagent.WorkspaceWrite && d.turn.Sandbox != codingagent.FullAccess {
		command = append(command, "--disallowedTools", "Edit,MultiEdit,Write,NotebookEdit")
	}
	for _, option := range []struct{ flag, value string }{
		{"--model", d.turn.Model}, {"--effort", d.turn.Effort}, {"--agent", d.turn.Profile},
		{"--append-system-prompt", d.turn.Personality}, {"--resume", d.turn.Thread},
	} {
		if option.value != "" {
			command = append(command, option.flag+"="+option.value)
		}
	}
	for _, dir := range d.turn.AddDirs {
		command = append(command, "--add-dir="+dir)
	}
	return command
}

func (d *driver) mode() string {
	if d.turn.Unguarded() {
		return "bypassPermissions"
	}
	return "default" // it asks, and the turn's policy answers
}

// settings makes claude's own sandbox confine its commands, unless the turn allows everything.
func (d *driver) settings() string {
	switch {
	case d.turn.Sandbox == codingagent.FullAccess:
		return ""
	case d.turn.Confined: // its sandbox needs namespaces also in its weaker form, and a confined runner gives none: claude asks about its commands
		return string(codingagent.Encode(map[string]any{"sandbox": map[string]any{"enabled": false}}))
	}
	free := d.turn.Sandbox == codingagent.WorkspaceWrite && d.turn.Approvals != codingagent.ApproveUntrusted
	return string(codingagent.Encode(map[string]any{"sandbox": map[string]any{
		"enabled": true, "autoAllowBashIfSandboxed": free, "allowUnsandboxedCommands": false,
	}}))
}

func (d *driver) Start() []codingagent.Write {
	return []codingagent.Write{d.control("initialize:"+d.turn.Key, map[string]any{"subtype": "initialize", "hooks": nil})}
}

func (d *driver) Line(line []byte) codingagent.Step {
	var m message
	if d.ended || len(line) > codingagent.MaxLine || !codingagent.Decode(line, &m) || m.Type == "" {
		return codingagent.Step{}
	}
	step := d.read(m)
	if d.begun && !d.taken && takes(m) {
		d.taken = true
		step.Events = append([]codingagent.Event{codingagent.Taken{}}, step.Events...)
	}
	if m.SessionID != "" && m.SessionID != d.thread && m.Type != "control_request" {
		d.thread = m.SessionID
		step.Events = append([]codingagent.Event{codingagent.Thread{ID: d.thread}}, step.Events...)
	}
	return step
}

// takes reports whether a message shows that claude has its input: it repeats it, or works on it.
func takes(m message) bool {
	switch m.Type {
	case "user", "assistant", "stream_event":
		return true
	}
	return m.Type == "result" && !m.IsError || m.Type == "control_request" && m.Request.Subtype == "can_use_tool"
}

func (d *driver) read(m message) codingagent.Step {
	switch m.Type {
	case "control_response":
		return d.answered(m.Response)
	case "control_request":
		return d.handleRequest(m)
	case "control_cancel_request":
		delete(d.open, m.RequestID)
	case "stream_event":
		if m.Parent == nil {
			return d.streamed(m.Event)
		}
	case "assistant":
		return d.assistant(m)
	case "user":
		return d.user(m)
	case "result":
		return d.result(m)
	}
	return codingagent.Step{}
}

func (d *driver) answered(r controlResponse) codingagent.Step {
	switch {
	case r.RequestID == "initialize:"+d.turn.Key && !d.begun:
		d.begun = true // also where this version refuses to be initialized: it needs no handshake then
		writes := []codingagent.Write{d.says("message:"+d.turn.Key, d.turn.UserMessage())}
		for _, key := range d.stopKeys {
			writes = append(writes, d.Interrupt(key)...)
		}
		return codingagent.Step{Writes: writes}
	case strings.HasPrefix(r.RequestID, "interrupt:") && r.Subtype == "success":
		d.stopped = true
	}
	return codingagent.Step{}
}

// Steer writes another message. claude reads it with the next step of the running turn, and repeats it once it did.
func (d *driver) Steer(key string, m codingagent.Message) ([]codingagent.Write, bool) {
	taken := d.echoed[uuid("steer:"+key)]
	if !d.begun || d.ended && !taken {
		return nil, false
	}
	return []codingagent.Write{d.says("steer:"+key, m)}, true
}

func (d *driver) Interrupt(key string) []codingagent.Write {
	if !d.begun {
		d.stopKeys = append(d.stopKeys, key)
		return nil
	}
	if d.ended {
		return nil
	}
	return []codingagent.Write{d.control("interrupt:"+key, map[string]any{"subtype": "interrupt"})}
}

func (d *driver) control(key string, request any) codingagent.Write {
	return codingagent.Write{Key: key, Line: codingagent.Encode(map[string]any{
		"type": "control_request", "request_id": key, "request": request,
	})}
}

// says writes a message with content of the Messages API: SDKUserMessage in sdk.d.ts, ImageBlockParam in @anthropic-ai/sdk.
func (d *driver) says(key string, m codingagent.Message) codingagent.Write {
	blocks := []any{map[string]any{"type": "text", "text": m.Unslashed().Text}}
	for _, p := range m.Shown() {
		blocks = append(blocks, map[string]any{
			"type": "image", "source": map[string]any{"type": "base64", "media_type": p.MediaType, "data": p.Base64()},
		})
	}
	return codingagent.Write{Key: key, Line: codingagent.Encode(map[string]any{
		"type": "user", "session_id": "", "parent_tool_use_id": nil, "uuid": uuid(key),
		"message": map[string]any{"role": "user", "content": blocks},
	})}
}

// uuid derives an identifier of the form that claude requires from a key.
func uuid(key string) string {
	sum := sha256.Sum256([]byte(key))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
