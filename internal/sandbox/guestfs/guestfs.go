// Package guestfs implements the file system of a consumer conversation: a root with four folders, and nothing else. They are on a runner of the
// administrator of its service; object storage may have the first two in its place. A path outside of them does not exist, even if the runner has
// it, and no error names the runner or a path of it.
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
	"path"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/objectfs"
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

	// Objects has /generated and /attachments; nil: the runner has them.
	Objects *objectfs.FileSystem

	// Moving means that the files of the two folders are being moved: they are read-only.
	Moving bool

	User    chat.UserID // the consumer
	Counter Counter     // nil: the total size of the file systems of the service is not counted
}

// ForAgent is the file system as the tools of the conversation see it.
func ForAgent(box sandbox.Sandbox, c Conversation) sandbox.Sandbox {
	return forAgent(onRunner(box), c)
}

func forAgent(runner *volume, c Conversation) sandbox.Sandbox {
	generated, attachments := c.mounts(runner)
	generated.writes = true
	return &fileSystem{of: c, mounts: []mount{
		generated, attachments,
		{name: Docs, volume: runner, at: Docs, reads: true, allowed: c.Docs, all: everything(c.Docs)},
		{name: Scripts, volume: runner, at: Scripts, allowed: c.Scripts, all: everything(c.Scripts)},
	}}
}

// ForConsumer is the file system as the API of consumers sees it: what the conversation made, and what the consumer sends.
func ForConsumer(box sandbox.Sandbox, c Conversation) sandbox.Sandbox {
	return forConsumer(onRunner(box), c)
}

func forConsumer(runner *volume, c Conversation) sandbox.Sandbox {
	generated, attachments := c.mounts(runner)
	attachments.writes = true
	return &fileSystem{of: c, mounts: []mount{generated, attachments}}
}

// mounts are the two folders of the conversation: in object storage, or on the runner.
func (c Conversation) mounts(runner *volume) (generated, attachments mount) {
	generated, attachments = mount{name: Generated, reads: true, all: true}, mount{name: Attachments, reads: true, all: true}
	if c.Objects != nil {
		objects := &volume{objects: c.Objects, box: c.Objects}
		generated.volume, generated.at = objects, objectfs.Generated
		attachments.volume, attachments.at = objects, objectfs.Attachments
		return generated, attachments
	}
	folder := Folder(c.Service, c.ID)
	generated.volume, generated.at = runner, path.Join(folder, Generated)
	attachments.volume, attachments.at = runner, path.Join(folder, Attachments)
	return generated, attachments
}

func everything(patterns []string) bool {
	return slices.Contains(patterns, "*") || slices.Contains(patterns, "**")
}

// mount is a folder of a file system.
type mount struct {
	name    string
	volume  *volume
	at      string   // below the workspace of the volume
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
	of     Conversation
	mounts []mount
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
