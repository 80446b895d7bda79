package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// MaxBytes limits a hooks file.
const MaxBytes = 256 << 10

// Fault is a mistake in a hooks file.
type Fault struct {
	Source string `json:"source"`          // the file
	Place  string `json:"place,omitempty"` // where in it; empty: all of it
	Event  Event  `json:"event,omitempty"` // the event that it is about; empty: it may be any
	Text   string `json:"text"`            // a sentence
}

func (f Fault) String() string {
	if f.Place == "" {
		return f.Source + ": " + f.Text
	}
	return f.Source + ", " + f.Place + ": " + f.Text
}

// Grants are the permissions of handlers in the installation.
type Grants struct {
	Host      bool     // commands on the server's host (XBOT_HOST_HOOKS)
	Callbacks []string // the functions that there are
}

// Config is a parsed hooks file.
type Config struct {
	Commands bool // enable_command_hooks
	Projects bool // project_hooks
	Handlers []Handler
	Faults   []Fault
}

// Parse reads a hooks file and checks all of it. Mistakes become faults; the rest is valid.
func Parse(text []byte, source string, layer Layer, grants Grants) Config {
	p := &parser{source: source, layer: layer, grants: grants}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	switch {
	case len(text) > MaxBytes:
		p.fault("", "it has %d bytes; at most %d are read", len(text), MaxBytes)
	case len(bytes.TrimSpace(text)) > 0:
		p.file(text)
	}
	return p.out
}

type parser struct {
	source string
	layer  Layer
	grants Grants
	event  Event // that is being read
	out    Config
}

func (p *parser) fault(place, format string, args ...any) {
	p.out.Faults = append(p.out.Faults, Fault{Source: p.source, Place: place, Event: p.event, Text: fmt.Sprintf(format, args...)})
}

// file reads the whole of a file.
func (p *parser) file(text []byte) {
	f, ok := p.object(text, "", "enable_command_hooks", "project_hooks", "hooks")
	if !ok {
		return
	}
	p.value(f, "", "enable_command_hooks", &p.out.Commands)
	p.value(f, "", "project_hooks", &p.out.Projects)
	if p.layer != LayerHome && p.out.Projects {
		p.fault("project_hooks", "only the administrator's file may have this")
	}
	if f["hooks"] == nil {
		return
	}
	var events map[string]json.RawMessage
	if err := json.Unmarshal(f["hooks"], &events); err != nil {
		p.fault("hooks", "it is no object of events: %s", plain(err))
		return
	}
	names := make([]string, 0, len(events))
	for name := range events {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if p.event = ""; !Event(name).Known() {
			p.fault("hooks."+name, "there is no event %q; the events are %s", name, list(Events()))
			continue
		}
		p.event = Event(name)
		p.groups(events[name], "hooks."+name)
	}
}

// groups reads the groups of an event.
func (p *parser) groups(text json.RawMessage, at string) {
	var groups []json.RawMessage
	if err := json.Unmarshal(text, &groups); err != nil {
		p.fault(at, "it is no list: %s", plain(err))
		return
	}
	for i, group := range groups {
		at := fmt.Sprintf("%s[%d]", at, i)
		g, ok := p.object(group, at, "matcher", "hooks")
		if !ok {
			continue
		}
		match, ok := p.match(g, at)
		if !ok {
			continue
		}
		var handlers []json.RawMessage
		if !p.value(g, at, "hooks", &handlers) {
			continue
		}
		for n, h := range handlers {
			p.handler(h, fmt.Sprintf("%s.hooks[%d]", at, n), match)
		}
	}
}

func (p *parser) match(g map[string]json.RawMessage, at string) (m matcher, ok bool) {
	var text string
	if !p.value(g, at, "matcher", &text) {
		return m, false
	}
	m, err := newMatcher(text)
	if err != nil {
		p.fault(at+".matcher", "%q is no list of names and no regular expression: %s", cut(text, 80), err)
		return m, false
	}
	if text != "" && text != "*" && traits[p.event].subject == "" {
		p.fault(at+".matcher", "%s has nothing to match: leave the matcher out", p.event)
		return m, false
	}
	return m, true
}

// handlerFile is a handler in the form of the file.
type handlerFile struct {
	Type     Kind
	Command  string
	Host     bool
	URL      string
	Headers  map[string]string
	Env      []string
	Server   string
	Tool     string
	Input    json.RawMessage
	Callback string
	If       string
	Timeout  float64
	Async    bool
	OnError  Decision
}

// members lists the members of a handler by kind, in addition to type, if, timeout, async and on_error.
var members = map[Kind][]string{
	KindCommand:  {"command", "host"},
	KindHTTP:     {"url", "headers", "allowed_env_vars"},
	KindMCP:      {"server", "tool", "input"},
	KindCallback: {"callback"},
}

