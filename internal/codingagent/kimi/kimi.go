// Package kimi implements the wire protocol of `kimi --wire`: JSON-RPC 2.0 lines whose events and requests have a type.
//
// Shapes: MoonshotAI/kimi-cli (commit 4a550eff), docs/en/customization/wire-mode.md (protocol 1.10),
// src/kimi_cli/wire/jsonrpc.py (ids are strings), src/kimi_cli/cli/__init__.py (flags: a session id that is not there is made).
package kimi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/jsonrpc"
)

const (
	version  = "2.0"
	protocol = "1.8" // it has all the driver needs; newer ones add events
)

type driver struct {
	turn     codingagent.Turn
	begun    bool
	taken    bool // kimi works on the user's message
	stepped  bool // it has begun to answer
	blind    bool // its model sees no pictures
	stopKeys []string
	steers   codingagent.Steers
	open     codingagent.Remembered[request]
	works    codingagent.Remembered[*call]
	last     *call // whose arguments are streamed
	messages int
	text     strings.Builder // of the open message
	reply    string
	usage    codingagent.Usage
	ended    bool
}

// New makes a driver for one turn.
func New(turn codingagent.Turn) codingagent.Driver {
	return &driver{turn: turn, open: codingagent.Remembered[request]{}, works: codingagent.Remembered[*call]{}}
}

// Check finds kimi. It has no command that shows the log-in (src/kimi_cli/cli: login, logout, info, acp): the answer of `kimi acp` to
// authenticate covers accounts of Kimi alone, and denies keys of the configuration, with which turns are answered. So a turn shows it.
func Check() codingagent.Check {
	return codingagent.Check{Command: []string{"kimi", "--version"}, Hint: "kimi login", Reader: check{}, Silent: true}
}

type check struct{}

func (check) LoggedIn(code int, _ string) bool { return code == 0 }

func (d *driver) Command() []string {
	command := []string{"kimi", "--wire", "--session=" + d.session()}
	if d.turn.Unguarded() {
		command = append(command, "--yolo")
	}
	switch d.turn.Effort {
	case "":
	case "none", "off":
		command = append(command, "--no-thinking")
	default:
		command = append(command, "--thinking")
	}
	if d.turn.Model != "" {
		command = append(command, "--model="+d.turn.Model)
	}
	if d.turn.Profile != "" {
		command = append(command, "--agent="+d.turn.Profile)
	}
	for _, dir := range d.turn.AddDirs {
		command = append(command, "--add-dir="+dir)
	}
	return command
}

// session names the conversation. kimi does not return the id of a new one, but accepts a given one.
func (d *driver) session() string {
	if d.turn.Thread != "" {
		return d.turn.Thread
	}
	sum := sha256.Sum256([]byte("session:" + d.turn.Key))
	return hex.EncodeToString(sum[:16])
}

func (d *driver) Start() []codingagent.Write {
	return []codingagent.Write{jsonrpc.Request(version, d.key("initialize"), "initialize", map[string]any{
		"protocol_version": protocol, "client": map[string]any{"name": "xbot", "version": "1"},
		"capabilities": map[string]any{"supports_question": true},
	})}
}

func (d *driver) Line(line []byte) codingagent.Step {
	in, ok := jsonrpc.Read(line)
	switch {
	case !ok:
		return codingagent.Step{}
	case in.Method == "":
		return d.answered(in)
	case len(in.ID) > 0:
		return d.handleRequest(in)
	case in.Method == "event" && !d.ended:
		return d.notification(in.Params)
	}
	return codingagent.Step{}
}

func (d *driver) answered(in jsonrpc.Incoming) codingagent.Step {
	name := in.Name()
	if key, ok := strings.CutPrefix(name, "steer:"); ok {
		d.steers.Settle(key, in.Error == nil)
		return codingagent.Step{}
	}
	switch {
	case name == d.key("initialize") && !d.begun:
		return d.begin(in.Error)
	case name == d.promptKey() && !d.ended:
		if d.refusesPictures(in.Error) {
			d.blind = true
			return codingagent.Step{Writes: []codingagent.Write{d.prompt()}}
		}
		return d.finished(in)
	}
	return codingagent.Step{}
}

