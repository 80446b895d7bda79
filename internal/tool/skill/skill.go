// Package skill holds the tool with which a model loads skills.
package skill

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/skill"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

//go:embed skill.md
var doc string

// maxNamed bounds the files of a skill, and the skills, that one result names.
const maxNamed = 50

// Finder finds the skills of a user in a place; without a sandbox those of the server, and the user's installed ones.
type Finder interface {
	In(ctx context.Context, user chat.UserID, box sandbox.Sandbox, folder string) ([]skill.Found, error)
	// Off reports whether the installation has switched off skills of a name.
	Off(ctx context.Context, name string) (bool, error)
}

// Copier brings the server's skills to where commands run, so that these can use their files.
type Copier interface {
	// Copy returns the folder of the copies there. An error explains why there are none.
	Copy(ctx context.Context, box sandbox.Sandbox) (dir string, err error)
}

// copiedFolder is the folder of a skill that copies its files to the machine of commands.
type copiedFolder interface {
	CopyTo(ctx context.Context, box sandbox.Sandbox) (dir string, err error)
}

type params struct {
	Name   string `json:"name"`
	Action string `json:"action,omitempty"`
	File   string `json:"file,omitempty"`
	Offset int    `json:"offset,omitempty"`
}

type load struct {
	skills Finder
	copies Copier
}

// New returns the tool Skill. It changes nothing but the copies of the server's skills.
func New(skills Finder, copies Copier) tool.Tool {
	return tool.DefineQuick(chat.SkillTool, chat.ClassRead, doc, load{skills, copies})
}

func (load) Summary(p params) string { return strings.TrimSpace(p.Name + " " + p.File) }

func (l load) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	said, err := l.do(ctx, call, p)
	if err != nil {
		return tool.FromError(err)
	}
	return tool.Text(said), nil
}

func (l load) do(ctx context.Context, call tool.Call, p params) (string, error) {
	if p.Offset < 0 {
		return "", fault.Errorf(fault.Invalid, "offset must not be negative")
	}
	found, err := l.find(ctx, call, p.Name)
	if err != nil {
		return "", err
	}
	action := strings.ToLower(strings.TrimSpace(p.Action))
	switch {
	case action == "" && p.File == "", action == "load":
		return l.load(ctx, call, found)
	case action == "list_files":
		return files(ctx, found)
	case action == "read" || action == "":
		return read(ctx, found, p.File, int64(p.Offset))
	}
	return "", fault.Errorf(fault.Invalid, "action must be load, list_files or read")
}

// find returns the skill of a name. Where no machine can be reached, those of the server are there all the same.
func (l load) find(ctx context.Context, call tool.Call, name string) (skill.Found, error) {
	ours, err := l.skills.In(ctx, call.User, nil, "")
	if err != nil {
		return skill.Found{}, err
	}
	all, err := l.skills.In(ctx, call.User, call.Box, call.Cwd)
	one, ok := skill.Pick(all, name)
	if err != nil {
		one, ok = skill.Pick(ours, name)
	}
	switch {
	case ok:
		return one, nil
	case err != nil:
		return skill.Found{}, err
	}
	if off, err := l.skills.Off(ctx, name); err != nil {
		return skill.Found{}, err
	} else if off {
		return skill.Found{}, fault.Errorf(fault.Denied, "the administrators of this installation have switched off the skill %.80q (disabledSkills in the policy); say so", name)
	}
	var names []string
	for _, f := range all[:min(len(all), maxNamed)] {
		names = append(names, f.Name)
	}
	return skill.Found{}, fault.Errorf(fault.NotFound, "there is no skill %.80q; there are: %s", name, strings.Join(names, ", "))
}

