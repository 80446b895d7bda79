package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"xbot/internal/automation/hook"
	"xbot/internal/fault"
)

// Limits of a manifest.
const (
	maxManifest    = 256 << 10 // bytes
	maxText        = 2000      // characters of a description
	maxLine        = 200       // characters of a name, a title or a line of help
	maxTools       = 64
	maxHooks       = 16
	maxEnrichers   = 4
	maxCommands    = 16
	maxSettings    = 32
	maxArgs        = 64
	maxChoices     = 32
	maxParameters  = 16 << 10 // bytes of the schema of a tool
	maxSeconds     = 60
	defaultSeconds = 30
)

var (
	idForm      = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}$`) // as wire.IsPluginID and the schema have it
	nameForm    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	commandForm = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)
	versionForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$`)
	systemForm  = regexp.MustCompile(`^[a-z0-9]{1,16}(/[a-z0-9]{1,16})?$`)
)

// Parse reads plugin.json and checks all of it. Invalid describes the mistake and its place.
func Parse(text []byte) (Manifest, error) {
	if len(text) > maxManifest {
		return Manifest{}, fault.Errorf(fault.TooLarge, "plugin.json has more than %d bytes", maxManifest)
	}
	if bytes.Contains(text, []byte(`\u0000`)) {
		return Manifest{}, fault.Errorf(fault.Invalid, "plugin.json has a NUL character")
	}
	if err := noDuplicates(text); err != nil {
		return Manifest{}, err
	}
	var m Manifest
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&m); err != nil {
		return Manifest{}, fault.Errorf(fault.Invalid, "plugin.json is no manifest: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return Manifest{}, fault.Errorf(fault.Invalid, "plugin.json has something behind its end")
	}
	if m.Seconds == 0 {
		m.Seconds = defaultSeconds
	}
	if err := m.check(); err != nil {
		return Manifest{}, err
	}
	return m, nil
}

// noDuplicates refuses objects with two members whose names differ in case at most: readers do not agree which of them counts. Invalid
// JSON is skipped.
func noDuplicates(text []byte) error {
	type object struct {
		names map[string]bool // nil: a list
		value bool            // the next token is a value
	}
	var open []object
	in := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := in.Token()
		if err != nil {
			return nil //nolint:nilerr // its reader reports what is wrong
		}
		at := len(open) - 1
		if name, ok := token.(string); ok && at >= 0 && open[at].names != nil && !open[at].value {
			folded := fold(name)
			if open[at].names[folded] {
				return fault.Errorf(fault.Invalid, "plugin.json has two members %q in one object", cut(name))
			}
			open[at].names[folded], open[at].value = true, true
			continue
		}
		if at >= 0 {
			open[at].value = false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, object{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, object{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:at]
		}
	}
}

// fold returns the same name for names that differ in case, as package json compares them.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// Canonical returns the manifest as it is stored. Invalid: read again it would be another one.
func (m Manifest) Canonical() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "plugin.json is no JSON")
	}
	again, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if second, err := json.Marshal(again); err != nil || !bytes.Equal(text, second) {
		return nil, fault.Errorf(fault.Invalid, "plugin.json would be another one when it is read again")
	}
	return text, nil
}

// UnmarshalJSON reads a list of arguments, or an object of such lists by system.
func (c *Command) UnmarshalJSON(text []byte) error {
	*c = Command{}
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '[' {
		var args []string
		if err := json.Unmarshal(text, &args); err != nil {
			return err
		}
		(*c)[""] = args
		return nil
	}
	var by map[string][]string
	if err := json.Unmarshal(text, &by); err != nil {
		return err
	}
	for system, args := range by {
		if !systemForm.MatchString(system) {
			return fault.Errorf(fault.Invalid, "command: %q is no system such as linux or linux/amd64", cut(system))
		}
		(*c)[system] = args
	}
	return nil
}

// MarshalJSON writes the form that UnmarshalJSON reads.
func (c Command) MarshalJSON() ([]byte, error) {
	if args, ok := c[""]; ok {
		return json.Marshal(args)
	}
	return json.Marshal(map[string][]string(c))
}

func invalid(at, format string, args ...any) error {
	return fault.Errorf(fault.Invalid, "plugin.json, "+at+": "+format, args...)
}

func (m *Manifest) check() error {
	for _, check := range []func() error{m.checkHead, m.checkCommand, m.checkPermissions, m.checkTools, m.checkHooks, m.checkEnrichers, m.checkCommands, m.checkSettings, m.checkChannels, m.checkWidgets} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manifest) checkHead() error {
	switch {
	case !idForm.MatchString(m.ID):
		return invalid("id", "%q has to be 1 to 24 small letters and digits, a letter first", cut(m.ID))
	case !isLine(m.Name) || m.Name == "":
		return invalid("name", "it has to be a line of 1 to %d characters", maxLine)
	case !versionForm.MatchString(m.Version):
		return invalid("version", "%q has to be 1 to 64 letters, digits, dots, dashes and pluses", cut(m.Version))
	case !isText(m.Description):
		return invalid("description", "it has to be a text of at most %d characters", maxText)
	case m.Runtime != Stdio && m.Runtime != Script:
		return invalid("runtime", "%q has to be stdio or script", cut(string(m.Runtime)))
	case m.Seconds < 1 || m.Seconds > maxSeconds:
		return invalid("timeout", "it is a number of seconds, 1 to %d", maxSeconds)
	}
	return nil
}

