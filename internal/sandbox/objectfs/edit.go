package objectfs

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/storage"
	"xbot/internal/storage/storagestore"
	"xbot/runner/wire"
)

// WriteFile stores a file.
func (f *FileSystem) WriteFile(ctx context.Context, name string, data []byte, mode sandbox.WriteMode) error {
	_, err := f.Upload(ctx, name, bytes.NewReader(data), mode)
	return err
}

// Upload stores a file of any size up to wire.MaxUpload.
func (f *FileSystem) Upload(ctx context.Context, name string, from io.Reader, mode sandbox.WriteMode) (int64, error) {
	return f.Edit(ctx, sandbox.Edit{Path: name, From: from, Mode: mode})
}

// Edit is Upload under the id of a call, which happens once. The edit is recorded before the object is stored, and the object carries the id
// as its tag; a writer that replaces an object first records the edit that stored it. So an attempt whose end was not seen is found: by the record,
// or by the tag.
func (f *FileSystem) Edit(ctx context.Context, e sandbox.Edit) (int64, error) {
	if e.Mode != sandbox.WriteCreate && e.Mode != sandbox.WriteReplace {
		return 0, fault.Errorf(fault.Invalid, "there is no way of writing called %q", e.Mode)
	}
	key, err := f.file(e.Path)
	if err != nil {
		return 0, err
	}
	if size, done, err := f.earlierEdit(ctx, e.ID); err != nil || done {
		return size, err
	}
	content, free, err := storage.Spool(e.From, wire.MaxUpload)
	if err != nil {
		return 0, err
	}
	defer free()
	content.Tag = string(e.ID)
	when, err := f.condition(ctx, key, e)
	if err != nil {
		return 0, err
	}
	if e.ID != "" {
		if err := f.edits.BeginEdit(ctx, storagestore.Edit{Call: e.ID, User: f.user, Key: key, Size: content.Size, Digest: content.Digest}); err != nil {
			return 0, err
		}
	}
	if _, err := f.store.Put(ctx, key, content, when); err != nil {
		if size, done, _ := f.earlierEdit(ctx, e.ID); done { // another attempt was faster
			return size, nil
		}
		return 0, err
	}
	if e.ID != "" {
		err = f.edits.EndEdit(ctx, f.user, e.ID)
	}
	return content.Size, err
}

// condition checks whether an edit may replace what is at a key, and returns the condition that this still holds when it is stored.
func (f *FileSystem) condition(ctx context.Context, key string, e sandbox.Edit) (storage.Condition, error) {
	now, err := f.store.Stat(ctx, key)
	if fault.Is(err, fault.NotFound) {
		if e.Before != "" {
			return storage.Condition{}, fault.Errorf(fault.Conflict, "%s does not exist any more", e.Path)
		}
		if found, err := f.hasFiles(ctx, key); err != nil || found {
			return storage.Condition{}, errorOr(err, isFolder(e.Path))
		}
		return storage.Condition{Absent: true}, f.checkParents(ctx, key)
	}
	switch {
	case err != nil:
		return storage.Condition{}, err
	case e.Mode == sandbox.WriteCreate:
		return storage.Condition{}, fault.Errorf(fault.Conflict, "%s exists already", e.Path)
	case e.Before != "" && e.Before != now.Digest:
		return storage.Condition{}, fault.Errorf(fault.Conflict, "%s was changed meanwhile: read it again", e.Path)
	}
	return storage.Condition{ETag: now.ETag}, f.recordEdit(ctx, now, e.ID)
}

// recordEdit records the edit that stored an object, unless it is that of the given call, before the object goes.
func (f *FileSystem) recordEdit(ctx context.Context, o storage.Object, by chat.CallID) error {
	if o.Tag == "" || o.Tag == string(by) {
		return nil
	}
	return f.edits.EndEdit(ctx, f.user, chat.CallID(o.Tag))
}

func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// Edited reports whether the edit of a call was made.
func (f *FileSystem) Edited(ctx context.Context, id chat.CallID) (bool, error) {
	_, done, err := f.earlierEdit(ctx, id)
	return done, err
}

// earlierEdit reports whether an earlier attempt made an edit, and returns the size of the file that it stored.
func (f *FileSystem) earlierEdit(ctx context.Context, id chat.CallID) (size int64, done bool, err error) {
	if id == "" {
		return 0, false, nil
	}
	e, begun, err := f.edits.Edit(ctx, f.user, id)
	if err != nil || !begun || e.Done {
		return e.Size, e.Done, err
	}
	o, err := f.store.Stat(ctx, e.Key)
	switch {
	case fault.Is(err, fault.NotFound):
		return 0, false, nil
	case err != nil:
		return 0, false, fmt.Errorf("look for the edit of an earlier attempt: %w", err)
	case o.Tag != string(id):
		return 0, false, nil
	}
	return o.Size, true, f.edits.EndEdit(ctx, f.user, id)
}
