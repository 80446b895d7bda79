package prompt

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/session"
)

//go:embed prompt.md
var embedded string

// builtin is the template that comes with the program; a fault in it appears at the first start.
var builtin = template.Must(parse(embedded))

// maxTemplate bounds a template file, in bytes.
const maxTemplate = 1 << 20

// Base returns the prompt that comes with the program, for an empty scene.
func Base() string {
	text, err := render(builtin, Vars{})
	if err != nil {
		panic(err) // as in builtin
	}
	return text
}

// Vars are the variables of a template. They stay the same for a whole conversation, for the sake of caches: no time, nothing that tools
// change.
type Vars struct {
	Agent    string   // main
	Channel  string   // web, cli, api, feishu ...
	User     string   // name of the user; empty in groups
	Admin    bool     // the user is an administrator
	Language string   // chosen by the user, such as zh; empty: not chosen
	Runner   string   // chosen by the user; empty: the default
	Tools    []string // names of all tools
}

// Has reports whether there is a tool of a name: {{if .Has "Shell"}}.
func (v Vars) Has(tool string) bool { return slices.Contains(v.Tools, tool) }

// Template is the operator's prompt.md, or the one that comes with the program. The file is checked for each prompt and read again when its
// time or size has changed. It is safe for concurrent use.
type Template struct {
	path string
	log  *slog.Logger

	mu    sync.Mutex
	stamp stamp
	good  *template.Template // the last one that worked; nil: none yet
	// source is its text.
	source string
}

// stamp identifies a version of a file.
type stamp struct {
	time time.Time
	size int64
}

// NewTemplate reads the template of a path. If the file does not exist, or is broken and has never worked, the program's template is used.
func NewTemplate(path string, log *slog.Logger) *Template { return &Template{path: path, log: log} }

var _ Middleware = (*Template)(nil)

// Order returns the position of the section.
func (*Template) Order() int { return 0 }

// Name is used in errors.
func (*Template) Name() string { return "base" }

// Process renders the template.
func (t *Template) Process(_ context.Context, a *Assembly) error {
	v := varsOf(a.Scene, a.Tools.Names())
	text, err := render(t.current(), v)
	if err != nil { // it worked for the sample, but not for this scene
		t.log.Warn("the prompt template failed, the one of the program is used", "path", t.path, "error", err)
		if text, err = render(builtin, v); err != nil {
			return err
		}
	}
	a.Parts["00_base"] = capped(text, maxFile, int64(len(text)))
	return nil
}

func varsOf(s chat.Scene, tools []string) Vars {
	v := Vars{Channel: s.Channel, User: s.UserName, Admin: s.Admin, Language: s.Language, Runner: s.Runner, Tools: tools}
	if s.Group {
		v.User = ""
	}
	if key, err := session.Parse(s.Session); err == nil {
		v.Agent = key.Agent
	}
	return v
}

// current returns the current template.
func (t *Template) current() *template.Template {
	t.mu.Lock()
	defer t.mu.Unlock()
	info, err := os.Stat(t.path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.log.Warn("the prompt template cannot be looked at", "path", t.path, "error", err)
		} else {
			t.stamp, t.good = stamp{}, nil // it was removed: the program's own is used again
		}
		return t.orBuiltin()
	}
	if now := (stamp{info.ModTime(), info.Size()}); now != t.stamp {
		t.stamp = now
		if read, text, err := readTemplate(t.path); err != nil {
			t.log.Warn("the prompt template is broken and not used", "path", t.path, "error", err)
		} else {
			t.good, t.source = read, text
		}
	}
	return t.orBuiltin()
}

func (t *Template) orBuiltin() *template.Template {
	if t.good == nil {
		return builtin
	}
	return t.good
}

// Check reports a fault in the current template. A missing one is fine.
func (t *Template) Check() (found string, err error) {
	_, _, err = readTemplate(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the program's own; " + t.path + " would replace it", nil
	case err != nil:
		return "", fault.Errorf(fault.Invalid, "%s is broken, so the last good one or the program's own is used: %w", t.path, err)
	}
	return t.path, nil
}

// readTemplate reads a template and renders a sample.
func readTemplate(path string) (read *template.Template, text string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxTemplate+1))
	if err != nil {
		return nil, "", err
	}
	if len(data) > maxTemplate {
		return nil, "", fault.Errorf(fault.TooLarge, "it has more than %d bytes", maxTemplate)
	}
	text = clean(string(data))
	if read, err = parse(text); err != nil {
		return nil, "", err
	}
	_, err = render(read, Vars{Agent: session.DefaultAgent, Channel: "web", User: "sample", Tools: []string{"Shell"}})
	return read, text, err
}

func parse(text string) (*template.Template, error) {
	return template.New("prompt.md").Option("missingkey=error").Parse(text)
}

func render(t *template.Template, v Vars) (string, error) {
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return "", fmt.Errorf("render: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}
