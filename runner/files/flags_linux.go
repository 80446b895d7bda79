package files

import "golang.org/x/sys/unix"

// folderFlags open a folder to start from; its content need not be readable.
const folderFlags = unix.O_PATH
