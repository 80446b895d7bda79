// Package plugin is the SDK for xbot plugins in Go. It imports the standard library only.
//
//	p := plugin.New()
//	p.Tool("greet", func(ctx context.Context, c plugin.Call) (string, error) { return "Hello", nil })
//	p.Run()
//
// plugin.json lists what a plugin adds; a handler here answers by that name. Handlers run at the same time; their context ends when no request waits
// for the answer any more. An error that a handler returns is shown to the model or the user, in its words.
package plugin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// MaxMessage is how long a message may be, in bytes, in either direction, with the end of the line in the plugin's messages.
const MaxMessage = 1 << 20

// Call is a call of a tool.
type Call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // an object
	Call      string          `json:"call"`      // the same when the call is repeated after a crash
	Session   string          `json:"session"`
	Person    string          `json:"person"` // who has the conversation
}

// Decode reads the arguments into a struct.
func (c Call) Decode(into any) error {
	if err := json.Unmarshal(c.Arguments, into); err != nil {
		return fmt.Errorf("the arguments do not fit: %w", err)
	}
	return nil
}

// Command is a slash command written by a user.
type Command struct {
	Name     string `json:"name"`
	Args     string `json:"args"` // what follows the name
	Session  string `json:"session"`
	Person   string `json:"person"`
	Language string `json:"language"` // of the answer: en or zh
}

// Scene is where a prompt is made.
type Scene struct {
	Name    string `json:"name"` // of the enricher
	Session string `json:"session"`
	Person  string `json:"person"`
	Channel string `json:"channel"`
}

// Answer is what a hook decides. The zero value has no objection.
type Answer struct {
	Decision string          `json:"decision,omitempty"` // allow, ask, defer or deny
	Reason   string          `json:"reason,omitempty"`
	Context  string          `json:"context,omitempty"` // for the model
	Updated  json.RawMessage `json:"updatedInput,omitempty"`
}

// Ask is what a panel asks.
type Ask struct {
	Name     string          `json:"name"`   // of the widget
	Params   json.RawMessage `json:"params"` // any JSON that the panel sent
	Person   string          `json:"person"` // who has it open
	Language string          `json:"language"`
}

// Decode reads the params into a struct.
func (a Ask) Decode(into any) error {
	if err := json.Unmarshal(a.Params, into); err != nil {
		return fmt.Errorf("the params do not fit: %w", err)
	}
	return nil
}

type (
	// WidgetFunc answers a panel with anything that is JSON of at most 256 kB.
	WidgetFunc func(ctx context.Context, a Ask) (any, error)
	// ToolFunc answers a call of a tool.
	ToolFunc func(ctx context.Context, c Call) (string, error)
	// CommandFunc answers a slash command.
	CommandFunc func(ctx context.Context, c Command) (string, error)
	// EnrichFunc makes text of a prompt; empty: none.
	EnrichFunc func(ctx context.Context, s Scene) (string, error)
	// HookFunc decides about an event, whose payload is as docs/operate/hooks.md has it.
	HookFunc func(ctx context.Context, payload json.RawMessage) (Answer, error)
)

// Plugin is one end of the conversation with xbot.
type Plugin struct {
	tools     map[string]ToolFunc
	commands  map[string]CommandFunc
	enrichers map[string]EnrichFunc
	widgets   map[string]WidgetFunc
	hook      HookFunc
	channels  channels

	settings json.RawMessage
	out      io.Writer
	write    sync.Mutex

	mu      sync.Mutex
	next    int64
	waiting map[int64]chan message
	running map[string]context.CancelFunc
}

// New returns a plugin without handlers.
func New() *Plugin {
	return &Plugin{
		tools: map[string]ToolFunc{}, commands: map[string]CommandFunc{}, enrichers: map[string]EnrichFunc{}, widgets: map[string]WidgetFunc{}, out: os.Stdout,
		waiting: map[int64]chan message{}, running: map[string]context.CancelFunc{},
	}
}

// Tool answers calls of a tool.
func (p *Plugin) Tool(name string, f ToolFunc) { p.tools[name] = f }

// Command answers a slash command.
func (p *Plugin) Command(name string, f CommandFunc) { p.commands[name] = f }

// Enricher adds text to prompts.
func (p *Plugin) Enricher(name string, f EnrichFunc) { p.enrichers[name] = f }

// Widget answers what a panel asks.
func (p *Plugin) Widget(name string, f WidgetFunc) { p.widgets[name] = f }

// Hook decides about the events of all hooks.
func (p *Plugin) Hook(f HookFunc) { p.hook = f }

// Settings reads the settings into a struct. They are there once the plugin runs, in handlers.
func (p *Plugin) Settings(into any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return json.Unmarshal(p.settings, into)
}

// message is one of JSON-RPC 2.0.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    *delay `json:"data,omitempty"`
}

