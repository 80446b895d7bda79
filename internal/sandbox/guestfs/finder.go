package guestfs

import (
	"context"
	"path"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/objectfs"
	"xbot/internal/service"
	"xbot/internal/storage"
)

// Store finds the conversations of consumers and their runners.
type Store interface {
	// ServiceStorage returns the file system of a consumer. Not ok: the user is a person or a group, which have none. It returns Denied if they have none any more.
	ServiceStorage(ctx context.Context, user chat.UserID) (room service.FileSystem, ok bool, err error)
	// KeepServiceStorage keeps the runner on which the files are, and returns it: the one that was kept before, unless it is the one to be left.
	KeepServiceStorage(ctx context.Context, user chat.UserID, runner, leave string) (string, error)
	// KeepServiceBackend stores that a back end of object storage has the files, unless a place is stored already, and returns the stored place.
	KeepServiceBackend(ctx context.Context, user chat.UserID, storage string) (backend, runner string, err error)
	ServiceStorageLeft(ctx context.Context, user chat.UserID) (service.FileSystem, error)
	ServiceStorageGone(ctx context.Context, user chat.UserID) error
	Counter
}

// Finder finds the file systems of conversations. It is safe for concurrent use.
type Finder struct {
	Store     Store
	Sandboxes sandbox.Finder
	Objects   Objects
}

// Objects is the object storage of files.
type Objects struct {
	Backends storage.Backends
	New      string         // back end that has the files of new conversations; empty: a runner has them
	Edits    objectfs.Edits // with any back end
}

// FileSystem is the sandbox of all work in a conversation of a consumer: the turn, a subagent, a job. Not ok: the conversation is
// none of a consumer's.
func (f Finder) FileSystem(ctx context.Context, key chat.SessionKey, user chat.UserID) (box sandbox.Sandbox, ok bool, err error) {
	r, ok, err := f.Store.ServiceStorage(ctx, user)
	_, _, theirs := service.Of(key)
	switch {
	case err != nil:
		return nil, true, err
	case !ok && theirs, ok && theirs && r.Session != key:
		return nil, true, fault.Errorf(fault.Denied, "the conversation is another's")
	case !ok:
		return nil, false, nil
	}
	runner, objects, err := f.volumes(ctx, user, r)
	if err != nil {
		return nil, true, err
	}
	return forAgent(runner, Conversation{
		Service: r.Service, ID: r.Conversation, Docs: r.Docs, Scripts: r.Scripts, Objects: objects, Moving: r.Moving, User: user, Counter: f.Store,
	}), true, nil
}

// OfConversation is the file system of a conversation for the API of consumers: /generated is read, /attachments read and written. Denied: the
// administrator has no runner for it. It does not wait for the runner.
func (f Finder) OfConversation(ctx context.Context, c service.Conversation) (sandbox.Sandbox, error) {
	r, ok, err := f.Store.ServiceStorage(ctx, c.User)
	switch {
	case err != nil:
		return nil, err
	case !ok || r.Service != c.Service || r.Conversation != c.ID:
		return nil, fault.Errorf(fault.NotFound, "there is no conversation %q", c.ID)
	}
	runner, objects, err := f.volumes(ctx, c.User, r)
	if err != nil {
		return nil, err
	}
	return forConsumer(runner, Conversation{Service: r.Service, ID: r.Conversation, Objects: objects, Moving: r.Moving, User: c.User, Counter: f.Store}), nil
}

// volumes returns the volumes of a conversation: a runner, and object storage if it has /generated and /attachments. A conversation stays where its
// first files were, also after a change of the settings.
func (f Finder) volumes(ctx context.Context, user chat.UserID, r service.FileSystem) (*volume, *objectfs.FileSystem, error) {
	if r.Storage == "" && r.Runner == "" && f.Objects.New != "" {
		var err error
		if r.Storage, r.Runner, err = f.Store.KeepServiceBackend(ctx, user, f.Objects.New); err != nil {
			return nil, nil, err
		}
	}
	if r.Storage == "" {
		box, err := f.box(ctx, user, r)
		return onRunner(box), nil, err
	}
	store, err := f.Objects.Backends.Get(r.Storage)
	if err != nil {
		return nil, nil, err
	}
	runner := &volume{find: func(ctx context.Context) (sandbox.Sandbox, error) {
		box, err := f.Sandboxes.Box(ctx, r.Admin, "")
		return box, unnamed(err)
	}}
	return runner, objectfs.New(store, objectfs.Root(r.Admin, r.Service, r.Conversation), user, f.Objects.Edits), nil
}

