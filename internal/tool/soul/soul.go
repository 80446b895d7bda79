// Package soul holds the tools with which a model keeps soul files: notes about its character toward one person or group.
package soul

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

//go:embed list.md
var listDoc string

//go:embed read.md
var readDoc string

//go:embed write.md
var writeDoc string

//go:embed delete.md
var deleteDoc string

// Owner returns which memory a session reads and writes.
type Owner interface {
	MemoryOwner(ctx context.Context, user chat.UserID, session chat.SessionKey) (chat.MemoryOwner, error)
}

// Store is the durable store of soul files.
type Store interface {
	SoulFiles(ctx context.Context, w chat.MemoryOwner) ([]chat.SoulFile, error)
	// SetSoulFile writes a file, or deletes it where the content is empty, and returns its version; the same key writes once.
	// It returns Conflict if it would overwrite another version than the given one, and Invalid or TooLarge if the file cannot be stored.
	SetSoulFile(ctx context.Context, w chat.MemoryOwner, key string, c chat.SoulChange) (version string, err error)
}

// tools is the shared part of the tools.
type tools struct {
	owner Owner
	store Store
}

func (d tools) files(ctx context.Context, call tool.Call) ([]chat.SoulFile, error) {
	w, err := d.owner.MemoryOwner(ctx, call.User, call.Session)
	if err != nil {
		return nil, err
	}
	return d.store.SoulFiles(ctx, w)
}

// set makes the change of a call, once however often it is run.
func (d tools) set(ctx context.Context, call tool.Call, c chat.SoulChange) (version string, err error) {
	w, err := d.owner.MemoryOwner(ctx, call.User, call.Session)
	if err != nil {
		return "", err
	}
	return d.store.SetSoulFile(ctx, w, "call/"+string(call.ID), c)
}

type list struct {
	tools

	zones tool.Zones
}

// NewList returns the tool soul_list.
func NewList(owner Owner, store Store, zones tool.Zones) tool.Tool {
	return tool.DefineQuick("soul_list", chat.ClassRead, listDoc, list{tools{owner, store}, zones})
}

func (list) Summary(struct{}) string { return "" }

func (l list) Run(ctx context.Context, call tool.Call, _ struct{}) (chat.ToolResult, error) {
	files, err := l.files(ctx, call)
	if err != nil {
		return tool.FromError(fmt.Errorf("read soul files: %w", err))
	}
	if len(files) == 0 {
		return tool.Text("There are no soul files."), nil
	}
	zone, err := l.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	lines := make([]string, len(files))
	for i, f := range files {
		lines[i] = fmt.Sprintf("%s  %d bytes  %s", f.Name, len(f.Content), f.UpdatedAt.In(zone).Format(time.DateOnly))
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}

type readParams struct {
	Name string `json:"name"`
}

type read struct{ tools }

// NewRead returns the tool soul_read.
func NewRead(owner Owner, store Store) tool.Tool {
	return tool.DefineQuick("soul_read", chat.ClassRead, readDoc, read{tools{owner, store}})
}

func (read) Summary(p readParams) string { return p.Name }

func (r read) Run(ctx context.Context, call tool.Call, p readParams) (chat.ToolResult, error) {
	files, err := r.files(ctx, call)
	if err != nil {
		return tool.FromError(fmt.Errorf("read soul files: %w", err))
	}
	name := strings.TrimSpace(p.Name)
	i := slices.IndexFunc(files, func(f chat.SoulFile) bool { return f.Name == name })
	if i < 0 {
		return tool.Fail("there is no soul file %q; soul_list names all", tool.Cut(name, 60)), nil
	}
	return tool.Textf("[version %s]\n%s", chat.SoulVersion(files[i].Content), files[i].Content), nil
}

type writeParams struct {
	Name    string `json:"name" jsonschema:"such as tone.md or habits.json"`
	Content string `json:"content"`
	Version string `json:"version,omitempty" jsonschema:"of the file that is overwritten, as soul_read says"`
}

type write struct{ tools }

// NewWrite returns the tool soul_write.
func NewWrite(owner Owner, store Store) tool.Tool {
	return tool.DefineQuick("soul_write", chat.ClassIdempotent, writeDoc, write{tools{owner, store}}, tool.Inward)
}

func (write) Summary(p writeParams) string { return p.Name }

func (w write) Run(ctx context.Context, call tool.Call, p writeParams) (chat.ToolResult, error) {
	name, content := strings.TrimSpace(p.Name), strings.TrimSpace(p.Content)
	if content == "" {
		return tool.Fail("content is empty; soul_delete deletes a file"), nil
	}
	version, err := w.set(ctx, call, chat.SoulChange{Name: name, Content: content, Version: strings.TrimSpace(p.Version)})
	if err != nil {
		return tool.FromError(fmt.Errorf("keep the soul file: %w", err))
	}
	return tool.Textf("Wrote %s, version %s.", name, version), nil
}

type deleteParams struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type deletion struct{ tools }

// NewDelete returns the tool soul_delete.
func NewDelete(owner Owner, store Store) tool.Tool {
	return tool.DefineQuick("soul_delete", chat.ClassIdempotent, deleteDoc, deletion{tools{owner, store}}, tool.Inward)
}

func (deletion) Summary(p deleteParams) string { return p.Name }

func (d deletion) Run(ctx context.Context, call tool.Call, p deleteParams) (chat.ToolResult, error) {
	name, version := strings.TrimSpace(p.Name), strings.TrimSpace(p.Version)
	if version == "" {
		return tool.Fail("version is missing; soul_read says it"), nil
	}
	if _, err := d.set(ctx, call, chat.SoulChange{Name: name, Version: version}); err != nil {
		return tool.FromError(fmt.Errorf("delete the soul file: %w", err))
	}
	return tool.Textf("Deleted %s.", name), nil
}
