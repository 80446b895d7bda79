// Package opencode implements the lines of `xbot-runner opencode-bridge`, which carries them to the HTTP server of opencode.
//
// Shapes: anomalyco/opencode, packages/opencode/src/question/index.ts and src/permission/index.ts (commit 0197fee9),
// packages/sdk/js/src/v2/gen/types.gen.ts (events, messages, parts; the second form of permissions and questions: @opencode-ai/sdk 1.19.3),
// packages/sdk/js/src/v2/server.ts (commit 17d34a64).
package opencode

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"xbot/internal/codingagent"
)

type driver struct {
	turn    codingagent.Turn
	session string
	phase
	failure  *failure
	reply    string
	stopKeys []string
	steers   codingagent.Steers
	first    string                       // id of the user's first message
	heard    codingagent.Remembered[bool] // texts of the user's further messages
	open     codingagent.Remembered[request]
	parts    codingagent.Remembered[*partState]
	roles    codingagent.Remembered[string]
	tokens   codingagent.Remembered[codingagent.Usage]
	streams  int // how often the stream of events was opened again
}

// phase is how far the turn is.
type phase struct {
	taken   bool // opencode has the user's message
	busy    bool // it works on it
	stopped bool // it was asked to stop
	gone    bool // it does not have the conversation
	ended   bool
}

// New makes a driver for one turn.
func New(turn codingagent.Turn) codingagent.Driver {
	return &driver{
		turn: turn, open: codingagent.Remembered[request]{}, parts: codingagent.Remembered[*partState]{},
		roles: codingagent.Remembered[string]{}, heard: codingagent.Remembered[bool]{}, tokens: codingagent.Remembered[codingagent.Usage]{},
	}
}

var counted = regexp.MustCompile(`(\d+) (?:credential|environment variable)`)

// Check counts the log-ins of opencode, and the keys that it finds in its environment.
func Check() codingagent.Check {
	return codingagent.Check{Command: []string{"opencode", "auth", "list"}, Hint: "opencode auth login", Reader: check{}, Providers: providers}
}

// providers finds a provider in the configuration of the user or of the workspace: `opencode auth list` knows stored keys and keys in the
// environment alone.
const providers = `grep -Eqs '"provider"[[:space:]]*:' "${OPENCODE_CONFIG:-/dev/null}" "${XDG_CONFIG_HOME:-$HOME/.config}"/opencode/opencode.json "${XDG_CONFIG_HOME:-$HOME/.config}"/opencode/opencode.jsonc opencode.json opencode.jsonc`

type check struct{}

func (check) LoggedIn(code int, output string) bool {
	for _, found := range counted.FindAllStringSubmatch(output, -1) {
		if code == 0 && strings.Trim(found[1], "0") != "" {
			return true
		}
	}
	return false
}

// Command starts the bridge; its program is the runner itself.
func (d *driver) Command() []string {
	return []string{codingagent.RunnerProgram, "opencode-bridge", "--permission", string(codingagent.Encode(d.permissions()))}
}

// permissions has opencode ask for everything that the turn does not allow at once.
func (d *driver) permissions() map[string]string {
	word := "ask"
	if d.turn.Unguarded() {
		word = "allow"
	}
	edit := word
	if d.turn.Sandbox != codingagent.WorkspaceWrite && d.turn.Sandbox != codingagent.FullAccess {
		edit = "deny"
	}
	return map[string]string{"bash": word, "edit": edit, "webfetch": word, "external_directory": word}
}

func (d *driver) Start() []codingagent.Write { return nil } // the bridge reports when it is ready

// line is a line of the bridge.
type line struct {
	Type   string          `json:"type"` // ready, response, event, resubscribed, end
	ID     string          `json:"id"`
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
	Error  string          `json:"error"`
	Event  event           `json:"event"`
}

func (d *driver) Line(raw []byte) codingagent.Step {
	var l line
	if len(raw) > codingagent.MaxLine || !codingagent.Decode(raw, &l) {
		return codingagent.Step{}
	}
	switch {
	case l.Type == "response":
		return d.answered(l)
	case d.ended:
	case l.Type == "ready" && d.session == "":
		return codingagent.Step{Writes: []codingagent.Write{d.openSession()}}
	case l.Type == "event":
		return d.notification(l.Event)
	case l.Type == "resubscribed" && d.session != "":
		return codingagent.Step{Writes: d.askState()}
	case l.Type == "end" && d.session == "": // later the outcome is unknown: the bridge ends without an end of the turn
		return d.end(&failure{Name: "bridge", Data: failureData{Message: l.Error}})
	}
	return codingagent.Step{}
}

func (d *driver) openSession() codingagent.Write {
	if d.turn.Thread != "" {
		return d.request(d.key("session"), "GET", "/session/"+url.PathEscape(d.turn.Thread), nil)
	}
	return d.request(d.key("session"), "POST", "/session", map[string]any{})
}

