package folder

import (
	"context"
	"fmt"
	"path"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/turn/slashcommand"
)

// Pwd is /pwd: the folder of a conversation.
type Pwd struct {
	Sessions   Conversations
	Sandboxes  sandbox.Finder
	Agreements Agreements
}

var _ slashcommand.Runner = Pwd{}

// Spec describes the command.
func (Pwd) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "pwd", Help: i18n.HelpPwd, Group: slashcommand.GroupFolder}
}

// Run returns the folder and its runner.
func (p Pwd) Run(ctx context.Context, in slashcommand.Request, _ string) (string, error) {
	box, dir, err := here(ctx, p.Sessions, p.Sandboxes, in.Session)
	if err != nil {
		return "", err
	}
	said := fmt.Sprintf("%s · `%s`", markdown.Quoted(dir), box.Name())
	if hint := waiting(ctx, p.Agreements, in.Lang, in.User, box, dir); hint != "" {
		said += "\n\n" + strings.TrimSpace(hint)
	}
	return said, nil
}

// here returns the sandbox of a conversation and its folder there: the workspace where the folder is gone.
func here(ctx context.Context, sessions Conversations, boxes sandbox.Finder, key chat.SessionKey) (sandbox.Sandbox, string, error) {
	s, owner, err := sessions.Session(ctx, key)
	if err != nil {
		return nil, "", err
	}
	box, err := sandbox.Reach(ctx, boxes, owner, s.Runner)
	if err != nil {
		return nil, "", offlineError(err)
	}
	cwd := chat.FolderOn(s.Cwd, s.CwdRunner, box.Name())
	if cwd != "" {
		if info, err := box.Stat(ctx, cwd); err == nil && info.Dir {
			return box, path.Clean(cwd), nil
		}
	}
	return box, box.Workspace(), nil
}

// offlineError makes an answer of a runner that is away: it is no fault of the server, and sending the command again at once
// would not help.
func offlineError(err error) error {
	if fault.Is(err, fault.Unavailable) {
		return fault.Errorf(fault.Conflict, "%s", err.Error())
	}
	return err
}
