package letta

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/archive"
	"xbot/internal/tool"
)

//go:embed insert.md
var insertDoc string

//go:embed search.md
var searchDoc string

// How many results a search gives.
const (
	defaultFound = 5
	maxFound     = 20
)

// Archive is the searchable archive.
type Archive interface {
	Insert(ctx context.Context, w chat.MemoryOwner, key, content string, replaces chat.ArchivalID) (archive.Inserted, error)
	Search(ctx context.Context, w chat.MemoryOwner, query string, n int) ([]archive.Found, error)
}

type insertParams struct {
	Content  string `json:"content"`
	Replaces string `json:"replaces,omitempty"`
}

type insert struct {
	owner   Owner
	archive Archive
	zones   tool.Zones
}

// NewInsert returns the tool archival_memory_insert.
func NewInsert(owner Owner, a Archive, zones tool.Zones) tool.Tool {
	return tool.Define("archival_memory_insert", chat.ClassIdempotent, insertDoc, insert{owner, a, zones}, tool.Inward)
}

func (insert) Summary(p insertParams) string { return p.Content }

func (i insert) Run(ctx context.Context, call tool.Call, p insertParams) (chat.ToolResult, error) {
	replaces, err := entryOf(p.Replaces)
	if err != nil {
		return tool.FromError(err)
	}
	w, err := i.owner.MemoryOwner(ctx, call.User, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	zone, err := i.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	got, err := i.archive.Insert(ctx, w, keyOf(call), p.Content, replaces)
	switch {
	case err != nil:
		return tool.FromError(fmt.Errorf("add to the archive: %w", err))
	case got.Duplicate != nil:
		return tool.Textf("Not kept, since an entry says the same:\n%s", shownEntry(*got.Duplicate, zone)), nil
	case len(got.Similar) == 0:
		return tool.Textf("Kept as a%d.", got.ID), nil
	}
	var similar strings.Builder
	for _, f := range got.Similar {
		similar.WriteString("\n" + shownEntry(f, zone))
	}
	return tool.Textf("Kept as a%d. Similar entries:%s", got.ID, similar.String()), nil
}

// entryOf reads the id of an entry, which is shown as a12; empty: none.
func entryOf(name string) (chat.ArchivalID, error) {
	name = strings.Trim(strings.TrimSpace(name), "[]")
	if name == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(name, "a"), 10, 64)
	if err != nil || n <= 0 {
		return 0, fault.Errorf(fault.Invalid, "replaces is %q; give the id of an entry, such as a12", tool.Cut(name, 40))
	}
	return chat.ArchivalID(n), nil
}

func shownEntry(f archive.Found, zone *time.Location) string {
	return fmt.Sprintf("a%d (%s): %s", f.ID, f.At.In(zone).Format(time.DateOnly), f.Content)
}

type searchParams struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
}

type search struct {
	owner   Owner
	archive Archive
	zones   tool.Zones
}

// NewSearch returns the tool archival_memory_search.
func NewSearch(owner Owner, a Archive, zones tool.Zones) tool.Tool {
	return tool.Define("archival_memory_search", chat.ClassRead, searchDoc, search{owner, a, zones})
}

func (search) Summary(p searchParams) string { return p.Query }

func (s search) Run(ctx context.Context, call tool.Call, p searchParams) (chat.ToolResult, error) {
	w, err := s.owner.MemoryOwner(ctx, call.User, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	found, err := s.archive.Search(ctx, w, p.Query, bounded(p.Limit, defaultFound))
	if err != nil {
		return tool.FromError(fmt.Errorf("search the archive: %w", err))
	}
	if len(found) == 0 {
		return tool.Text("Nothing is found. Other words may find it; recall_memory_search looks at what was said."), nil
	}
	zone, err := s.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	lines := make([]string, len(found))
	for i, f := range found {
		lines[i] = shownEntry(f, zone)
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}

// bounded returns a number of results that was asked for; 0: not given.
func bounded(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return min(n, maxFound)
}