func (m *Manifest) checkCommand() error {
	if len(m.Command) == 0 {
		return invalid("command", "it is missing: a list of a program and its arguments, or an object of such lists by system")
	}
	for _, args := range m.Command {
		if len(args) == 0 || len(args) > maxArgs || args[0] == "" || strings.HasPrefix(args[0], "-") {
			return invalid("command", "it has to begin with a program, and has at most %d arguments", maxArgs)
		}
		for _, arg := range args {
			if len(arg) > maxText || strings.ContainsRune(arg, 0) || !utf8.ValidString(arg) {
				return invalid("command", "an argument has to be text of at most %d bytes", maxText)
			}
		}
	}
	return nil
}

func (m *Manifest) checkPermissions() error {
	for i, p := range m.Permissions {
		if !slices.Contains(Permissions(), p) {
			return invalid("permissions", "there is no permission %q; the permissions are network, files, storage, hooks, prompt, page and channel", cut(string(p)))
		}
		if slices.Contains(m.Permissions[:i], p) {
			return invalid("permissions", "%s is there twice", p)
		}
	}
	switch {
	case len(m.Contributes.Hooks) > 0 && !m.Wants(Hooks):
		return invalid("permissions", "a plugin with hooks asks for the permission hooks")
	case len(m.Contributes.Enrichers) > 0 && !m.Wants(Prompt):
		return invalid("permissions", "a plugin with enrichers asks for the permission prompt")
	case m.Wants(Storage) && m.Runtime == Script:
		return invalid("permissions", "a script cannot keep values in the database: leave storage out, and write into XBOT_PLUGIN_DATA")
	}
	return nil
}

func (m *Manifest) checkTools() error {
	if len(m.Contributes.Tools) > maxTools {
		return invalid("contributes.tools", "there are more than %d", maxTools)
	}
	names := map[string]bool{}
	for i := range m.Contributes.Tools {
		t := &m.Contributes.Tools[i]
		at := "contributes.tools, " + cut(t.Name)
		switch {
		case !nameForm.MatchString(t.Name):
			return invalid("contributes.tools", "the name %q has to be 1 to 32 small letters, digits and underscores, a letter first", cut(t.Name))
		case names[Folded(t.Name)]:
			return invalid(at, "there is a tool with this name, or one that is the same but for underscores")
		case t.Description == "" || !isText(t.Description):
			return invalid(at, "its description has to be a text of 1 to %d characters", maxText)
		}
		names[Folded(t.Name)] = true
		if err := t.checkParameters(at); err != nil {
			return err
		}
	}
	return nil
}

// checkParameters checks the schema of a tool, and makes one for a tool without parameters.
func (t *Tool) checkParameters(at string) error {
	if t.Parameters == nil {
		t.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		return nil
	}
	var schema struct {
		Type string `json:"type"`
	}
	if len(t.Parameters) > maxParameters || json.Unmarshal(t.Parameters, &schema) != nil || schema.Type != "object" {
		return invalid(at, "its parameters have to be a JSON Schema of an object, of at most %d bytes", maxParameters)
	}
	var short bytes.Buffer
	if err := json.Compact(&short, t.Parameters); err != nil {
		return invalid(at, "its parameters are no JSON")
	}
	t.Parameters = short.Bytes()
	return nil
}

func (m *Manifest) checkHooks() error {
	if len(m.Contributes.Hooks) > maxHooks {
		return invalid("contributes.hooks", "there are more than %d", maxHooks)
	}
	for _, h := range m.Contributes.Hooks {
		if _, err := h.Handler(m.ID); err != nil {
			return invalid("contributes.hooks", "%s", err)
		}
	}
	return nil
}

// HookTime limits the answer of a plugin to a hook.
const HookTime = 5 * time.Second

// Handler returns the handler of a hook, among the hooks of the administrator.
func (h Hook) Handler(plugin string) (hook.Handler, error) {
	return hook.ForPlugin(plugin, hook.PluginHook{Event: h.Event, Matcher: h.Matcher, If: h.If, OnError: h.OnError, Timeout: HookTime})
}

func (m *Manifest) checkEnrichers() error {
	if len(m.Contributes.Enrichers) > maxEnrichers {
		return invalid("contributes.enrichers", "there are more than %d", maxEnrichers)
	}
	for i, e := range m.Contributes.Enrichers {
		if !nameForm.MatchString(e.Name) || slices.Contains(m.Contributes.Enrichers[:i], e) {
			return invalid("contributes.enrichers", "the name %q has to be another one of 1 to 32 small letters, digits and underscores, a letter first", cut(e.Name))
		}
	}
	return nil
}

func (m *Manifest) checkCommands() error {
	if len(m.Contributes.Commands) > maxCommands {
		return invalid("contributes.commands", "there are more than %d", maxCommands)
	}
	for i, c := range m.Contributes.Commands {
		switch {
		case !commandForm.MatchString(c.Name):
			return invalid("contributes.commands", "the name %q has to be 1 to 32 small letters, digits, dashes and underscores, a letter first", cut(c.Name))
		case slices.ContainsFunc(m.Contributes.Commands[:i], func(o Slash) bool { return o.Name == c.Name }):
			return invalid("contributes.commands", "/%s is there twice", c.Name)
		case !isLine(c.Usage) || !isLine(c.Help.English) || !isLine(c.Help.Chinese):
			return invalid("contributes.commands, "+c.Name, "usage and help have to be lines of at most %d characters", maxLine)
		}
	}
	return nil
}

func isLine(s string) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= maxLine && !strings.ContainsFunc(s, steers)
}

// steers reports whether a character could make a line look different to users.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

func isText(s string) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= maxText && !strings.ContainsRune(s, 0)
}

// cut shortens a quotation in a sentence.
func cut(s string) string {
	if r := []rune(strings.ToValidUTF8(s, "\uFFFD")); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
