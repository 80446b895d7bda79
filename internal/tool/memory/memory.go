// Package memory holds the tools with which a model keeps notes about a user, beyond one conversation.
package memory

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// Limits of a note.
const (
	maxContent = 20_000 // bytes
	maxPath    = 200    // bytes
	maxListed  = 200    // notes
)

//go:embed memorywrite.md
var writeDoc string

//go:embed memorylist.md
var listDoc string

// Notes is the durable store of the notes about users, for the agent of each session.
type Notes interface {
	Memories(ctx context.Context, user chat.UserID, session chat.SessionKey) ([]chat.Note, error)
	// SetMemory deletes a note whose content is empty. It returns TooLarge if there are too many.
	SetMemory(ctx context.Context, user chat.UserID, session chat.SessionKey, path, content string) error
}

type writeParams struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

type write struct{ notes Notes }

// NewWrite returns the tool memory_write. It sets the whole note, so running it again changes nothing.
func NewWrite(notes Notes) tool.Tool {
	return tool.DefineQuick("memory_write", chat.ClassIdempotent, writeDoc, write{notes}, tool.Inward)
}

func (write) Summary(p writeParams) string { return p.Path }

func (w write) Run(ctx context.Context, call tool.Call, p writeParams) (chat.ToolResult, error) {
	name, err := check(p.Path)
	if err != nil {
		return tool.FromError(err)
	}
	content := strings.TrimSpace(p.Content)
	if len(content) > maxContent {
		return tool.Fail("the note has %d bytes, at most %d are kept; shorten it or split it over several paths", len(content), maxContent), nil
	}
	if err := w.notes.SetMemory(ctx, call.User, call.Session, name, content); err != nil {
		return tool.FromError(fmt.Errorf("keep the note: %w", err))
	}
	if content == "" {
		return tool.Textf("Deleted %s.", name), nil
	}
	return tool.Textf("Wrote %s, %d bytes. Later conversations see it.", name, len(content)), nil
}

// check makes a path canonical: relative, without dots.
func check(name string) (string, error) {
	clean := strings.TrimPrefix(path.Clean("/"+strings.TrimSpace(name)), "/")
	switch {
	case clean == "":
		return "", fault.Errorf(fault.Invalid, "path is empty; give a name such as people/bob.md")
	case len(clean) > maxPath:
		return "", fault.Errorf(fault.Invalid, "path is longer than %d bytes; shorten it", maxPath)
	case strings.ContainsFunc(clean, unicode.IsControl):
		return "", fault.Errorf(fault.Invalid, "path holds a control character; give a name such as people/bob.md")
	}
	return clean, nil
}

type listParams struct {
	Path string `json:"path,omitempty"`
}

type list struct {
	notes Notes
	zones tool.Zones
}

// NewList returns the tool memory_list.
func NewList(notes Notes, zones tool.Zones) tool.Tool {
	return tool.DefineQuick("memory_list", chat.ClassRead, listDoc, list{notes, zones})
}

func (list) Summary(p listParams) string { return p.Path }

func (l list) Run(ctx context.Context, call tool.Call, p listParams) (chat.ToolResult, error) {
	notes, err := l.notes.Memories(ctx, call.User, call.Session)
	if err != nil {
		return tool.FromError(fmt.Errorf("read the notes: %w", err))
	}
	zone, err := l.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	if strings.TrimSpace(p.Path) == "" {
		return tool.Text(names(notes, "", zone)), nil
	}
	name, err := check(p.Path)
	if err != nil {
		return tool.FromError(err)
	}
	if i := slices.IndexFunc(notes, func(n chat.Note) bool { return n.Path == name }); i >= 0 {
		return tool.Text(notes[i].Content), nil
	}
	if slices.ContainsFunc(notes, func(n chat.Note) bool { return strings.HasPrefix(n.Path, name+"/") }) {
		return tool.Text(names(notes, name+"/", zone)), nil
	}
	return tool.Fail("there is no note %s; without a path memory_list names all", name), nil
}

// names lists the notes below a folder, which is empty or ends in a slash.
func names(notes []chat.Note, folder string, zone *time.Location) string {
	lines := []string{}
	for _, n := range notes {
		if strings.HasPrefix(n.Path, folder) && len(lines) < maxListed {
			lines = append(lines, fmt.Sprintf("%s  %d bytes  %s", n.Path, len(n.Content), n.UpdatedAt.In(zone).Format(time.DateOnly)))
		}
	}
	if len(lines) == 0 {
		return "There are no notes."
	}
	return strings.Join(lines, "\n")
}