func (p *parser) handler(text json.RawMessage, at string, m matcher) {
	var kind struct {
		Type Kind `json:"type"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		p.fault(at, "it is no handler: %s", plain(err))
		return
	}
	own, ok := members[kind.Type]
	if !ok {
		p.fault(at+".type", "there is no kind of handler %q; the kinds are command, http, mcp_tool and callback", cut(string(kind.Type), 40))
		return
	}
	before := len(p.out.Faults)
	f, ok := p.object(text, at, append([]string{"type", "if", "timeout", "async", "on_error"}, own...)...)
	if !ok {
		return
	}
	w := handlerFile{Type: kind.Type}
	for _, m := range []struct {
		name string
		into any
	}{
		{"command", &w.Command}, {"host", &w.Host}, {"url", &w.URL}, {"headers", &w.Headers}, {"allowed_env_vars", &w.Env},
		{"server", &w.Server}, {"tool", &w.Tool}, {"input", &w.Input}, {"callback", &w.Callback}, {"if", &w.If}, {"timeout", &w.Timeout}, {"async", &w.Async}, {"on_error", &w.OnError},
	} {
		p.value(f, at, m.name, m.into)
	}
	h := Handler{
		Event: p.event, Layer: p.layer, Source: p.source, Place: at, Kind: w.Type, Command: w.Command, Host: w.Host,
		HTTPCall: HTTPCall{URL: w.URL, Headers: w.Headers, Env: w.Env}, MCPCall: MCPCall{Server: w.Server, Tool: w.Tool, Input: w.Input},
		Callback: w.Callback, Async: w.Async, matcher: m,
	}
	p.common(&h, w)
	p.kind(h)
	if len(p.out.Faults) == before {
		p.out.Handlers = append(p.out.Handlers, h)
	}
}

// common checks the members of handlers of all kinds.
func (p *parser) common(h *Handler, w handlerFile) {
	var err error
	if h.when, err = newCondition(w.If); err != nil {
		p.fault(h.Place+".if", "%q is no condition such as Shell(git push*): %s", cut(w.If, 80), err)
	} else if w.If != "" && !p.event.OfTool() {
		p.fault(h.Place+".if", "%s is about no call of a tool, so there is nothing to compare", p.event)
	}
	h.Timeout = CommandTime
	if h.Kind == KindHTTP {
		h.Timeout = HTTPTime
	}
	switch {
	case w.Timeout < 0 || w.Timeout > MaxTime.Seconds():
		p.fault(h.Place+".timeout", "it is a number of seconds, at most %.0f", MaxTime.Seconds())
	case w.Timeout > 0:
		h.Timeout = time.Duration(w.Timeout * float64(time.Second))
	}
	h.OnError = Allow
	if p.event.Closed() {
		h.OnError = Deny
	}
	switch w.OnError {
	case "":
	case Allow, Ask, Deny:
		if h.OnError = w.OnError; !p.event.Closed() {
			p.fault(h.Place+".on_error", "only handlers of PreToolUse have this")
		}
	default:
		p.fault(h.Place+".on_error", "it is one of allow, ask and deny")
	}
}

// kind checks the members of handlers of its kind.
func (p *parser) kind(h Handler) {
	switch h.Kind {
	case KindCommand:
		if strings.TrimSpace(h.Command) == "" {
			p.fault(h.Place+".command", "it is missing")
		}
		if h.Host && p.layer != LayerHome {
			p.fault(h.Place+".host", "a file of a project runs nothing on the server's host: leave it out, and the command runs in the sandbox")
		} else if h.Host && !p.grants.Host {
			p.fault(h.Place+".host", "commands on the server's host are off; an operator can allow them with XBOT_HOST_HOOKS=on")
		}
	case KindHTTP:
		p.http(h)
	case KindMCP:
		p.mcp(h)
	case KindCallback:
		if !slices.Contains(p.grants.Callbacks, h.Callback) {
			p.fault(h.Place+".callback", "there is no function %q; there are %s", cut(h.Callback, 40), strings.Join(p.grants.Callbacks, ", "))
		}
	}
}

func (p *parser) mcp(h Handler) {
	if strings.TrimSpace(h.Server) == "" {
		p.fault(h.Place+".server", "it is missing")
	}
	if strings.TrimSpace(h.Tool) == "" {
		p.fault(h.Place+".tool", "it is missing")
	}
	if h.Input != nil && !strings.HasPrefix(strings.TrimSpace(string(h.Input)), "{") {
		p.fault(h.Place+".input", "it is no object of arguments")
	}
}

func (p *parser) http(h Handler) {
	if u, err := url.Parse(h.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		p.fault(h.Place+".url", "it is no address that begins with http:// or https://")
	}
	if len(h.Env) > 0 && p.layer != LayerHome {
		p.fault(h.Place+".allowed_env_vars", "only the administrator's file may name variables of the server")
	}
	for name, value := range h.Headers {
		if !headerName.MatchString(name) || strings.ContainsAny(value, "\r\n\x00") {
			p.fault(h.Place+".headers", "%q is no header", cut(name, 40))
		}
		for _, v := range variables(value) {
			if !slices.Contains(h.Env, v) {
				p.fault(h.Place+".headers", "%s names the variable %s, which is not among allowed_env_vars", cut(name, 40), v)
			}
		}
	}
}

// object decodes an object and reports its unknown members. ok is false if it is none.
func (p *parser) object(text []byte, at string, known ...string) (fields map[string]json.RawMessage, ok bool) {
	if err := json.Unmarshal(text, &fields); err != nil {
		p.fault(at, "it is no JSON object: %s", where(text, err))
		return nil, false
	}
	if fields == nil {
		p.fault(at, "it is null")
		return nil, false
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(known, name) {
			p.fault(strings.TrimPrefix(at+"."+cut(name, 40), "."), "it is unknown here; known are %s", strings.Join(known, ", "))
		}
	}
	return fields, true
}

// value decodes a member, if it is there. It reports false if the type is wrong.
func (p *parser) value(fields map[string]json.RawMessage, at, name string, into any) bool {
	raw, ok := fields[name]
	if !ok {
		return true
	}
	if err := json.Unmarshal(raw, into); err != nil {
		p.fault(strings.TrimPrefix(at+"."+name, "."), "%s", plain(err))
		return false
	}
	return true
}
