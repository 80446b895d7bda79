package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxProject bounds the instructions of a project in all, in characters. The folders nearest to the session win.
const maxProject = 3 * maxFile

// Project adds the instructions of the installation and of the project: AGENTS.md of the data folder, then
// AGENTS.md and .xbot/AGENTS.md of the session's folder and those above it, up to the root of the repository or the
// workspace.
type Project struct {
	Home      string // data folder of the server
	Sandboxes Sandboxes
}

var _ Middleware = Project{}

// Order returns the position of the section.
func (Project) Order() int { return 5 }

// Name is used in errors.
func (Project) Name() string { return "project" }

// Process adds both parts.
func (p Project) Process(ctx context.Context, a *Assembly) error {
	a.hold("04_global_context", everywhere(a.Scene), p.global)
	a.hold("05_project_context", here(a.Scene), func() (string, error) { return p.project(ctx, a) })
	return nil
}

func (p Project) global() (string, error) {
	text, err := readCapped(filepath.Join(p.Home, noteFile))
	if errors.Is(err, fs.ErrNotExist) || (err == nil && text == "") {
		return "", nil
	}
	return "# Instructions of this installation\n\n" + text, err
}

// readCapped reads a file of this machine up to maxFile characters.
func readCapped(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes))
	return capped(string(data), maxFile, info.Size()), err
}

func (p Project) project(ctx context.Context, a *Assembly) (string, error) {
	view, err := a.look(ctx, p.Sandboxes)
	if err != nil {
		return "", err
	}
	var notes []string
	left := maxProject
	for _, level := range slices.Backward(view.levels) { // the nearest first, so that it is whole
		for _, note := range slices.Backward(level.notes) {
			if note.text == "" {
				continue
			}
			text := "[left out: the instructions of this project are too long]"
			if size := len([]rune(note.text)); size <= left {
				text, left = note.text, left-size
			}
			notes = append([]string{fmt.Sprintf("<instructions from=%q>\n%s\n</instructions>", note.path, text)}, notes...)
		}
	}
	if len(notes) == 0 {
		return "", nil
	}
	return "# Instructions of the project\n\nWhere two disagree, the later one holds.\n\n" + strings.Join(notes, "\n"), nil
}
