package guestfs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/objectfs"
	"xbot/internal/service"
	"xbot/internal/storage"
	"xbot/runner/wire"
)

// WriteTime bounds a write into the file system of a conversation. A move begins once every write that began before it has ended.
const WriteTime = 11 * time.Minute

// quietTime is how long the files of a conversation are read-only before the move.
const quietTime = WriteTime + time.Minute

// Bounds of one step of a migration.
const (
	maxFrozen = 200 // conversations
	maxMoves  = 20
	// moveRetry is the time until the next attempt after a move failed.
	moveRetry = 5 * time.Minute
)

// Moves stores the moves of conversations.
type Moves interface {
	FreezeServiceStorage(ctx context.Context, target string, n int) (int, error)
	ServiceStorageToMove(ctx context.Context, target string, after time.Duration, n int) ([]service.FileSystemMove, error)
	RecordServiceStorageCopy(ctx context.Context, move service.FileSystemMove, runner string) error
	ServiceStorageMoved(ctx context.Context, move service.FileSystemMove, target, runner string) error
	ServiceStorageMoveFailed(ctx context.Context, move service.FileSystemMove, problem string, after time.Duration) error
	UnfreezeServiceStorage(ctx context.Context) error
	ServiceStorageLeftovers(ctx context.Context, n int) ([]service.FileSystemMove, error)
	ServiceStorageLeftoverGone(ctx context.Context, user chat.UserID) error
	ServiceStorageLeftoverLater(ctx context.Context, user chat.UserID, after time.Duration) error
	MoveProgress(ctx context.Context, target string) (service.MoveProgress, error)
}

// Mover moves the files of conversations between runners and object storage. It is safe for concurrent use, and after a crash.
type Mover struct {
	Finder

	Moves Moves
}

// Step moves some conversations to a target, and returns the progress. The files of a conversation are read-only from some minutes before
// its move. Step copies each file, reads the copy again and compares it; once all files are copied, the row of the conversation names the new place. After a
// failed move the files are writable again, and a later step retries.
func (m Mover) Step(ctx context.Context, target string) (service.MoveProgress, error) {
	if target != storage.Local {
		if _, err := m.Objects.Backends.Get(target); err != nil {
			return service.MoveProgress{}, err
		}
	}
	if err := m.removeLeft(ctx); err != nil {
		return service.MoveProgress{}, err
	}
	if _, err := m.Moves.FreezeServiceStorage(ctx, target, maxFrozen); err != nil {
		return service.MoveProgress{}, err
	}
	moves, err := m.Moves.ServiceStorageToMove(ctx, target, quietTime, maxMoves)
	if err != nil {
		return service.MoveProgress{}, err
	}
	for _, move := range moves {
		if err := m.moveOne(ctx, move, target); err != nil {
			return service.MoveProgress{}, err
		}
	}
	return m.Moves.MoveProgress(ctx, target)
}

// Stop makes the files of all conversations writable again.
func (m Mover) Stop(ctx context.Context) error { return m.Moves.UnfreezeServiceStorage(ctx) }

