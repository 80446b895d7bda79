// Package location finds where the commands of a conversation run, and in which folder: on the machine of the terminal, where its own folder is meant,
// or elsewhere, where that folder means nothing.
package location

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/text"
)

// Finder asks a server where commands run.
type Finder struct {
	Client *apiclient.Client
	Own    bool   // the server is the one of this user on this machine
	Cwd    string // the folder of the terminal
}

// Place is where the commands of a conversation run.
type Place struct {
	Runner string // empty: nowhere
	Folder string // on the runner
	Here   bool   // on the machine of the terminal, which sees the same files
	Known  bool   // known from the server
}

// Of returns where the commands of a session run now. For one that is yet to be made, a session without a key, it is where they
// would run.
func (f Finder) Of(ctx context.Context, s chat.Session) (Place, error) {
	all, err := f.Client.ListRunners(ctx)
	if err != nil {
		return Place{}, err
	}
	p := Place{Known: true, Runner: cmp.Or(s.Runner, all.Effective)}
	at := slices.IndexFunc(all.Runners, func(r chat.Runner) bool { return r.Name == p.Runner })
	if at >= 0 {
		r := all.Runners[at]
		p.Here, p.Folder = f.Own && r.Kind == chat.RunnerLocal, r.Workspace
	}
	switch {
	case s.Key != "":
		p.Folder = cmp.Or(chat.FolderOn(s.Cwd, s.CwdRunner, p.Runner), p.Folder)
	case p.Here:
		p.Folder = f.Cwd
	}
	return p, nil
}

// Cwd returns the folder for a new session: none where that of the terminal is not one of the runner.
func (p Place) Cwd() string {
	if p.Here {
		return p.Folder
	}
	return ""
}

// String returns it in a few words: ~/proj, or laptop:/srv/proj. A container has a long name.
func (p Place) String() string {
	switch {
	case !p.Known:
		return ""
	case p.Runner == "":
		return "no runner"
	case p.Here:
		return Short(p.Folder)
	}
	name := text.Line(p.Runner)
	if name == container {
		name = "container"
	}
	if p.Folder == "" {
		return name
	}
	return name + ":" + text.Line(p.Folder)
}

// Sentence returns it in a sentence for a user.
func (p Place) Sentence() string {
	if !p.Known {
		return ""
	}
	if p.Runner == "" {
		return "No commands can run: no runner is connected."
	}
	where := "on " + text.Line(p.Runner)
	switch {
	case p.Here:
		where = "on this machine"
	case p.Runner == container:
		where = "in your container on the server"
	}
	if p.Folder == "" {
		return "Commands run " + where + "."
	}
	folder := text.Line(p.Folder)
	if p.Here {
		folder = Short(p.Folder)
	}
	return "Commands run " + where + ", in " + folder + "."
}

// container is the name of the server's container of a user.
const container = "__docker__"

// Short writes the home folder of the terminal's user as ~.
func Short(path string) string {
	path = text.Line(path)
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		if rest, below := strings.CutPrefix(path, home); below && (rest == "" || rest[0] == '/') {
			return "~" + rest
		}
	}
	return path
}