// delay is the time after which to ask again.
type delay struct {
	RetryAfter float64 `json:"retry_after"` // seconds
}

// Run talks to xbot until xbot ends the plugin.
func (p *Plugin) Run() error { return p.Serve(os.Stdin, os.Stdout) }

// Serve is Run over other streams.
func (p *Plugin) Serve(in io.Reader, out io.Writer) error {
	p.out = out
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), MaxMessage+1)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		switch {
		case m.Method == "shutdown":
			return nil
		case m.Method == "cancel":
			p.cancel(m.Params)
		case m.Method == "initialize":
			p.initialize(m)
		case m.Method == "":
			p.answered(m)
		case len(m.ID) > 0:
			ctx, cancel := context.WithCancel(context.Background())
			p.mu.Lock()
			p.running[string(m.ID)] = cancel
			p.mu.Unlock()
			go p.handle(ctx, m)
		}
	}
	return lines.Err()
}

func (p *Plugin) initialize(m message) {
	var in struct {
		Settings json.RawMessage `json:"settings"`
	}
	err := json.Unmarshal(m.Params, &in)
	p.mu.Lock()
	p.settings = in.Settings
	p.mu.Unlock()
	p.reply(m.ID, struct{}{}, err)
}

func (p *Plugin) cancel(params json.RawMessage) {
	var of struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(params, &of) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if end := p.running[string(of.ID)]; end != nil {
		end()
	}
}

func (p *Plugin) handle(ctx context.Context, m message) {
	result, err := p.dispatch(ctx, m)
	p.mu.Lock()
	p.running[string(m.ID)]()
	delete(p.running, string(m.ID))
	p.mu.Unlock()
	p.reply(m.ID, result, err)
}

// text is the answer of most handlers.
type text struct {
	Text  string `json:"text"`
	Error bool   `json:"error,omitempty"`
}

func (p *Plugin) dispatch(ctx context.Context, m message) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panics: %v", r)
		}
	}()
	if strings.HasPrefix(m.Method, "channels/") {
		return p.channel(ctx, m.Method, m.Params)
	}
	switch m.Method {
	case "tools/call":
		out, err := ask(ctx, m.Params, func(c Call) ToolFunc { return p.tools[c.Name] })
		if err != nil {
			return text{cut(err.Error()), true}, nil
		}
		return text{Text: out}, nil
	case "commands/run":
		out, err := ask(ctx, m.Params, func(c Command) CommandFunc { return p.commands[c.Name] })
		return text{Text: out}, err
	case "enrichers/enrich":
		out, err := ask(ctx, m.Params, func(s Scene) EnrichFunc { return p.enrichers[s.Name] })
		return text{Text: out}, err
	case "widgets/ask":
		return ask(ctx, m.Params, func(a Ask) WidgetFunc { return p.widgets[a.Name] })
	case "hooks/handle":
		var in struct {
			Payload json.RawMessage `json:"payload"`
		}
		if err := json.Unmarshal(m.Params, &in); err != nil || p.hook == nil {
			return nil, errors.Join(errors.New("there is no hook"), err)
		}
		return p.hook(ctx, in.Payload)
	}
	return nil, fmt.Errorf("there is no method %s", m.Method)
}

// ask finds a handler and calls it.
func ask[P, R any, F ~func(context.Context, P) (R, error)](ctx context.Context, params json.RawMessage, find func(P) F) (out R, err error) {
	var in P
	if err := json.Unmarshal(params, &in); err != nil {
		return out, err
	}
	if f := find(in); f != nil {
		return f(ctx, in)
	}
	return out, errors.New("the plugin has nothing of this name")
}

func (p *Plugin) reply(id json.RawMessage, result any, err error) {
	m := message{ID: id}
	if err == nil {
		m.Result, err = json.Marshal(result)
	}
	if err == nil {
		if err = p.send(m); !errors.Is(err, errTooLong) {
			return // xbot is gone if it failed
		}
	}
	m.Result, m.Error = nil, coded(err)
	_ = p.send(m) // xbot is gone if this fails
}

// maxWords is how long an error or a line of the log may be, in bytes. xbot keeps less.
const maxWords = 4 << 10

func cut(text string) string {
	if len(text) > maxWords {
		return strings.ToValidUTF8(text[:maxWords], "") + "…"
	}
	return text
}

var errTooLong = errors.New("the message is too long")

func (p *Plugin) send(m message) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if line = append(line, '\n'); len(line) > MaxMessage {
		return errTooLong // xbot would end the process
	}
	p.write.Lock()
	defer p.write.Unlock()
	_, err = p.out.Write(line)
	return err
}

// Log writes a line into the log of the server. level is info, warn or error.
func (p *Plugin) Log(level, line string) {
	params, err := json.Marshal(map[string]string{"level": level, "message": cut(line)})
	if err == nil {
		_ = p.send(message{Method: "log", Params: params}) // xbot is gone if this fails
	}
}
