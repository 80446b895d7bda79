package files

import "golang.org/x/sys/unix"

// folderFlags open a folder to start from.
const folderFlags = unix.O_RDONLY