// errNone hides the reason from consumers, which would name the administrator's machines.
var errNone = fault.Errorf(fault.Denied, "this conversation has no place for files")

// box returns the runner of the administrator that holds the files of a conversation. The first call chooses the administrator's current runner, and
// later calls return the same one. If that runner no longer belongs to the administrator, its files are lost, and the conversation moves to the
// current one.
func (f Finder) box(ctx context.Context, user chat.UserID, r service.FileSystem) (sandbox.Sandbox, error) {
	if r.Runner != "" {
		box, err := f.Sandboxes.Box(ctx, r.Admin, r.Runner)
		if !fault.Is(err, fault.Denied) {
			return box, unnamed(err)
		}
	}
	box, err := f.Sandboxes.Box(ctx, r.Admin, "")
	if err != nil {
		return nil, unnamed(err)
	}
	kept, err := f.Store.KeepServiceStorage(ctx, user, box.Name(), r.Runner)
	switch {
	case err != nil:
		return nil, err
	case kept == box.Name():
		return box, nil
	}
	box, err = f.Sandboxes.Box(ctx, r.Admin, kept) // another caller was first
	return box, unnamed(err)
}

func unnamed(err error) error {
	if fault.Is(err, fault.Denied) {
		return errNone
	}
	return translateError(err, "/")
}

// removeTime bounds how long a removal waits for a runner and works there.
const removeTime = 2 * time.Minute

// Remove removes the folder of a deleted consumer, and returns how many folders are left: 1 where the runner is away. A runner that is
// not the administrator's any more keeps what it has.
func (f Finder) Remove(ctx context.Context, user chat.UserID) (left int, err error) {
	r, err := f.Store.ServiceStorageLeft(ctx, user)
	switch {
	case fault.Is(err, fault.NotFound):
		return 0, nil
	case err != nil:
		return 0, err
	case r.Storage != "" && r.LeftRunner != "":
		r.Runner = r.LeftRunner // its copy is removed like the files of other conversations
	case r.Storage != "":
		return 0, f.Store.ServiceStorageGone(ctx, user) // the trigger of the row passes its objects to the sweeper
	}
	box, err := sandbox.Reach(ctx, f.Sandboxes, r.Admin, r.Runner)
	switch {
	case fault.Is(err, fault.Denied), fault.Is(err, fault.NotFound):
		return 0, f.Store.ServiceStorageGone(ctx, user)
	case err != nil:
		return 1, nil // it is away, and asked again
	}
	ctx, cancel := context.WithTimeout(ctx, removeTime)
	defer cancel()
	if gone := remove(ctx, box, r); !gone {
		return 1, nil
	}
	return 0, f.Store.ServiceStorageGone(ctx, user)
}

// remove removes the folder of a conversation, and those above it that are empty then: the last conversation takes the service's with it.
func remove(ctx context.Context, box sandbox.Sandbox, r service.FileSystem) bool {
	base, err := box.Stat(ctx, ".")
	if err != nil || base.Real == "" {
		return false
	}
	folder := path.Join(base.Real, Folder(r.Service, r.Conversation))
	info, err := box.Stat(ctx, folder)
	switch {
	case fault.Is(err, fault.NotFound):
	case err != nil || info.Real != folder:
		return false // a link leads elsewhere: nothing behind it is removed
	default:
		if err := box.RemoveAll(ctx, folder); err != nil && !fault.Is(err, fault.NotFound) {
			return false
		}
	}
	for range 2 { // conversations, and the service
		folder = path.Dir(folder)
		if box.Remove(ctx, folder) != nil {
			break
		}
	}
	return true
}
