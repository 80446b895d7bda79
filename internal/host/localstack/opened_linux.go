package localstack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// opened reports whether the process with this pid has the file open. A process that does not exist has none.
func opened(pid int, file *os.File) (bool, error) {
	want, err := file.Stat()
	if err != nil {
		return false, err
	}
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for _, entry := range entries {
		info, err := os.Stat(filepath.Join(folder, entry.Name()))
		if err == nil && os.SameFile(info, want) { // what was closed in the meantime is an error
			return true, nil
		}
	}
	return false, err
}
