// Package skill reads what skills say of themselves: the front matter of their Markdown files. It does not run them.
package skill

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"xbot/internal/fault"
)

// File is what a skill's file is called, in a folder of its own.
const File = "SKILL.md"

// MaxHead is how much of a file is read for its front matter, in bytes.
const MaxHead = 8 << 10

// Entry is one skill in a catalog.
type Entry struct {
	Name        string
	Description string
	Path        string // of its file
}

// Parse reads the front matter at the beginning of a file: name and description between two lines of three dashes. Without
// a name it is called fallback. Invalid says what is wrong.
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

// oneLine is a name as a catalog can hold it.
func oneLine(name string) string { return strings.Join(strings.Fields(name), " ") }

// Dir lists the skills of a folder: SKILL.md in each folder below it. Paths are relative to the folder. Files that cannot
// be read as skills are passed over.
func Dir(root fs.FS) ([]Entry, error) {
	files, err := fs.Glob(root, "*/"+File)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, file := range files {
		head, err := headOf(root, file)
		if err != nil {
			return nil, err
		}
		e, err := Parse(head, path.Dir(file))
		if err != nil {
			continue // not a skill, or not yet
		}
		e.Path = file
		out = append(out, e)
	}
	return out, nil
}

func headOf(root fs.FS, file string) (head []byte, err error) {
	f, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, MaxHead))
}
