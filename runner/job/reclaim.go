package job

import (
	"os"
	"path/filepath"
)

// Reclaim gives the owner of a store back what its folders and common files need. Commands run as the same user, and
// where Landlock alone confines them nothing keeps them from changing modes. What cannot be given back shows when it is
// used.
func Reclaim(dir string) {
	for _, name := range []string{"", "jobs", "released"} { // the folder first: the way to the others leads through it
		give(filepath.Join(dir, name), 0o700)
	}
	for _, name := range []string{LockFile, storeFile} {
		give(filepath.Join(dir, name), 0o600)
	}
}

// ReclaimAround does it for the store of a job's folder, and for that folder.
func ReclaimAround(jobDir string) {
	Reclaim(filepath.Dir(filepath.Dir(jobDir)))
	give(jobDir, 0o700)
}

func give(path string, needed os.FileMode) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink != 0 || info.Mode().Perm()&needed == needed {
		return
	}
	_ = os.Chmod(path, info.Mode().Perm()|needed) // see Reclaim
}
