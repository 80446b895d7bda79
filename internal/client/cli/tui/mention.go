package tui

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/mention"
	"xbot/internal/client/cli/text"
)

// Bounds of the files that an @ offers.
const (
	mentionRows = 8
	walkTime    = time.Second // in the terminal's own folder
	walkFiles   = 50_000
)

// mentions are the files that an @ at the end of what is typed may mean.
type mentions struct {
	asked  string // what the files were looked for with
	folder string // they are below it
	paths  []string
}

// foundMsg brings the files that were found.
type foundMsg struct {
	mentions

	err error
}

// askFiles looks for the files that an @ may mean, when what is behind it was changed: where the conversation works, and before
// there is one in the terminal's own folder if commands will run there.
func (m *model) askFiles() tea.Cmd {
	begun, ok := mention.Typed(m.input.Value())
	if !ok {
		m.files = mentions{}
		return nil
	}
	client, key, where := m.o.Client, m.session.Key, m.place
	return m.do(func(ctx context.Context) tea.Msg {
		if key == "" {
			if !where.Here {
				return foundMsg{mentions: mentions{asked: begun}}
			}
			return foundMsg{mentions: below(where.Folder, begun)}
		}
		found, err := client.SearchFiles(ctx, key, apiclient.SearchFilesParams{Q: begun})
		return foundMsg{mentions{asked: begun, folder: found.Folder, paths: found.Paths}, err}
	})
}

// found takes in the files, unless something else was typed meanwhile. What could not be searched is not offered, which hinders
// nobody from typing it.
func (m *model) found(msg foundMsg) {
	begun, ok := mention.Typed(m.input.Value())
	if !ok || begun != msg.asked || msg.err != nil {
		return
	}
	m.files, m.chosen = msg.mentions, 0
	m.relayout()
}

// fileOptions are the files as ways to go on. Until the search for what is typed has ended, they are those of the one before that
// still fit.
func (m *model) fileOptions(typed string) []option {
	begun, ok := mention.Typed(typed)
	if !ok {
		return nil
	}
	var found []option
	for _, path := range m.files.paths {
		if len(found) < mentionRows && strings.Contains(strings.ToLower(path), strings.ToLower(strings.Trim(begun, "/"))) {
			full := strings.TrimSuffix(m.files.folder, "/") + "/" + path
			found = append(found, option{text: mention.Take(typed, full), label: text.Line(path)})
		}
	}
	return found
}

// mentioning reports whether a file can be taken with enter.
func (m *model) mentioning() bool {
	return !m.shut && len(m.fileOptions(m.input.Value())) > 0
}

// below finds the files of a folder of this machine whose path has some letters in it, as the server does in the folder of a
// conversation: those that were changed last first.
func below(folder, begun string) mentions {
	type file struct {
		path string
		time time.Time
	}
	var files []file
	deadline, seen := time.Now().Add(walkTime), 0
	begun = strings.ToLower(strings.Trim(begun, "/"))
	// What cannot be read is passed over, and the end of the time is no error.
	_ = filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		if seen++; seen > walkFiles || time.Now().After(deadline) {
			return fs.SkipAll
		}
		name := entry
		switch {
		case err != nil && entry != nil && entry.IsDir():
			return fs.SkipDir
		case err != nil || at == folder:
			return nil
		case name.IsDir() && (name.Name() == ".git" || name.Name() == "node_modules"):
			return fs.SkipDir
		case !name.Type().IsRegular():
			return nil
		}
		path, err := filepath.Rel(folder, at)
		if err != nil || !strings.Contains(strings.ToLower(path), begun) {
			return nil //nolint:nilerr // a path that has no place below the folder is passed over
		}
		if info, err := entry.Info(); err == nil {
			files = append(files, file{filepath.ToSlash(path), info.ModTime()})
		}
		return nil
	})
	slices.SortStableFunc(files, func(a, b file) int { return b.time.Compare(a.time) })
	found := mentions{asked: begun, folder: filepath.ToSlash(folder)}
	for _, f := range files[:min(len(files), 50)] {
		found.paths = append(found.paths, f.path)
	}
	return found
}
