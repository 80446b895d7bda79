// Package folder has the slash commands for the folder and the runner of a conversation.
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

// Conversations reads sessions.
type Conversations interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// Turns runs the transactions of turns.
type Turns interface {
	// CdDone sets the folder and answers the command of the turn, once.
	CdDone(ctx context.Context, turn chat.TurnID, runner, dir, say string) error
}

// Cd is /cd: where the commands of a conversation run. It looks at the folder through the sandbox, so it does not enter a
// folder that a tool may not enter.
type Cd struct {
	Conversations Conversations
	Turns         Turns
	Sandboxes     sandbox.Finder
	Agreements    Agreements
}

var _ slashcommand.TurnRunner = Cd{}

// Spec describes the command.
func (Cd) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "cd", Usage: "PATH", Help: i18n.HelpCd, Group: slashcommand.GroupFolder, When: slashcommand.InTurn}
}

// RunInTurn changes the folder.
func (c Cd) RunInTurn(ctx context.Context, o chat.TurnCommand, args string) error {
	lang := i18n.Lang(o.Lang)
	s, owner, err := c.Conversations.Session(ctx, o.Session)
	if err != nil {
		return err
	}
	box, err := c.Sandboxes.Box(ctx, owner, s.Runner)
	if err != nil {
		return err
	}
	dir, err := target(box, s, args)
	if err != nil {
		return err
	}
	info, err := box.Stat(ctx, dir)
	switch {
	case fault.Is(err, fault.NotFound):
		return i18n.Fault(fault.NotFound, i18n.CdNone, markdown.Quoted(dir))
	case fault.Is(err, fault.Unavailable) && ctx.Err() == nil:
		return fault.Errorf(fault.Conflict, "%s", err.Error()) // the user decides when to try again
	case err != nil:
		return err
	case !info.Dir:
		return i18n.Fault(fault.Invalid, i18n.CdFile, markdown.Quoted(dir))
	}
	said := i18n.Say(lang, i18n.CdNow, markdown.Quoted(dir), box.Name()) + waiting(ctx, c.Agreements, lang, owner, box, dir)
	return c.Turns.CdDone(ctx, o.Turn, box.Name(), dir, said)
}

// target returns the absolute folder that is meant. Nothing, or ~, is the workspace.
func target(box sandbox.Sandbox, s chat.Session, args string) (string, error) {
	args = unquoted(args)
	base := box.Workspace()
	if cwd := chat.FolderOn(s.Cwd, s.CwdRunner, box.Name()); cwd != "" {
		base = cwd
	}
	switch {
	case args == "", strings.ContainsAny(args, "\x00\n"):
		return "", i18n.Fault(fault.Invalid, i18n.CdUsage)
	case args == "~":
		return path.Clean(box.Workspace()), nil
	case strings.HasPrefix(args, "~/"):
		return path.Join(box.Workspace(), args[2:]), nil
	case path.IsAbs(args):
		return path.Clean(args), nil
	}
	return path.Join(base, args), nil
}
