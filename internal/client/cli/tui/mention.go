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

// mentions are the files that an @ at the end of the typed text may mean.
type mentions struct {
	asked  string // the text that the files were searched for
	folder string // they are below it
	paths  []string
}

// askFiles searches the files that an @ may mean, when the text behind it was changed: where the conversation works, and before there is one in the
// terminal's own folder if commands will run there.
func (m *model) askFiles() tea.Cmd {
	begun, ok := mention.Typed(m.input.Value())
	if !ok {
		m.files = mentions{}
		return nil
	}
	key, where := m.session.Key, m.place
	return request(m, func(ctx context.Context) (mentions, error) {
		switch {
		case key == "" && where.Here:
			return below(where.Folder, begun), nil
		case key == "":
			return mentions{asked: begun}, nil
		}
		found, err := m.o.Client.SearchFiles(ctx, key, apiclient.SearchFilesParams{Q: begun})
		return mentions{asked: begun, folder: found.Folder, paths: found.Paths}, err
	}, m.found)
}

// found takes in the files, unless something else was typed in the meantime. Files that could not be searched are not offered, but can be typed.
func (m *model) found(files mentions, err error) {
	begun, ok := mention.Typed(m.input.Value())
	if !ok || begun != files.asked || err != nil {
		return
	}
	m.files, m.chosen = files, 0
	m.relayout()
}

// fileOptions returns the files as completions. Until the search for what is typed has ended, they are those of the one before that
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
	// Files that cannot be read are skipped, and the end of the time is no error.
	_ = filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		if seen++; seen > walkFiles || time.Now().After(deadline) {
			return fs.SkipAll
		}
		switch {
		case err != nil && entry != nil && entry.IsDir():
			return fs.SkipDir
		case err != nil || at == folder:
			return nil
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case !entry.Type().IsRegular():
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