// load returns the text of a skill with what the model needs to use its files.
func (l load) load(ctx context.Context, call tool.Call, one skill.Found) (string, error) {
	piece, err := one.Folder.Read(ctx, skill.File, 0)
	if err != nil {
		return "", err
	}
	text, err := piece.Text(0)
	if err != nil {
		return "", notText(one.Name, skill.File, err)
	}
	_, body := skill.Split([]byte(text))
	head := "# Skill " + one.Name
	if len(one.Shadowed) > 0 {
		head += "\n[This is the skill that comes with xbot. One of the same name in " + tool.OneLine(strings.Join(one.Shadowed, ", "), 500) + " is not used: it needs another name. Tell the user.]"
	}
	all, more, err := one.Folder.Files(ctx)
	if err != nil {
		return "", err
	}
	if others := slices.DeleteFunc(all, func(f skill.Listed) bool { return f.Name == skill.File }); len(others) > 0 {
		head += "\n" + l.place(ctx, call, one) + "\nFiles: " + named(others, more)
	}
	return head + "\n\n" + string(body) + rest(skill.Piece{Data: []byte(text), Size: piece.Size}, 0, skill.File), nil
}

// place describes where the files of a skill are for commands.
func (l load) place(ctx context.Context, call tool.Call, one skill.Found) string {
	dir := one.Folder.Path()
	if dir == "" {
		copied, err := l.copied(ctx, call, one)
		if err != nil {
			return fmt.Sprintf("Its files are not on your machine, so commands cannot use them (%s); read them with this tool.", err)
		}
		dir = copied
	}
	return "Folder: " + dir + " (paths in the skill are relative to it)"
}

// copied brings the files of a skill to where commands run, and returns their folder there.
func (l load) copied(ctx context.Context, call tool.Call, one skill.Found) (dir string, err error) {
	if own, ok := one.Folder.(copiedFolder); ok {
		ctx, cancel := context.WithTimeout(ctx, copyTime)
		defer cancel()
		return own.CopyTo(ctx, call.Box)
	}
	all, err := l.copies.Copy(ctx, call.Box)
	return path.Join(all, one.Folder.Base()), err
}

func named(files []skill.Listed, more bool) string {
	var names []string
	for _, f := range files[:min(len(files), maxNamed)] {
		names = append(names, tool.OneLine(f.Name, 200))
	}
	out := strings.Join(names, ", ")
	if len(files) > maxNamed || more {
		out += ", and others (list_files)"
	}
	return out
}

func files(ctx context.Context, one skill.Found) (string, error) {
	all, more, err := one.Folder.Files(ctx)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, f := range all {
		lines = append(lines, fmt.Sprintf("%s (%d bytes)", tool.OneLine(f.Name, 200), f.Size))
	}
	if more {
		lines = append(lines, "(there are more)")
	}
	return strings.Join(lines, "\n"), nil
}

func read(ctx context.Context, one skill.Found, file string, offset int64) (string, error) {
	if strings.TrimSpace(file) == "" {
		return "", fault.Errorf(fault.Invalid, "file is empty; give one that list_files shows")
	}
	piece, err := one.Folder.Read(ctx, file, offset)
	if err != nil {
		return "", err
	}
	text, err := piece.Text(offset)
	if err != nil {
		return "", notText(one.Name, file, err)
	}
	if text == "" {
		return fmt.Sprintf("(nothing: the file has %d bytes)", piece.Size), nil
	}
	return text + rest(skill.Piece{Data: []byte(text), Size: piece.Size}, offset, file), nil
}

// rest describes how a file continues of which a part was shown.
func rest(p skill.Piece, offset int64, file string) string {
	next := offset + int64(len(p.Data))
	if next >= p.Size {
		return ""
	}
	return fmt.Sprintf("\n(bytes %d to %d of %d; go on with action read, file %s, offset %d)", offset, next, p.Size, tool.OneLine(file, 200), next)
}

func notText(name, file string, err error) error {
	return fault.Errorf(fault.Invalid, "%s of the skill %s cannot be shown: %w", tool.OneLine(file, 200), name, err)
}