// moveOne moves a conversation, or records why it stays.
func (m Mover) moveOne(ctx context.Context, move service.FileSystemMove, target string) error {
	runner, err := m.copyTo(ctx, move, target)
	if err == nil {
		err = m.Moves.ServiceStorageMoved(ctx, move, target, runner)
	}
	switch {
	case err == nil, ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return m.Moves.ServiceStorageMoveFailed(ctx, move, err.Error(), moveRetry)
}

// tree is the location of the files of a conversation: two folders of a sandbox.
type tree struct {
	box     sandbox.Sandbox
	folders [2]string // of generated and attachments
}

// at returns the tree of a conversation in a place.
func (m Mover) at(ctx context.Context, move service.FileSystemMove, place, runner string) (tree, error) {
	if place != "" && place != storage.Local {
		store, err := m.Objects.Backends.Get(place)
		if err != nil {
			return tree{}, err
		}
		box := objectfs.New(store, objectfs.Root(move.Admin, move.Service, move.Conversation), move.User, m.Objects.Edits)
		return tree{box, [2]string{"/" + objectfs.Generated, "/" + objectfs.Attachments}}, nil
	}
	box, err := sandbox.Reach(ctx, m.Sandboxes, move.Admin, runner)
	if err != nil {
		return tree{}, err
	}
	base, err := box.Stat(ctx, ".")
	if err != nil || !path.IsAbs(base.Real) {
		return tree{}, errors.Join(err, errOld)
	}
	folder := path.Join(base.Real, Folder(move.Service, move.Conversation))
	return tree{box, [2]string{path.Join(folder, Generated), path.Join(folder, Attachments)}}, nil
}

// copyTo copies the files of a conversation to a target, and returns the runner that has them then; empty for object storage.
func (m Mover) copyTo(ctx context.Context, move service.FileSystemMove, target string) (runner string, err error) {
	from, err := m.at(ctx, move, move.Storage, move.Runner)
	if err != nil {
		return "", err
	}
	to, err := m.at(ctx, move, target, "")
	if err != nil {
		return "", err
	}
	if target == storage.Local {
		runner = to.box.Name()
		if err := m.Moves.RecordServiceStorageCopy(ctx, move, runner); err != nil {
			return "", err
		}
	}
	for i := range from.folders {
		if err := copyFolder(ctx, from.box, from.folders[i], to.box, to.folders[i]); err != nil {
			return "", err
		}
	}
	return runner, nil
}

// copyFolder makes a folder the same as another one. Files that are the same already, of an earlier attempt, stay.
func copyFolder(ctx context.Context, from sandbox.Sandbox, source string, to sandbox.Sandbox, target string) error {
	wanted, err := filesBelow(ctx, from, source)
	if err != nil {
		return err
	}
	if info, err := to.Stat(ctx, target); err == nil && info.Real != target {
		return fault.Errorf(fault.Denied, "a link is in the place of a folder of the conversation")
	}
	found, err := filesBelow(ctx, to, target)
	if err != nil {
		return err
	}
	for rel := range found {
		if !wanted[rel] {
			if err := to.Remove(ctx, path.Join(target, rel)); err != nil && !fault.Is(err, fault.NotFound) {
				return err
			}
		}
	}
	for rel := range wanted {
		if err := copyFile(ctx, from, path.Join(source, rel), to, path.Join(target, rel), found[rel]); err != nil {
			return err
		}
	}
	return nil
}

// filesBelow returns the paths of the files below a folder. A folder that does not exist has none, and a link is none.
func filesBelow(ctx context.Context, box sandbox.Sandbox, folder string) (map[string]bool, error) {
	info, err := box.Stat(ctx, folder)
	if fault.Is(err, fault.NotFound) || err == nil && (info.Real != folder || !info.Dir) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := sandbox.Below(ctx, box, folder, wire.MaxDirEntries)
	out := map[string]bool{}
	for _, f := range all {
		if !f.Dir {
			out[strings.TrimPrefix(f.Path, folder+"/")] = true
		}
	}
	return out, err
}

// copyFile copies a file, and compares the copy. there: a file is there, which may be the copy of an earlier attempt. Otherwise one, or a link, that
// appears is not replaced.
func copyFile(ctx context.Context, from sandbox.Sandbox, source string, to sandbox.Sandbox, target string, there bool) error {
	content, done, err := spoolFile(ctx, from, source)
	if err != nil {
		return err
	}
	defer done()
	mode := sandbox.WriteCreate
	if there {
		mode = sandbox.WriteReplace
		if digest, err := digestOf(ctx, to, target); err == nil && digest == content.Digest {
			return nil
		}
	}
	if err := to.MkdirAll(ctx, path.Dir(target)); err != nil {
		return err
	}
	if _, err := to.Upload(ctx, target, content.Body, mode); err != nil {
		return err
	}
	digest, err := digestOf(ctx, to, target)
	if err == nil && digest != content.Digest {
		err = fault.Errorf(fault.Internal, "the copy of a file differs from it")
	}
	return err
}

// spoolFile reads a file to the end, so that its digest is known.
func spoolFile(ctx context.Context, box sandbox.Sandbox, name string) (storage.Content, func(), error) {
	in, out := io.Pipe()
	go func() {
		_, err := box.Download(ctx, name, out)
		_ = out.CloseWithError(err) // never fails; nil ends the reader
	}()
	content, done, err := storage.Spool(in, wire.MaxUpload)
	_ = in.CloseWithError(err) // ends the download if the file is too large
	return content, done, err
}

func digestOf(ctx context.Context, box sandbox.Sandbox, name string) (string, error) {
	sum := sha256.New()
	_, err := box.Download(ctx, name, sum)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// removeLeft removes the copies of moved conversations from their runners.
func (m Mover) removeLeft(ctx context.Context) error {
	moves, err := m.Moves.ServiceStorageLeftovers(ctx, maxMoves)
	if err != nil {
		return err
	}
	for _, move := range moves {
		gone, err := m.removeFrom(ctx, move, move.LeftRunner)
		switch {
		case err != nil:
			return err
		case gone:
			err = m.Moves.ServiceStorageLeftoverGone(ctx, move.User)
		default:
			err = m.Moves.ServiceStorageLeftoverLater(ctx, move.User, moveRetry)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeFrom removes the folder of a conversation from a runner. A runner that is not the administrator's any more keeps what it has.
func (m Mover) removeFrom(ctx context.Context, move service.FileSystemMove, runner string) (gone bool, err error) {
	box, err := sandbox.Reach(ctx, m.Sandboxes, move.Admin, runner)
	switch {
	case fault.Is(err, fault.Denied), fault.Is(err, fault.NotFound):
		return true, nil
	case err != nil:
		return false, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, removeTime)
	defer cancel()
	return remove(ctx, box, move.FileSystem), nil
}
