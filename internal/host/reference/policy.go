package reference

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/turn/policy"
)

// schema is as much of JSON Schema as the policy needs.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	Title       string             `json:"title,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        string             `json:"type,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Minimum     *int               `json:"minimum,omitempty"`
	Maximum     *int               `json:"maximum,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Additional  any                `json:"additionalProperties,omitempty"`
	Defs        map[string]*schema `json:"$defs,omitempty"`
}

// PolicySchema returns the JSON Schema of the policy. Members come from its types, descriptions from the comments of the sources in
// folder, and words and bounds from what the policy's own check answers to values that it does not know.
func PolicySchema(folder string) ([]byte, error) {
	comments, err := commentsOf(folder)
	if err != nil {
		return nil, err
	}
	w := &schemas{comments: comments, defs: map[string]*schema{}}
	w.of(reflect.TypeFor[policy.Policy](), nil)
	top := w.defs["Policy"]
	delete(w.defs, "Policy")
	top.Schema, top.Title, top.Defs = "https://json-schema.org/draft/2020-12/schema", "Policy of xbot", w.defs
	out, err := json.MarshalIndent(top, "", "  ")
	return append(out, '\n'), err
}

// schemas are the definitions that were made so far.
type schemas struct {
	comments map[string]string
	defs     map[string]*schema
}

// of returns the schema of a type at a path of the document.
func (w *schemas) of(t reflect.Type, path []string) *schema {
	switch t.Kind() {
	case reflect.Pointer:
		return w.of(t.Elem(), path)
	case reflect.Struct:
		w.define(t, path)
		return &schema{Ref: "#/$defs/" + t.Name()}
	case reflect.Slice:
		return &schema{Type: "array", Items: w.of(t.Elem(), append(slices.Clip(path), "[]"))}
	case reflect.Map:
		return &schema{Type: "object", Additional: w.of(t.Elem(), append(slices.Clip(path), keyAt(path)))}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int:
		least, most := bounds(path)
		return &schema{Type: "integer", Minimum: least, Maximum: most}
	default:
		return &schema{Type: "string", Enum: words(path)}
	}
}

// keyAt returns a key that the map at a path may have.
func keyAt(path []string) string {
	if path[len(path)-1] == "resetByType" {
		return "direct"
	}
	return "feishu"
}

func (w *schemas) define(t reflect.Type, path []string) {
	if w.defs[t.Name()] != nil {
		return
	}
	s := &schema{Type: "object", Description: w.comments[t.Name()], Properties: map[string]*schema{}, Additional: false}
	w.defs[t.Name()] = s
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := w.of(f.Type, append(slices.Clip(path), name))
		field.Description = w.comments[t.Name()+"."+f.Name]
		s.Properties[name] = field
		if options == "" {
			s.Required = append(s.Required, name)
		}
	}
}

// faults returns what the check reports of a value at a path.
func faults(path []string, value string) string {
	for _, member := range slices.Backward(path) {
		if member == "[]" {
			value = "[" + value + "]"
		} else {
			value = fmt.Sprintf("{%q: %s}", member, value)
		}
	}
	_, _, err := policy.Parse([]byte(value))
	at := strings.ReplaceAll(strings.Join(path, "."), ".[]", "[0]")
	for _, fault := range policy.FaultsOf(err) {
		if said, ok := strings.CutPrefix(fault, at+": "); ok {
			return said
		}
	}
	return ""
}

var (
	known   = regexp.MustCompile(`is not known; write one of ([a-z][\w, -]*)$`)
	between = regexp.MustCompile(`(?:is not between|write) (\d+) (?:and|to) (\d+)`)
)

func words(path []string) []string {
	m := known.FindStringSubmatch(faults(path, `"????????????"`))
	if m == nil || !strings.Contains(m[1], ", ") { // one word is a name that the document itself gives
		return nil
	}
	return strings.Split(m[1], ", ")
}

func bounds(path []string) (least, most *int) {
	m := between.FindStringSubmatch(faults(path, "-1"))
	if m == nil {
		return nil, nil
	}
	from, errFrom := strconv.Atoi(m[1])
	to, errTo := strconv.Atoi(m[2])
	if errFrom != nil || errTo != nil {
		return nil, nil
	}
	if from == 1 {
		from = 0 // which is the default
	}
	return &from, &to
}

// commentsOf returns the comments of types and their fields, by "Type" and "Type.Field".
func commentsOf(folder string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	comments := map[string]string{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read the comments of the policy: %w", err)
		}
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				note(comments, d)
			}
		}
	}
	return comments, nil
}

func note(comments map[string]string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		comments[t.Name.Name] = oneLine(d.Doc.Text())
		fields, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range fields.Fields.List {
			for _, name := range f.Names {
				comments[t.Name.Name+"."+name.Name] = oneLine(f.Doc.Text() + f.Comment.Text())
			}
		}
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
