// Package elicit turns questions of an MCP server to a user (elicitation) and a model (sampling) into questions of a conversation, and the answers
// into results for the server.
package elicit

import (
	"cmp"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/question"
)

const (
	maxFields = 12
	// maxTries limits how often a question is asked after invalid answers.
	maxTries = 3
	maxAbout = 300 // characters of the description of a field
	// The options of a field that is a boolean, and of a question without a field.
	yes = "Yes · 是"
	no  = "No · 否"
)

// Answered is a list of questions with the answers of a user.
type Answered struct {
	Questions []chat.Inquiry
	Answers   chat.Answers
}

// Form is a form of a server.
type Form struct {
	head   string
	fields []field
}

// field is a member of the answer.
type field struct {
	name, label string
	schema      map[string]any
	required    bool
	values      []string // the choices, in the form of the server
	labels      []string // the same for users
	multi       bool
}

// Parse parses a request of the server of a name. It returns Invalid if it cannot be asked.
func Parse(server string, p *sdk.ElicitParams) (*Form, error) {
	if p == nil || p.Mode != "" && p.Mode != "form" {
		return nil, fault.Errorf(fault.Invalid, "it asks for something else than a form")
	}
	f := &Form{head: cut("MCP · "+server+": "+p.Message, chat.MaxInquiryText/2)}
	schema, _ := p.RequestedSchema.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	if len(properties) > maxFields {
		return nil, fault.Errorf(fault.Invalid, "its form has more than %d fields", maxFields)
	}
	required, _ := schema["required"].([]any)
	for name, property := range properties {
		about, ok := property.(map[string]any)
		if !ok || len(name) > 100 {
			return nil, fault.Errorf(fault.Invalid, "its form has a field that cannot be shown")
		}
		f.fields = append(f.fields, fieldOf(name, about, slices.Contains(required, any(name))))
	}
	slices.SortFunc(f.fields, func(a, b field) int {
		switch {
		case a.required && !b.required:
			return -1
		case b.required && !a.required:
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	return f, nil
}

func fieldOf(name string, schema map[string]any, required bool) field {
	f := field{name: name, label: name, schema: schema, required: required}
	if title, _ := schema["title"].(string); title != "" {
		f.label = title
	}
	if about, _ := schema["description"].(string); about != "" && about != f.label {
		f.label += ": " + about
	}
	f.label = cut(f.label, maxAbout)
	from := schema
	if schema["type"] == "array" {
		f.multi = true
		from, _ = schema["items"].(map[string]any)
	}
	f.values, f.labels = choices(from)
	if schema["type"] == "boolean" {
		f.values, f.labels = []string{"true", "false"}, []string{yes, no}
	}
	if len(f.values) > chat.MaxOptions { // they are listed in the text
		f.label = cut(f.label+" ("+strings.Join(f.labels, ", ")+")", chat.MaxInquiryText/2-100)
	}
	return f
}

// choices returns the values of an enum, and their labels for users.
func choices(schema map[string]any) (values, labels []string) {
	names, _ := schema["enumNames"].([]any)
	all, _ := schema["enum"].([]any)
	for i, value := range all {
		text, ok := value.(string)
		if !ok {
			continue
		}
		label := text
		if i < len(names) {
			if name, _ := names[i].(string); name != "" {
				label = name
			}
		}
		values, labels = append(values, text), append(labels, label)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		all, _ := schema[key].([]any)
		for _, one := range all {
			object, _ := one.(map[string]any)
			text, ok := object["const"].(string)
			if !ok {
				continue
			}
			label, _ := object["title"].(string)
			values, labels = append(values, text), append(labels, cmp.Or(label, text))
		}
	}
	return values, unique(values, labels)
}

// unique returns labels that users can distinguish; otherwise, the values.
func unique(values, labels []string) []string {
	seen := map[string]bool{}
	for i, label := range labels {
		labels[i] = cut(strings.Join(strings.Fields(label), " "), chat.MaxOptionLabel)
		if key := strings.ToLower(labels[i]); seen[key] {
			return values
		}
		seen[strings.ToLower(labels[i])] = true
	}
	return labels
}

// Fill returns the content of an answer, or the remaining questions. It returns Denied if the answers did not fit several times.
func (f *Form) Fill(given []Answered) (content map[string]any, next []chat.Inquiry, err error) {
	content = map[string]any{}
	for first := 0; first == 0 || first < len(f.fields); first += chat.MaxInquiries {
		fields := f.fields[first:min(first+chat.MaxInquiries, len(f.fields))]
		part, next, err := f.fill(fields, given)
		if err != nil || next != nil {
			return nil, next, err
		}
		maps.Copy(content, part)
	}
	return content, nil, nil
}

// fill is Fill for the fields that are asked at once.
func (f *Form) fill(fields []field, given []Answered) (map[string]any, []chat.Inquiry, error) {
	wrong := ""
	for range maxTries {
		asked, err := f.questions(fields, wrong)
		if err != nil {
			return nil, nil, err
		}
		i := slices.IndexFunc(given, func(a Answered) bool { return sameQuestions(a.Questions, asked) })
		if i < 0 {
			return nil, asked, nil
		}
		content := map[string]any{}
		wrong = ""
		for n, field := range fields {
			value, err := field.value(given[i].Answers[asked[n].Name])
			if err != nil {
				wrong = fmt.Sprintf("%s: %s", cut(field.name, 50), err)
				break
			}
			if value != nil {
				content[field.name] = value
			}
		}
		if wrong == "" {
			if len(fields) == 0 && !slices.Contains(given[i].Answers[asked[0].Name], yes) {
				return nil, nil, fault.Errorf(fault.Denied, "the user declined")
			}
			return content, nil, nil
		}
	}
	return nil, nil, fault.Errorf(fault.Denied, "the answers do not fit")
}

// questions returns the questions for some fields; wrong describes the mistake of the answers before.
func (f *Form) questions(fields []field, wrong string) ([]chat.Inquiry, error) {
	head := f.head + "\n"
	if wrong != "" {
		head = "⚠ " + cut(wrong, 200) + "\n" + head
	}
	if len(fields) == 0 {
		return question.Check([]chat.Inquiry{{Text: head, Options: []chat.InquiryOption{{Label: yes}, {Label: no}}}})
	}
	out := make([]chat.Inquiry, len(fields))
	for i, field := range fields {
		out[i] = chat.Inquiry{Text: head + field.label + field.hint(), Multi: field.multi, Optional: !field.required}
		head = ""
		if len(field.values) <= chat.MaxOptions {
			for _, label := range field.labels {
				out[i].Options = append(out[i].Options, chat.InquiryOption{Label: label})
			}
		}
	}
	return question.Check(out)
}

// secret matches fields that ask for secrets, which no form should.
var secret = regexp.MustCompile(`(?i)passw|passphrase|secret|token|api.?key|credential|\bpin\b|密码|密钥|令牌|口令`)

// hint describes valid values of a field, and warns of secrets.
func (f field) hint() string {
	var out []string
	switch kind := f.schema["type"]; kind {
	case "integer", "number":
		out = append(out, fmt.Sprint(kind))
	}
	if format, ok := f.schema["format"].(string); ok {
		out = append(out, cut(format, 20))
	}
	for _, key := range []string{"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"} {
		if n, ok := f.schema[key].(float64); ok {
			out = append(out, fmt.Sprintf("%s %g", key, n))
		}
	}
	if value := f.defaultValue(); value != nil {
		out = append(out, "default "+cut(f.display(value), 60))
	}
	said := ""
	if len(out) > 0 {
		said = " (" + strings.Join(out, ", ") + ")"
	}
	if secret.MatchString(f.name) || secret.MatchString(f.label) {
		said += "\n⚠ " + i18n.Say(i18n.English, i18n.MCPSecret) + " " + i18n.Say(i18n.Chinese, i18n.MCPSecret)
	}
	return said
}

// value returns the value of an answer for the server, or nil if there is none.
func (f field) value(given []string) (any, error) {
	given = slices.DeleteFunc(slices.Clone(given), func(text string) bool { return strings.TrimSpace(text) == "" })
	if len(given) == 0 {
		if value := f.defaultValue(); value != nil {
			return value, nil
		}
		if f.required {
			return nil, fmt.Errorf("an answer is needed")
		}
		return nil, nil
	}
	if f.multi {
		return f.several(given)
	}
	if len(f.values) > 0 {
		value, err := f.chosen(given[0])
		if f.schema["type"] == "boolean" {
			return value == "true", err
		}
		return value, err
	}
	switch f.schema["type"] {
	case "integer", "number":
		return f.number(strings.TrimSpace(given[0]))
	}
	return f.text(given[0])
}

// defaultValue returns the default of the field, or nil. A server gets no default that the question did not show.
func (f field) defaultValue() any { return f.schema["default"] }

// display returns a value as text for users.
func (f field) display(value any) string {
	if list, ok := value.([]any); ok {
		var all []string
		for _, one := range list {
			all = append(all, f.display(one))
		}
		return strings.Join(all, ", ")
	}
	text := fmt.Sprint(value)
	if i := slices.Index(f.values, text); i >= 0 {
		return f.labels[i]
	}
	return text
}

func (f field) chosen(text string) (string, error) {
	for i := range f.values {
		if strings.EqualFold(f.labels[i], strings.TrimSpace(text)) || f.values[i] == strings.TrimSpace(text) {
			return f.values[i], nil
		}
	}
	return "", fmt.Errorf("%q is none of the choices", cut(text, 50))
}

func (f field) several(given []string) (any, error) {
	if len(given) == 1 && len(f.values) > chat.MaxOptions {
		given = strings.FieldsFunc(given[0], func(r rune) bool { return strings.ContainsRune(",，、;；\n", r) })
	}
	out := make([]any, 0, len(given))
	for _, text := range given {
		value := strings.TrimSpace(text)
		if len(f.values) > 0 {
			var err error
			if value, err = f.chosen(text); err != nil {
				return nil, err
			}
		}
		out = append(out, value)
	}
	return out, f.within(float64(len(out)), "minItems", "maxItems")
}

func (f field) number(text string) (any, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != n || n-n != 0 {
		return nil, fmt.Errorf("%q is no number", cut(text, 50))
	}
	if f.schema["type"] == "integer" {
		whole, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no whole number", cut(text, 50))
		}
		return whole, f.within(n, "minimum", "maximum")
	}
	return n, f.within(n, "minimum", "maximum")
}

func (f field) text(text string) (any, error) {
	var err error
	trimmed := strings.TrimSpace(text)
	switch f.schema["format"] {
	case "email":
		_, err = mail.ParseAddress(trimmed)
	case "uri":
		var u *url.URL
		if u, err = url.Parse(trimmed); err == nil && u.Scheme == "" {
			err = fmt.Errorf("no scheme")
		}
	case "date":
		_, err = time.Parse(time.DateOnly, trimmed)
	case "date-time":
		_, err = time.Parse(time.RFC3339, trimmed)
	default:
		trimmed = text
	}
	if err != nil {
		return nil, fmt.Errorf("%q has not the format %v", cut(text, 50), f.schema["format"])
	}
	return trimmed, f.within(float64(utf8.RuneCountInString(trimmed)), "minLength", "maxLength")
}

func (f field) within(n float64, least, most string) error {
	if limit, ok := f.schema[least].(float64); ok && n < limit {
		return fmt.Errorf("less than %g (%s)", limit, least)
	}
	if limit, ok := f.schema[most].(float64); ok && n > limit {
		return fmt.Errorf("more than %g (%s)", limit, most)
	}
	return nil
}

// sameQuestions reports whether two lists of questions are equal.
func sameQuestions(a, b []chat.Inquiry) bool {
	return slices.EqualFunc(a, b, func(a, b chat.Inquiry) bool {
		return a.Name == b.Name && a.Text == b.Text && a.URL == b.URL && a.Multi == b.Multi && a.Optional == b.Optional && slices.Equal(a.Options, b.Options)
	})
}

func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
