package hostrunner

import (
	"context"
	"os"
	"path/filepath"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox/resolver"
)

// workspace returns the folder of the local runner where no setting names one: ~/xbot. An installation whose runner has worked in the home
// folder continues to.
func (h *Host) workspace(ctx context.Context, admin chat.UserID) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Errorf(fault.Invalid, "the home folder is unknown: set XBOT_WORKSPACE to a folder for the agent")
	}
	known, err := h.Runners.RunnersOf(ctx, admin, true)
	if err != nil {
		return "", err
	}
	for _, r := range known {
		if r.Name == resolver.Local && r.Info != nil && sameFolder(r.Info.Workspace, home) {
			h.noteHomeWorkspace(ctx, home)
			return home, nil
		}
	}
	dir := h.ownFolder(home)
	if within(dir, h.Home) {
		return "", fault.Errorf(fault.Invalid, "the home folder %s lies in XBOT_HOME, of which commands see nothing: set XBOT_WORKSPACE to a folder elsewhere", home)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fault.Errorf(fault.Invalid, "the workspace cannot be made (%w): set XBOT_WORKSPACE to a folder for the agent", err)
	}
	return dir, nil
}

// noteHomeWorkspace reports once, in the log and to an administrator, that the workspace is the home folder as before.
func (h *Host) noteHomeWorkspace(ctx context.Context, home string) {
	own := h.ownFolder(home)
	once := chat.NoticeKey{Topic: chat.TopicCause, About: "workspace", What: home, Once: true}
	told, err := h.Notices.NotifyAdministrator(ctx, once, func(l i18n.Lang) string {
		return i18n.Say(l, i18n.WorkspaceIsHome, markdown.Code(home), markdown.Code("XBOT_WORKSPACE="+own))
	})
	if err != nil {
		h.Log.Warn("the notice that the workspace is the home folder could not be written, the next start tries it again", "error", err)
	}
	if told {
		h.Log.Warn("commands read and write your whole home folder, as before. A folder of their own: XBOT_WORKSPACE="+own+". This line is logged once", "workspace", home)
	}
}

// ownFolder returns ~/xbot, or ~/xbot-workspace if ~/xbot holds the program or its data, which commands must not change.
func (h *Host) ownFolder(home string) string {
	dir := filepath.Join(home, "xbot")
	program, err := os.Executable()
	if err == nil && !within(program, dir) && !within(h.Home, dir) && !within(dir, h.Home) {
		return dir
	}
	return filepath.Join(home, "xbot-workspace")
}

// within reports whether a path is a folder or lies in it, links followed.
func within(path, dir string) bool {
	rel, err := filepath.Rel(resolved(dir), resolved(path))
	return err == nil && filepath.IsLocal(rel)
}

func sameFolder(a, b string) bool { return resolved(a) == resolved(b) }

// resolved returns a path with links followed, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(resolved(dir), filepath.Base(path))
	}
	return path
}
