package ingress

import (
	"context"
	"fmt"
	"path"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/markdown"
	"xbot/internal/sandbox"
	"xbot/internal/store"
)

// maxListed bounds the entries that /ls tells: its answer is kept in the transcript.
const maxListed = 200

// Folders shows the folders of conversations. Where commands may look is decided by the runner, as for tools.
type Folders struct {
	Store *store.Store
	Boxes sandbox.Boxes
}

// Commands returns /pwd and /ls, and /cd, which a turn carries out (activities.CdOrder).
func (f *Folders) Commands() []Command {
	return []Command{
		{Name: "pwd", Help: i18n.HelpPwd, Group: GroupFolder, Run: f.pwd},
		{Name: "ls", Usage: "[PATH]", Help: i18n.HelpLs, Group: GroupFolder, Run: f.ls},
		{Name: "cd", Usage: "PATH", Help: i18n.HelpCd, Group: GroupFolder, Queued: true},
	}
}

// here returns the sandbox of a conversation and its folder there: the workspace where the folder is gone.
func (f *Folders) here(ctx context.Context, key chat.SessionKey) (sandbox.Sandbox, string, error) {
	s, owner, err := f.Store.Session(ctx, key)
	if err != nil {
		return nil, "", err
	}
	box, err := sandbox.Reach(ctx, f.Boxes, owner, s.Runner)
	if err != nil {
		return nil, "", offlineSaid(err)
	}
	cwd := chat.FolderOn(s.Cwd, s.CwdRunner, box.Name())
	if cwd != "" {
		if info, err := box.Stat(ctx, cwd); err == nil && info.Dir {
			return box, path.Clean(cwd), nil
		}
	}
	return box, box.Workspace(), nil
}

// offlineSaid makes an answer of a runner that is away: it is no fault of the server, and sending the command again at once
// would not help.
func offlineSaid(err error) error {
	if fault.Is(err, fault.Unavailable) {
		return fault.Errorf(fault.Conflict, "%s", err.Error())
	}
	return err
}

func (f *Folders) pwd(ctx context.Context, in Inbound, _ string) (string, error) {
	box, dir, err := f.here(ctx, in.Session)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s · `%s`", markdown.Quoted(dir), box.Name()), nil
}

func (f *Folders) ls(ctx context.Context, in Inbound, args string) (string, error) {
	box, dir, err := f.here(ctx, in.Session)
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
		return "", offlineSaid(err)
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

// listed is an entry of a folder in one line.
func listed(e sandbox.FileInfo) string {
	name := strings.NewReplacer("\n", "␊", "\r", "␍").Replace(store.Clean(path.Base(e.Path)))
	switch {
	case e.Link != "":
		return name + " -> " + store.Clean(e.Link)
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
