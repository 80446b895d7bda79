package prompt

import (
	"bytes"
	"context"
	"path"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Sandboxes returns the sandbox where a user's tools act.
type Sandboxes interface {
	// Seen returns the sandbox if it can be reached now, and Unavailable if not. It starts nothing.
	Seen(ctx context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error)
}

// Bounds of reading the place of a session, once for a prompt.
const (
	lookTime   = time.Second            // in all; unread parts are left out of this prompt
	seenTime   = 250 * time.Millisecond // until the runner is available
	maxLevels  = 12                     // folders read, from the session's own upwards
	maxLooks   = 12                     // requests at once
	noteFile   = "AGENTS.md"
	hiddenDir  = ".xbot"
	markedRepo = ".git"
)

// view is the place of a session as read for one prompt: its folders, from the outermost to the session's own.
type view struct {
	ctx    context.Context //nolint:containedctx // the time for one look, shared by the middlewares that look
	cancel context.CancelFunc
	box    sandbox.Sandbox
	levels []level
	err    error
}

// level is one folder with its contents for a prompt.
type level struct {
	dir   string
	root  bool // of a repository
	open  bool // all users of that machine may write to it
	notes []note
}

// note is a file of instructions.
type note struct {
	path string
	text string
}

// look returns the view of the assembly's place, which is read once. It returns Unavailable if it cannot be reached now.
func (a *Assembly) look(ctx context.Context, places Sandboxes) (*view, error) {
	if a.view == nil {
		v := &view{}
		v.ctx, v.cancel = context.WithTimeout(ctx, lookTime)
		v.err = v.open(places, a.Scene)
		a.view = v
	}
	return a.view, a.view.err
}

// close releases the context of the view.
func (a *Assembly) close() {
	if a.view != nil {
		a.view.cancel()
	}
}

func (v *view) open(places Sandboxes, s chat.Scene) error {
	seen, cancel := context.WithTimeout(v.ctx, seenTime)
	box, err := places.Seen(seen, s.User, s.Runner)
	cancel()
	if err != nil {
		return err
	}
	return v.enter(box, chat.FolderOn(s.Cwd, s.CwdRunner, box.Name()))
}

// enter reads the folders of a place; without a folder its workspace.
func (v *view) enter(box sandbox.Sandbox, folder string) (err error) {
	v.box = box
	workspace := box.Workspace()
	if folder == "" {
		folder = workspace
	}
	if v.levels, err = v.read(ancestors(folder, workspace)); err != nil {
		return err
	}
	v.levels = within(v.levels, workspace)
	return nil
}

// ancestors lists a folder and those above it, up to the workspace if it lies in it.
func ancestors(folder, workspace string) []string {
	var out []string
	for dir := path.Clean(folder); len(out) < maxLevels; dir = path.Dir(dir) {
		out = append(out, dir)
		if dir == path.Clean(workspace) || dir == "/" || dir == "." {
			break
		}
	}
	return out
}

// within returns the folders up to the root of the repository or the workspace, the nearer of the two; without either only the folder itself.
// The outermost comes first. Outside of the workspace a folder such as /tmp ends the list and is not in it: any user of the machine could
// leave instructions there.
func within(levels []level, workspace string) []level {
	inside := slices.ContainsFunc(levels, func(l level) bool { return l.dir == path.Clean(workspace) })
	if at := slices.IndexFunc(levels, func(l level) bool { return l.open }); at >= 0 && !inside {
		levels = levels[:at]
	}
	keep := 1
	for i, l := range levels {
		if l.root || l.dir == path.Clean(workspace) {
			keep = i + 1
			break
		}
	}
	out := make([]level, 0, keep)
	for i := min(keep, len(levels)) - 1; i >= 0; i-- {
		out = append(out, levels[i])
	}
	return out
}

// read reads folders in parallel: a distant runner answers in the time of one round trip.
func (v *view) read(dirs []string) ([]level, error) {
	levels := make([]level, len(dirs))
	g, ctx := errgroup.WithContext(v.ctx)
	g.SetLimit(maxLooks)
	for i, dir := range dirs {
		levels[i].dir, levels[i].notes = dir, make([]note, 2)
		g.Go(func() error {
			info, err := v.box.Stat(ctx, dir)
			levels[i].open = err == nil && info.Mode.Perm()&0o002 != 0
			return unlessAbsent(err)
		})
		g.Go(func() error {
			_, err := v.box.Stat(ctx, path.Join(dir, markedRepo))
			levels[i].root = err == nil
			return unlessAbsent(err)
		})
		for n, file := range []string{path.Join(dir, noteFile), path.Join(dir, hiddenDir, noteFile)} {
			g.Go(func() error {
				text, err := v.file(ctx, file, maxFile)
				levels[i].notes[n] = note{file, text}
				return err
			})
		}
	}
	return levels, g.Wait()
}

// file reads a text file up to a number of characters, empty if there is no readable one.
func (v *view) file(ctx context.Context, name string, limit int) (string, error) {
	data, err := v.box.ReadFile(ctx, name, 0, maxFileBytes)
	if err != nil {
		return "", unlessAbsent(err)
	}
	if bytes.IndexByte(data.Data, 0) >= 0 {
		return "", nil // no text
	}
	return capped(string(data.Data), limit, data.Size), nil
}

// unlessAbsent drops errors which mean that there is nothing to read, and keeps those of a failed read.
func unlessAbsent(err error) error {
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Denied, fault.Invalid, fault.Conflict, fault.TooLarge:
		return nil
	}
	return err
}
