package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"

	"xbot/internal/fault"
	"xbot/runner/wire"
)

// syncTries bounds how often a folder is compared again: the first look finds what is missing, the second that it is
// there, and commands may change it in between.
const syncTries = 4

// SyncFolder makes the runner's copy of a folder the same as the server's.
func SyncFolder(ctx context.Context, box *Runner, name string, folder fs.FS) error {
	_, err := CopyFolder(ctx, box, name, folder)
	return err
}

// CopyFolder makes the runner's copy of a folder, under .xbot/<name> in its workspace or the runner's own place, the same as the server's, and
// returns where it lies: files that are not there are removed, each file changes at once, and the executable bit is kept. Links and what lies in
// .git stay out, and are not sent to a runner that asks for them: any user may own it. The name is skills or agents. It
// can be repeated at any time; where nothing changed it costs one request.
func CopyFolder(ctx context.Context, box *Runner, name string, folder fs.FS) (dir string, err error) {
	files, err := listFolder(folder)
	if err != nil {
		return "", err
	}
	listed := make(map[string]bool, len(files))
	for _, file := range files {
		listed[file.Path] = true
	}
	for range syncTries {
		plan, err := ask[wire.SyncPlan](ctx, box, wire.OpSync, wire.SyncFolder{Name: name, Files: files})
		if err != nil || len(plan.Want) == 0 {
			return plan.Root, err
		}
		for _, file := range plan.Want {
			if !listed[file] {
				return "", fault.Errorf(fault.Invalid, "runner %s asked for %q, which is not among the files of %s", box.name, file, name)
			}
			if err := sendFile(ctx, box, folder, file, path.Join(plan.Root, file)); err != nil {
				return "", err
			}
		}
	}
	return "", fault.Errorf(fault.Conflict, "the copy of %s on runner %s keeps changing", name, box.name)
}

func sendFile(ctx context.Context, box *Runner, folder fs.FS, file, to string) (err error) {
	f, err := folder.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = box.Upload(ctx, to, f, WriteReplace)
	return err
}

func listFolder(folder fs.FS) ([]wire.SyncFile, error) {
	files, size := []wire.SyncFile{}, int64(0)
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		file, n, err := describeFile(folder, name)
		files, size = append(files, file), size+n
		if err == nil && (len(files) > wire.MaxSyncFiles || size > wire.MaxSyncBytes) {
			err = fault.Errorf(fault.TooLarge, "the folder has more than %d files or %d bytes", wire.MaxSyncFiles, wire.MaxSyncBytes)
		}
		return err
	})
	return files, err
}

func describeFile(folder fs.FS, name string) (wire.SyncFile, int64, error) {
	f, err := folder.Open(name)
	if err != nil {
		return wire.SyncFile{}, 0, err
	}
	info, err := f.Stat()
	hash := sha256.New()
	var n int64
	if err == nil {
		n, err = io.Copy(hash, io.LimitReader(f, wire.MaxSyncBytes+1))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return wire.SyncFile{}, 0, err
	}
	return wire.SyncFile{Path: name, SHA256: hex.EncodeToString(hash.Sum(nil)), Executable: info.Mode()&0o111 != 0}, n, nil
}
