package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"

	"xbot/internal/fault"
	"xbot/runner/wire"
)

// maxRead bounds what ReadFile returns, in bytes. It is all held in memory.
const maxRead = 64 << 20

// How often a file is read again because it changed between its parts, and written again because the runner was.
const (
	readTries  = 3
	writeTries = 5
)

// ReadFile returns a part of a file. A limit of 0 means all of it, which is TooLarge over 64 MiB. A file that is read
// in several parts and changes in between is read again; one that keeps changing is a Conflict.
func (r *Runner) ReadFile(ctx context.Context, path string, offset, limit int64) (FileData, error) {
	if limit > maxRead {
		return FileData{}, fault.Errorf(fault.TooLarge, "at most %d bytes can be read at once: read the file in parts", maxRead)
	}
	for range readTries {
		data, torn, err := r.readParts(ctx, path, offset, limit)
		if err != nil || !torn {
			return data, err
		}
	}
	return FileData{}, fault.Errorf(fault.Conflict, "%s keeps changing while it is read: read at most %d bytes of it at once", path, wire.MaxChunk)
}

func (r *Runner) readParts(ctx context.Context, path string, offset, limit int64) (all FileData, torn bool, err error) {
	want := cmp.Or(limit, maxRead)
	for first := true; ; first = false {
		size := min(want-int64(len(all.Data)), wire.MaxChunk)
		part, err := ask[wire.ReadResult](ctx, r, wire.OpRead, wire.Read{Path: path, Offset: offset + int64(len(all.Data)), Limit: size})
		if err != nil {
			return FileData{}, false, err
		}
		if first {
			all.Size, all.ModTime = part.Size, part.ModTime
			if limit == 0 && part.Size-offset > maxRead {
				return FileData{}, false, fault.Errorf(fault.TooLarge, "%s has %d bytes and at most %d can be read at once: read it in parts", path, part.Size, maxRead)
			}
		}
		if part.Size != all.Size || !part.ModTime.Equal(all.ModTime) {
			return FileData{}, true, nil
		}
		all.Data = append(all.Data, part.Data...)
		if int64(len(part.Data)) < size || int64(len(all.Data)) >= want {
			return all, false, nil
		}
	}
}

// WriteFile puts data in place at once: a crash leaves the old or the new content. If the connection breaks it is
// written again, and a file that holds exactly the data by then is no Conflict.
func (r *Runner) WriteFile(ctx context.Context, path string, data []byte, mode WriteMode) error {
	if len(data) > wire.MaxUpload {
		return fault.Errorf(fault.TooLarge, "%d bytes are more than the %d that a file may have", len(data), wire.MaxUpload)
	}
	_, err := r.Upload(ctx, path, bytes.NewReader(data), mode)
	return err
}

// Stat describes a file or folder; for a link, what it leads to, with Link set.
func (r *Runner) Stat(ctx context.Context, path string) (FileInfo, error) {
	info, err := ask[wire.FileInfo](ctx, r, wire.OpStat, wire.Path{Path: path})
	return infoOf(info), err
}

// ReadDir lists a folder by name. A folder of more than wire.MaxDirEntries entries is TooLarge.
func (r *Runner) ReadDir(ctx context.Context, path string) ([]FileInfo, error) {
	result, err := ask[wire.ReadDirResult](ctx, r, wire.OpReadDir, wire.Path{Path: path})
	infos := make([]FileInfo, 0, len(result.Entries))
	for _, entry := range result.Entries {
		infos = append(infos, infoOf(entry))
	}
	return infos, err
}

// MkdirAll makes a folder and those above it.
func (r *Runner) MkdirAll(ctx context.Context, path string) error {
	return r.send(ctx, wire.OpMkdir, wire.Path{Path: path})
}

// Remove removes a file, a link or an empty folder. If the connection breaks and the path is gone afterwards, it was
// removed.
func (r *Runner) Remove(ctx context.Context, path string) error {
	return r.remove(ctx, wire.OpRemove, path)
}

// RemoveAll removes what is there, and of a folder all that it holds. If the connection breaks it continues removing.
func (r *Runner) RemoveAll(ctx context.Context, path string) error {
	return r.remove(ctx, wire.OpRemoveAll, path)
}

func (r *Runner) remove(ctx context.Context, op wire.Op, path string) error {
	again, err := r.tellAgain(ctx, op, wire.Path{Path: path})
	if again && fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// Move renames what is there. If the connection breaks, and afterwards nothing is at the old path and something at the new one, it was
// moved.
func (r *Runner) Move(ctx context.Context, from, to string) error {
	again, err := r.tellAgain(ctx, wire.OpMove, wire.Move{From: from, To: to})
	if again && fault.Is(err, fault.NotFound) {
		if _, lost := r.Stat(ctx, to); lost == nil {
			return nil
		}
	}
	return err
}

// tellAgain sends a request without a result. again reports that an earlier try may have been carried out.
func (r *Runner) tellAgain(ctx context.Context, op wire.Op, body any) (again bool, err error) {
	_, err = r.call(ctx, func(retried bool) (wire.Request, error) {
		again = retried
		return wire.NewRequest(op, body)
	})
	return again, err
}

func infoOf(f wire.FileInfo) FileInfo {
	return FileInfo{Path: f.Path, Size: f.Size, Mode: fs.FileMode(f.Mode), ModTime: f.ModTime, Dir: f.Dir, Link: f.Link, Real: f.Real}
}
