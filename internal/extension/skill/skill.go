// Package skill reads skills: their descriptions and their files, on the server and where commands run. It does not run them.
package skill

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"xbot/internal/fault"
)

// File is the name of a skill's file, in a separate folder.
const File = "SKILL.md"

// MaxHead limits the part of a file that is read for its front matter, in bytes.
const MaxHead = 8 << 10

// Entry is one skill in a catalog.
type Entry struct {
	Name        string
	Description string
}

// Parse reads the front matter at the beginning of a file: name and description between two lines of three dashes. Without
// a name it is called fallback. Invalid describes the mistake.
func Parse(head []byte, fallback string) (Entry, error) {
	text := bytes.ReplaceAll(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	front, _, closed := bytes.Cut(append([]byte("\n"), rest...), []byte("\n---"))
	if !ok || !closed {
		return Entry{}, fault.Errorf(fault.Invalid, "the file does not begin with front matter between two lines of ---")
	}
	var said struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	if err := yaml.Unmarshal(front, &said); err != nil {
		return Entry{}, fault.Errorf(fault.Invalid, "the front matter cannot be read: %w", err)
	}
	e := Entry{Name: oneLine(said.Name), Description: strings.TrimSpace(said.Description)}
	if e.Name == "" {
		e.Name = oneLine(fallback)
	}
	if e.Name == "" || e.Description == "" {
		return Entry{}, fault.Errorf(fault.Invalid, "the front matter has no description")
	}
	return e, nil
}

// oneLine returns a name in the form of a catalog.
func oneLine(name string) string { return strings.Join(strings.Fields(name), " ") }

// MaxName limits the name of a skill, in characters.
const MaxName = 64

// Describe reads the beginning of a SKILL.md as leniently as others do: the name fallback and the first line of text replace missing fields,
// and front matter that is no YAML (a colon in a description is the usual reason) is read line by line. A file without name or
// description has no entry.
func Describe(head []byte, fallback string) (e Entry, ok bool) {
	front, body := Split(head)
	var said struct {
		Name        any `yaml:"name"`
		Description any `yaml:"description"`
	}
	if yaml.Unmarshal(front, &said) == nil {
		e.Name, e.Description = text(said.Name), text(said.Description)
	} else {
		e.Name, e.Description = line(front, "name:"), line(front, "description:")
	}
	if e.Name = oneLine(e.Name); e.Name == "" {
		e.Name = oneLine(fallback)
	}
	if name := []rune(e.Name); len(name) > MaxName {
		e.Name = string(name[:MaxName])
	}
	if e.Description == "" {
		e.Description = firstLine(body)
	}
	return e, e.Name != "" && e.Description != ""
}

// Split splits a file into its front matter, without the lines of dashes, and its text. Without front matter all of it is text. It is valid
// UTF-8 without NUL, with line feeds alone.
func Split(file []byte) (front, body []byte) {
	all := bytes.ReplaceAll(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	all = bytes.ReplaceAll(bytes.ToValidUTF8(all, []byte("\uFFFD")), []byte{0}, nil)
	rest, ok := bytes.CutPrefix(all, []byte("---\n"))
	front, body, closed := bytes.Cut(append([]byte("\n"), rest...), []byte("\n---"))
	if !ok || !closed {
		return nil, bytes.TrimSpace(all)
	}
	_, body, _ = bytes.Cut(body, []byte("\n")) // the rest of the line after the dashes is no instruction
	return front, bytes.TrimSpace(body)
}

// text returns a value of YAML as a text.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return strings.TrimSpace(v)
	case int, float64, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// line returns the text after a key at the beginning of a line.
func line(front []byte, key string) string {
	for l := range strings.Lines(string(front)) {
		if value, ok := strings.CutPrefix(l, key); ok {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

// firstLine returns the first line with text, without the marks of a heading.
func firstLine(body []byte) string {
	for l := range strings.Lines(string(body)) {
		if l = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(l), "#")); l != "" && strings.Trim(l, "-=*`") != "" {
			return l
		}
	}
	return ""
}
