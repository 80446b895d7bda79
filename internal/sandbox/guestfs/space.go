package guestfs

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Bounds of what a conversation keeps in a folder of its file system.
const (
	MaxFiles = 2000    // files and folders
	MaxBytes = 1 << 30 // after which nothing more is taken
)

// Counter adds up the size of all file systems of a service. Each reports the size of its folders when it looks there: no caller looks
// into all of them.
type Counter interface {
	// ServiceStorageHolds stores the size of a folder of a consumer: of what they sent, or of what was made. It returns TooLarge if the file systems of
	// their service hold as much as they may.
	ServiceStorageHolds(ctx context.Context, user chat.UserID, sent bool, bytes int64) error
	// ServiceStorageGrows records how much was written since.
	ServiceStorageGrows(ctx context.Context, user chat.UserID, sent bool, bytes int64) error
}

// fits is TooLarge where a conversation, or all of its service, have as much as they may. Writes at the same time may go over it, each by one
// file.
func (r *fileSystem) fits(ctx context.Context, p place) error {
	bytes, err := r.size(ctx, p)
	switch {
	case err != nil:
		return err
	case bytes >= MaxBytes:
		return errFull
	case r.of.Counter == nil:
		return nil
	}
	return r.of.Counter.ServiceStorageHolds(ctx, r.of.User, p.mount.name == Attachments, bytes)
}

var errFull = fault.Errorf(fault.TooLarge, "this conversation has as many files as it may: %d, and %d MB", MaxFiles, MaxBytes>>20)

// size is how much lies in the folder of a place. It returns TooLarge if it has more files than it may.
func (r *fileSystem) size(ctx context.Context, p place) (bytes int64, err error) {
	real, err := r.real(ctx, place{mount: p.mount})
	if err != nil {
		return 0, err
	}
	if objects := p.mount.volume.objects; objects != nil {
		bytes, err = objects.Size(ctx, real, MaxFiles-1)
		if fault.Is(err, fault.TooLarge) {
			return 0, errFull
		}
		return bytes, translateError(err, p.path)
	}
	all, err := sandbox.Below(ctx, p.mount.volume.sandbox(), real, MaxFiles)
	switch {
	case fault.Is(err, fault.NotFound):
		return 0, nil // nothing was put there yet
	case fault.Is(err, fault.TooLarge):
		return 0, errFull
	case err != nil:
		return 0, translateError(err, p.path)
	}
	for _, f := range all {
		bytes += f.Size
	}
	return bytes, nil
}

func (r *fileSystem) grows(ctx context.Context, p place, bytes int64) {
	if r.of.Counter != nil && bytes > 0 {
		_ = r.of.Counter.ServiceStorageGrows(ctx, r.of.User, p.mount.name == Attachments, bytes) // the next write looks again
	}
}

func (r *fileSystem) shrinks(ctx context.Context, p place) {
	if r.of.Counter == nil {
		return
	}
	if bytes, err := r.size(ctx, p); err == nil {
		_ = r.of.Counter.ServiceStorageHolds(ctx, r.of.User, p.mount.name == Attachments, bytes) // as above; that others hold much is no matter of this one
	}
}