// prompt gives kimi the user's message: a text, or parts of content (TextPart and ImageURLPart in packages/kosong/src/kosong/message.py).
func (d *driver) prompt() codingagent.Write {
	m := d.turn.UserMessage().Unslashed()
	var input any = m.Text
	if shown := m.Shown(); len(shown) > 0 && !d.blind {
		parts := []any{map[string]any{"type": "text", "text": m.Text}}
		for _, p := range shown {
			parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]any{"url": p.URL()}})
		}
		input = parts
	}
	return jsonrpc.Request(version, d.promptKey(), "prompt", map[string]any{"user_input": input})
}

func (d *driver) promptKey() string {
	if d.blind {
		return d.key("prompt without pictures")
	}
	return d.key("prompt")
}

// refusesPictures reports whether kimi did nothing with the message but say that its model sees no pictures (soul/kimisoul.py: it looks before
// the first step begins, and keeps nothing of the message). Then it is given the text alone.
func (d *driver) refusesPictures(why *jsonrpc.Error) bool {
	return why != nil && why.Code == notSupported && !d.stepped && !d.blind && len(d.turn.UserMessage().Shown()) > 0
}

// begin sends the user's message. A version without initialize does not need it.
func (d *driver) begin(refused *jsonrpc.Error) codingagent.Step {
	if refused != nil && refused.Code != jsonrpc.MethodNotFound {
		return d.failed(refused)
	}
	d.begun = true
	step := codingagent.Step{
		Writes: []codingagent.Write{d.prompt()},
		Events: []codingagent.Event{codingagent.Thread{ID: d.session()}},
	}
	for _, key := range d.stopKeys {
		step.Writes = append(step.Writes, d.Interrupt(key)...)
	}
	return step
}

func (d *driver) finished(in jsonrpc.Incoming) codingagent.Step {
	if in.Error != nil {
		return d.failed(in.Error)
	}
	var result struct {
		Status string `json:"status"`
		Steps  int    `json:"steps"`
	}
	_ = json.Unmarshal(in.Result, &result) // another answer is an end, too
	step := d.closeMessage()
	end := codingagent.End{Outcome: codingagent.Completed, Reply: d.reply}
	switch result.Status {
	case "cancelled":
		end.Outcome = codingagent.Interrupted
	case "max_steps_reached":
		end.Outcome, end.Error = codingagent.Failed, fmt.Sprintf("kimi stopped after %d steps, as many as it may take in a turn", result.Steps)
	}
	d.ended = true
	step.Events = append(step.Events, end)
	return step
}

// Codes of kimi's errors.
const (
	notConfigured = -32001
	notSupported  = -32002
	authExpired   = -32004
)

func (d *driver) failed(why *jsonrpc.Error) codingagent.Step {
	step := d.closeMessage()
	d.ended = true
	text := codingagent.Paragraph(why.Message)
	step.Events = append(step.Events, codingagent.End{
		Outcome: codingagent.Failed, Reply: d.reply, Error: text,
		LogIn: why.Code == notConfigured || why.Code == authExpired || strings.Contains(text, "/login"),
	})
	return step
}

// Steer writes another message, without its pictures: kimi ends the turn where its model sees none, and does not say before whether it does.
func (d *driver) Steer(key string, m codingagent.Message) ([]codingagent.Write, bool) {
	if !d.begun || !d.steers.May(key, !d.ended) {
		return nil, false
	}
	return []codingagent.Write{jsonrpc.Request(version, "steer:"+key, "steer", map[string]any{"user_input": m.Unslashed().Text})}, true
}

func (d *driver) Interrupt(key string) []codingagent.Write {
	if !d.begun {
		d.stopKeys = append(d.stopKeys, key)
		return nil
	}
	if d.ended {
		return nil
	}
	return []codingagent.Write{jsonrpc.Request(version, "interrupt:"+key, "cancel", map[string]any{})}
}

func (d *driver) key(what string) string { return what + ":" + d.turn.Key }
