package folder

import (
	"context"
	"path"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/turn/slashcommand"
)

// maxListed bounds the entries that /ls lists: its answer stays in the transcript.
const maxListed = 200

// Ls is /ls: the content of a folder. The runner decides where commands may look, as for tools.
type Ls struct {
	Sessions  Conversations
	Sandboxes sandbox.Finder
}

var _ slashcommand.Runner = Ls{}

// Spec describes the command.
func (Ls) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "ls", Usage: "[PATH]", Help: i18n.HelpLs, Group: slashcommand.GroupFolder}
}

// Run lists it.
func (l Ls) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	box, dir, err := here(ctx, l.Sessions, l.Sandboxes, in.Session)
	if err != nil {
		return "", err
	}
	if strings.ContainsRune(args, 0) {
		return "", fault.Errorf(fault.Invalid, "a path has no NUL character")
	}
	if args = unquoted(args); path.IsAbs(args) {
		dir = path.Clean(args)
	} else {
		dir = path.Join(dir, args)
	}
	soon, cancel := context.WithTimeout(ctx, sandbox.ReachTime)
	defer cancel()
	entries, err := box.ReadDir(soon, dir)
	switch {
	case fault.Is(err, fault.NotFound):
		return "", i18n.Fault(fault.NotFound, i18n.FolderNone, markdown.Quoted(dir))
	case err != nil:
		return "", offlineError(err)
	}
	if len(entries) == 0 {
		return i18n.Say(in.Lang, i18n.LsEmpty, markdown.Quoted(dir)), nil
	}
	var names []string
	for _, folders := range []bool{true, false} {
		for _, e := range entries {
			if e.Dir == folders {
				names = append(names, listed(e))
			}
		}
	}
	more := ""
	if left := len(names) - maxListed; left > 0 {
		names, more = names[:maxListed], "\n\n"+i18n.Say(in.Lang, i18n.LsMore, left)
	}
	return markdown.Quoted(dir) + "\n\n" + markdown.Fenced(strings.Join(names, "\n")) + more, nil
}

// listed returns an entry of a folder in one line.
func listed(e sandbox.FileInfo) string {
	name := strings.NewReplacer("\n", "␊", "\r", "␍").Replace(chat.Clean(path.Base(e.Path)))
	switch {
	case e.Link != "":
		return name + " -> " + chat.Clean(e.Link)
	case e.Dir:
		return name + "/"
	}
	return name + "  " + markdown.Bytes(int(e.Size))
}

// unquoted takes the quotes off a path that was written with some.
func unquoted(arg string) string {
	if n := len(arg); n > 1 && (arg[0] == '"' || arg[0] == '\'') && arg[n-1] == arg[0] {
		return arg[1 : n-1]
	}
	return arg
}
