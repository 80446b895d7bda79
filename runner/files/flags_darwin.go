package files

import "golang.org/x/sys/unix"

// folderFlags open a folder to start from.
const folderFlags = unix.O_RDONLY

// renameNew renames where nothing has the new name.
func renameNew(from, to *location) error {
	return unix.RenameatxNp(from.folder, from.base, to.folder, to.base, unix.RENAME_EXCL)
}
