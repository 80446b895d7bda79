package file

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

const maxCdNames = 40 // entries of a folder that Cd names

//go:embed cd.md
var cdDoc string

// Folder keeps the working folder of a session, durably, for the calls that follow on the same runner.
type Folder interface {
	SetCwd(ctx context.Context, session chat.SessionKey, runner, cwd string) error
}

type cdParams struct {
	Path string `json:"path"`
}

type cd struct {
	folder  Folder
	journal Journal
}

// NewCd returns the tool Cd. The folder it resolved is noted in the journal first: a second attempt of the call starts
// from the folder that the first one entered, where ".." would go up once more.
func NewCd(folder Folder, journal Journal) tool.Tool {
	return tool.DefineQuick("Cd", chat.ClassIdempotent, cdDoc, cd{folder, journal}, tool.Inward, tool.OnRunner)
}

func (cd) Summary(p cdParams) string { return p.Path }

func (c cd) Run(ctx context.Context, call tool.Call, p cdParams) (chat.ToolResult, error) {
	target, err := c.target(ctx, call, p)
	if err != nil {
		return tool.FromError(err)
	}
	if err := c.folder.SetCwd(ctx, call.Session, call.Box.Name(), target); err != nil {
		return tool.FromError(fmt.Errorf("keep the working folder: %w", err))
	}
	entries, err := call.Box.ReadDir(ctx, target)
	if fault.Is(err, fault.Denied) {
		return tool.Textf("Now in %s, whose entries cannot be listed.", target), nil
	}
	if err != nil {
		return tool.FromError(err)
	}
	return tool.Text(describeFolder(target, entries)), nil
}

// target returns the absolute folder that the call means, from the journal if the call has already noted it.
func (c cd) target(ctx context.Context, call tool.Call, p cdParams) (string, error) {
	noted, err := c.journal.Intent(ctx, call.ID)
	if err != nil {
		return "", fmt.Errorf("read the intent of call %s: %w", call.ID, err)
	}
	if noted != "" {
		return noted, nil
	}
	target, err := call.Path(p.Path)
	if err != nil {
		return "", err
	}
	info, err := call.Box.Stat(ctx, target)
	switch {
	case fault.Is(err, fault.NotFound):
		return "", notFound(ctx, call, target)
	case err != nil:
		return "", err
	case !info.Dir:
		return "", fault.Errorf(fault.Invalid, "%s is a file, not a folder", target)
	}
	if err := c.journal.SetIntent(ctx, call.ID, target); err != nil {
		return "", fmt.Errorf("write the intent of call %s: %w", call.ID, err)
	}
	return target, nil
}

func describeFolder(folder string, entries []sandbox.FileInfo) string {
	if len(entries) == 0 {
		return "Now in " + folder + ", which is empty."
	}
	names := make([]string, 0, maxCdNames)
	for _, entry := range entries[:min(len(entries), maxCdNames)] {
		name := path.Base(entry.Path)
		if entry.Dir {
			name += "/"
		}
		names = append(names, tool.OneLine(name, 100))
	}
	more := ""
	if left := len(entries) - len(names); left > 0 {
		more = fmt.Sprintf(" and %d more", left)
	}
	return "Now in " + folder + ": " + strings.Join(names, ", ") + more
}
