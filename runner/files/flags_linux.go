package files

import (
	"errors"

	"golang.org/x/sys/unix"
)

// folderFlags open a folder to start from; its content need not be readable.
const folderFlags = unix.O_PATH

// renameNew renames where nothing has the new name. Of a file system that cannot promise it there is a gap of microseconds.
func renameNew(from, to *location) error {
	err := unix.Renameat2(from.folder, from.base, to.folder, to.base, unix.RENAME_NOREPLACE)
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
		return err
	}
	if _, err := to.stat(); err == nil {
		return unix.EEXIST
	}
	return unix.Renameat(from.folder, from.base, to.folder, to.base)
}
