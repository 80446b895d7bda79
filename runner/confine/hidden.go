package confine

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Hidden is a folder or file that commands must not see. What was a folder when the runner started is known by its
// identity: were its name to lead elsewhere in the meantime, as after the renaming of a folder above it, commands would see it
// under the new one. Then none is executed.
type Hidden struct {
	Path   string `json:"path"`
	Device uint64 `json:"device,omitempty"`
	Inode  uint64 `json:"inode,omitempty"` // 0: it was not there, or no folder: the file or folder there now is hidden
	// Foreign is of another server or runner, which may remove it at any time: then there is nothing to hide.
	Foreign bool `json:"foreign,omitempty"`
	// Optional is hidden only where that is possible: Landlock alone takes nothing out of a folder that commands may write.
	Optional bool `json:"optional,omitempty"`
}

// Hold records the identities of the files and folders to hide. The open files keep these identities from being reused; they are of no other use.
func Hold(paths []string) (hide []Hidden, held []*os.File, err error) {
	for _, path := range paths {
		h := Hidden{Path: path}
		info, err := os.Lstat(path)
		switch {
		case isAbsent(err):
		case err != nil:
			closeAll(held)
			return nil, nil, fmt.Errorf("look at what is to be hidden: %w", err)
		case info.IsDir():
			st, ok := info.Sys().(*syscall.Stat_t)
			if !ok {
				closeAll(held)
				return nil, nil, fmt.Errorf("%s has no identity on this system", path)
			}
			h.Device, h.Inode = uint64(st.Dev), st.Ino
			if f, err := os.Open(path); err == nil { // it need not be readable to be hidden
				held = append(held, f)
			}
		}
		hide = append(hide, h)
	}
	return hide, held, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing was written through it
	}
}

// isAbsent reports whether an error means that there is nothing under a name. Any other leaves it open.
func isAbsent(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR)
}