func (d *driver) answered(l line) codingagent.Step {
	good := l.Status >= 200 && l.Status < 300
	if key, ok := strings.CutPrefix(l.ID, "steer:"); ok {
		if !d.ended { // one after the end began a turn that is not read
			d.steers.Settle(key, good)
		}
		return codingagent.Step{}
	}
	switch {
	case d.ended:
	case l.ID == d.key("prompt") && l.broken(): // opencode is gone, and the outcome is unknown: the end of the bridge follows
	case l.ID == d.key("session") || l.ID == d.key("prompt"):
		if !good {
			d.gone = l.ID == d.key("session") && d.turn.Thread != "" && l.Status == http.StatusNotFound
			return d.end(&failure{Name: "http", Data: failureData{Message: l.why()}})
		}
		if l.ID == d.key("prompt") {
			return d.take()
		}
		return d.prompt(l.Body)
	case strings.HasPrefix(l.ID, "interrupt:") && good:
		d.stopped = true
	case good:
		return d.state(l)
	}
	return codingagent.Step{}
}

// take records that opencode has the user's message.
func (d *driver) take() codingagent.Step {
	if d.taken {
		return codingagent.Step{}
	}
	d.taken = true
	return eventStep(codingagent.Taken{})
}

// broken reports whether opencode went away over a request, which it may have carried out.
func (l line) broken() bool {
	return l.Status == 0 && l.Error != "" && !strings.Contains(l.Error, "deadline exceeded")
}

func (l line) why() string {
	text := l.Error
	if text == "" {
		text = "opencode answered " + string(l.Body)
	}
	return text
}

func (d *driver) prompt(body json.RawMessage) codingagent.Step {
	var opened struct {
		ID string `json:"id"`
	}
	if !codingagent.Decode(body, &opened) || opened.ID == "" || d.session != "" {
		return d.end(&failure{Name: "http", Data: failureData{Message: "opencode opened no conversation"}})
	}
	d.session = opened.ID
	step := codingagent.Step{
		Writes: []codingagent.Write{d.message(d.key("prompt"), d.turn.UserMessage())},
		Events: []codingagent.Event{codingagent.Thread{ID: d.session}},
	}
	for _, key := range d.stopKeys {
		step.Writes = append(step.Writes, d.Interrupt(key)...)
	}
	return step
}

// message sends a text and files: TextPartInput and FilePartInput of the SDK. opencode names the files to a model that reads no pictures.
func (d *driver) message(key string, m codingagent.Message) codingagent.Write {
	parts := []any{map[string]any{"type": "text", "text": m.Text}}
	for _, p := range m.Shown() {
		parts = append(parts, map[string]any{"type": "file", "mime": p.MediaType, "url": p.URL()})
	}
	body := map[string]any{"parts": parts}
	if provider, model, ok := strings.Cut(d.turn.Model, "/"); ok {
		body["model"] = map[string]any{"providerID": provider, "modelID": model}
	}
	if d.turn.Profile != "" {
		body["agent"] = d.turn.Profile
	}
	if d.turn.Effort != "" {
		body["variant"] = d.turn.Effort
	}
	if d.turn.Personality != "" {
		body["system"] = d.turn.Personality
	}
	return d.request(key, "POST", "/session/"+url.PathEscape(d.session)+"/prompt_async", body)
}

// Steer sends another message to the session that works: it is read with its next step.
func (d *driver) Steer(key string, m codingagent.Message) ([]codingagent.Write, bool) {
	if d.session == "" || !d.steers.May(key, !d.ended || d.heard[m.Text]) {
		return nil, false // a message before the end is in the list of messages, though its answer may come after
	}
	return []codingagent.Write{d.message("steer:"+key, m)}, true
}

func (d *driver) Interrupt(key string) []codingagent.Write {
	if d.session == "" {
		d.stopKeys = append(d.stopKeys, key)
		return nil
	}
	if d.ended {
		return nil
	}
	return []codingagent.Write{d.request("interrupt:"+key, "POST", "/session/"+url.PathEscape(d.session)+"/abort", map[string]any{})}
}

func (d *driver) request(key, method, path string, body any) codingagent.Write {
	request := map[string]any{"id": key, "method": method, "path": path}
	if body != nil {
		request["body"] = body
	}
	return codingagent.Write{Key: key, Line: codingagent.Encode(request)}
}

func (d *driver) end(why *failure) codingagent.Step {
	d.ended = true
	end := codingagent.End{Outcome: codingagent.Completed, Reply: d.reply}
	switch {
	case d.stopped || why != nil && why.Name == "MessageAbortedError":
		end.Outcome = codingagent.Interrupted
	case why != nil:
		end.Outcome, end.Error = codingagent.Failed, codingagent.Paragraph(why.Name+": "+why.Data.Message)
		end.Gone = d.gone
		end.LogIn = why.Name == "ProviderAuthError" || why.Data.StatusCode == http.StatusUnauthorized
	}
	return eventStep(end)
}

func eventStep(events ...codingagent.Event) codingagent.Step { return codingagent.Step{Events: events} }

func (d *driver) key(what string) string { return what + ":" + d.turn.Key }
