// Package guestfs implements the file system of a consumer conversation: a root with four folders on a runner of the administrator of its service,
// and nothing else. A path outside of them does not exist, even if the runner has it, and no error names the runner or a path of it.
//
//	/generated    what the conversation made: read and written
//	/attachments  what the consumer sent: read
//	/docs         the administrator's documents that the service allows: read
//	/scripts      the names of the scripts that it allows; their content is not shown
//
// Symbolic links are not followed: the runner resolves each path, and a path that resolves to another one is refused. Commands do not run in this
// file system.
package guestfs

import (
	"context"
	"path"
	"slices"
	"sync"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/service"
)

// Name is the name of the file system where a runner has a name.
const Name = "room"

// The folders of the file system.
const (
	Generated   = "generated"
	Attachments = "attachments"
	Docs        = "docs"
	Scripts     = "scripts"
)

// Folder is the folder of a conversation, below the workspace of the runner.
func Folder(of, conversation string) string {
	return path.Join("services", of, "conversations", conversation)
}

// Conversation is the conversation that a file system belongs to.
type Conversation struct {
	Service string
	ID      string
	Docs    []string // patterns of what it reads below docs/
	Scripts []string // patterns of what it knows of below scripts/

	User    chat.UserID // the consumer
	Counter Counter     // nil: the total size of the file systems of the service is not counted
}

// ForAgent is the file system as the tools of the conversation see it.
func ForAgent(box sandbox.Sandbox, c Conversation) sandbox.Sandbox {
	return &fileSystem{box: box, of: c, mounts: []mount{
		{name: Generated, at: path.Join(Folder(c.Service, c.ID), Generated), reads: true, writes: true, all: true},
		{name: Attachments, at: path.Join(Folder(c.Service, c.ID), Attachments), reads: true, all: true},
		{name: Docs, at: Docs, reads: true, allowed: c.Docs, all: everything(c.Docs)},
		{name: Scripts, at: Scripts, allowed: c.Scripts, all: everything(c.Scripts)},
	}}
}

// ForConsumer is the file system as the API of consumers sees it: what the conversation made, and what the consumer sends.
func ForConsumer(box sandbox.Sandbox, c Conversation) sandbox.Sandbox {
	return &fileSystem{box: box, of: c, mounts: []mount{
		{name: Generated, at: path.Join(Folder(c.Service, c.ID), Generated), reads: true, all: true},
		{name: Attachments, at: path.Join(Folder(c.Service, c.ID), Attachments), reads: true, writes: true, all: true},
	}}
}

func everything(patterns []string) bool {
	return slices.Contains(patterns, "*") || slices.Contains(patterns, "**")
}

// mount is a folder of a file system.
type mount struct {
	name    string
	at      string   // below the workspace of the runner
	reads   bool     // files can be read; otherwise only their names are visible
	writes  bool     // files can be written
	allowed []string // patterns of the visible files
	all     bool     // all files are visible
}

// sees reports whether a file below the folder is visible.
func (m mount) sees(rel string) bool { return m.all || service.Allows(m.allowed, rel) }

// opens reports whether a folder may contain visible files.
func (m mount) opens(rel string) bool { return m.all || service.AllowsBelow(m.allowed, rel) }

// fileSystem is a sandbox.Sandbox.
type fileSystem struct {
	box    sandbox.Sandbox
	of     Conversation
	mounts []mount

	mu   sync.Mutex
	base string // workspace of the runner with links followed; empty: not asked yet
}

var (
	_ sandbox.Sandbox = (*fileSystem)(nil)
	_ sandbox.Feeder  = (*fileSystem)(nil)
)

// Name is the same for every file system.
func (*fileSystem) Name() string { return Name }

// Workspace is the root of the file system.
func (*fileSystem) Workspace() string { return "/" }

// Close does nothing: nothing is started here.
func (*fileSystem) Close() error { return nil }

// root returns the workspace of the runner.
func (r *fileSystem) root(ctx context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.base != "" {
		return r.base, nil
	}
	info, err := r.box.Stat(ctx, ".")
	switch {
	case err != nil:
		return "", translateError(err, "/")
	case !path.IsAbs(info.Real):
		return "", errOld
	}
	r.base = path.Clean(info.Real)
	return r.base, nil
}

// errOld: what cannot be checked is refused.
var errOld = fault.Errorf(fault.Denied, "files cannot be used here: the machine that keeps them runs a version that does not say where links lead")
