package trigger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"

	"xbot/internal/fault"
)

// Limits of templates, which their owners write and outsiders feed.
const (
	MaxTemplate = 4000            // bytes of a template
	maxText     = 16 << 10        // bytes of its output
	maxPiece    = 16 << 10        // bytes of the output of one function
	maxRounds   = 10_000          // rounds of all its loops
	maxWork     = 32 << 20        // bytes that all its functions make and read
	maxTime     = 2 * time.Second // of its execution, should comparing take long
)

// The marks around text from outside.
const (
	opening = "⟦"
	closing = "⟧"
)

// Data is the view of a call that a template has.
type Data struct {
	EventType string
	Payload   any
	Headers   Headers
	Timestamp string // when it came, RFC 3339 in UTC
}

// Headers are the headers of a call that templates may see, by their usual spelling.
type Headers map[string]string

// Get returns a header, however its name is spelt.
func (h Headers) Get(name string) string {
	for known, value := range h {
		if strings.EqualFold(known, name) {
			return value
		}
	}
	return ""
}

// shownHeaders are the headers that templates may see. None of them holds a secret.
var shownHeaders = []string{
	"Content-Type", "User-Agent", "X-GitHub-Delivery", "X-GitHub-Event", "X-GitHub-Hook-ID", "X-Gitlab-Event", "X-Gitlab-Event-UUID",
	"X-Gitlab-Instance", "X-Webhook-Event", "X-Webhook-Id", "X-Webhook-Timestamp",
}

// Template makes the text for a conversation. It is safe for concurrent use.
type Template struct{ t *template.Template }

// ParseTemplate parses a template. Invalid describes its mistake: it may call only harmless functions, and
// defines no other templates.
func ParseTemplate(text string) (*Template, error) {
	if len(text) > MaxTemplate {
		return nil, fault.Errorf(fault.Invalid, "the template is %d bytes long; at most %d are allowed", len(text), MaxTemplate)
	}
	t, err := template.New("template").Funcs((&budget{}).functions()).Parse(text)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the template cannot be read: %s", strings.TrimPrefix(err.Error(), "template: "))
	}
	if len(t.Templates()) > 1 {
		return nil, fault.Errorf(fault.Invalid, "the template may not define other templates")
	}
	if t.Tree == nil || t.Root == nil {
		return nil, fault.Errorf(fault.Invalid, "the template is empty")
	}
	if err := guard(t.Tree, t.Root); err != nil {
		return nil, err
	}
	return &Template{t}, nil
}

// Render makes the text of a call. Text from outside is enclosed in marks that it cannot contain. The error describes why
// the template does not fit the call, without its payload.
func (t *Template) Render(d Data) (string, error) {
	b := &budget{ends: time.Now().Add(maxTime), rounds: maxRounds, work: maxWork}
	own, err := t.t.Clone()
	if err != nil {
		return "", fmt.Errorf("copy the template: %w", err)
	}
	var out boundedBuffer
	if err := own.Funcs(b.functions()).Execute(&out, d); err != nil {
		return "", unfit(err)
	}
	return strings.TrimSpace(out.String()), nil
}

// unfit explains why a template failed, without quoting values: they came from outside.
func unfit(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[template.ExecError](err); ok {
		place, _, _ := strings.Cut(strings.TrimPrefix(e.Error(), "template: "), ": executing")
		return fault.Errorf(fault.Invalid, "the template does not fit this call (%s)", place)
	}
	return fault.Errorf(fault.Invalid, "the template does not fit this call")
}

var errLong = fault.Errorf(fault.Invalid, "the template makes more than %d bytes of this call", maxText)

// boundedBuffer is the output of a template.
type boundedBuffer struct{ bytes.Buffer }

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxText {
		return 0, errLong
	}
	return b.Buffer.Write(p)
}

// budget limits one execution.
type budget struct {
	ends         time.Time
	rounds, work int
}

var errSlow = fault.Errorf(fault.Invalid, "the template takes too long for this call")

// spend takes the bytes that a function made or read from the budget. Work is counted and not timed, so that the text of a call does
// not depend on the load of the machine.
func (b *budget) spend(bytes int) error {
	if b.work -= bytes; b.work < 0 || time.Now().After(b.ends) {
		return errSlow
	}
	return nil
}

// round begins the body of every loop.
func (b *budget) round() (string, error) {
	if b.rounds--; b.rounds < 0 {
		return "", errSlow
	}
	return "", b.spend(0)
}

// spendOutput spends the output of a function, and cuts it.
func (b *budget) spendOutput(s string) (string, error) { return cut(s), b.spend(len(s)) }

// The names of the functions that guard adds.
const (
	roundName = "xbot_round"
	quoteName = "xbot_quote"
)

// functions returns the functions of templates, in addition to comparisons, and, or, not, len, index and slice.
func (b *budget) functions() template.FuncMap {
	return template.FuncMap{
		roundName: b.round,
		quoteName: func(v any) (string, error) { s := quote(v); return s, b.spend(len(s)) },
		"dig":     func(path ...any) (any, error) { v, err := dig(path); return v, errors.Join(err, b.spend(len(path))) },
		"json":    func(v any) (string, error) { s, err := asJSON(v); return s, errors.Join(err, b.spend(len(s))) },
		"print":   func(v ...any) (string, error) { return b.spendOutput(fmt.Sprint(v...)) },
		"join":    func(sep string, v any) (string, error) { return b.spendOutput(join(sep, v)) },
		"lower":   func(v any) (string, error) { return b.spendOutput(strings.ToLower(cut(text(v)))) },
	}
}

// dig finds a value in nested objects and lists: dig "repository" "name" "unknown" .Payload. The last argument is searched, the
// one before it is the default.
func dig(args []any) (any, error) {
	if len(args) < 3 {
		return nil, fault.Errorf(fault.Invalid, "dig needs the names of a way, what to say where there is none, and where to look")
	}
	v, none := args[len(args)-1], args[len(args)-2]
	for _, step := range args[:len(args)-2] {
		switch at := v.(type) {
		case map[string]any:
			v = at[text(step)]
		case []any:
			i, ok := step.(int)
			if !ok || i < 0 || i >= len(at) {
				return none, nil
			}
			v = at[i]
		default:
			return none, nil
		}
	}
	if v == nil {
		return none, nil
	}
	return v, nil
}

func asJSON(v any) (string, error) {
	var out boundedBuffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return "", errLong
	}
	return strings.TrimSpace(out.String()), nil
}

func join(sep string, v any) string {
	list, ok := v.([]any)
	if !ok {
		return cut(text(v))
	}
	var b strings.Builder
	for i, e := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(cut(text(e)))
		if b.Len() > maxPiece {
			break
		}
	}
	return cut(b.String())
}

// text returns a value as plain text: objects and lists as JSON, nil as the empty string.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case map[string]any, []any:
		if s, err := asJSON(v); err == nil {
			return s
		}
		return "(too long)"
	}
	return cut(fmt.Sprint(v))
}

func cut(s string) string {
	if len(s) <= maxPiece {
		return s
	}
	return strings.ToValidUTF8(s[:maxPiece], "")
}

// quote puts a value between the marks, which it cannot contain.
func quote(v any) string {
	s := cut(text(v))
	if s == "" {
		return ""
	}
	return opening + unmarked.Replace(strings.ToValidUTF8(s, "\uFFFD")) + closing
}

var unmarked = strings.NewReplacer(opening, "[", closing, "]")
