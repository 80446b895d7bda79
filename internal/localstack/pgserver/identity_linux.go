package pgserver

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// serves tells whether pid is a living Postgres process on this data: its program is called postgres and its working
// directory, where every one of them stays, is the data folder.
func (c Cluster) serves(pid int) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	program, err := os.Readlink(filepath.Join(proc, "exe"))
	if err != nil {
		return false // gone, a zombie, or somebody else's
	}
	// An upgrade of the package replaces the file under a running server.
	program = strings.TrimSuffix(program, " (deleted)")
	if filepath.Base(program) != "postgres" {
		return false
	}
	here, err := os.Stat(filepath.Join(proc, "cwd"))
	if err != nil {
		return false
	}
	data, err := os.Stat(c.Data)
	return err == nil && os.SameFile(here, data)
}

// orphans lists the living Postgres processes on this data.
func (c Cluster) orphans() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil // without /proc Postgres's own guard has to do
	}
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && c.serves(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
