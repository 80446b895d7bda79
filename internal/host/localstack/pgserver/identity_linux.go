package pgserver

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// serves reports whether pid is a living Postgres process on this data: its program is called postgres and its working
// directory, where every one of them stays, is the data folder.
func (c Cluster) serves(pid int) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	program, err := os.Readlink(filepath.Join(proc, "exe"))
	if err != nil {
		return false // gone, a zombie, or another user's
	}
	// An upgrade of the package replaces the file under a running server.
	program = strings.TrimSuffix(program, " (deleted)")
	if filepath.Base(program) != "postgres" {
		return false
	}
	return c.stands(pid)
}

// stands reports whether the working directory of a process is the data folder.
func (c Cluster) stands(pid int) bool {
	here, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid), "cwd"))
	if err != nil {
		return false
	}
	data, err := os.Stat(c.Data)
	return err == nil && os.SameFile(here, data)
}

// ends reports whether pid is a Postgres process on this data that was killed and is still being taken apart: it has no program
// any more, while the shared memory, whose users a new server counts, may not be given back yet. The folder goes after that.
func (c Cluster) ends(pid int) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	if _, err := os.Readlink(filepath.Join(proc, "exe")); !os.IsNotExist(err) {
		return false
	}
	name, err := os.ReadFile(filepath.Join(proc, "comm"))
	return err == nil && strings.TrimSpace(string(name)) == "postgres" && c.stands(pid)
}

// orphans lists the Postgres processes on this data, also those that are just ending.
func (c Cluster) orphans() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil // without /proc Postgres's own guard has to do
	}
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && (c.serves(pid) || c.ends(pid)) {
			pids = append(pids, pid)
		}
	}
	return pids
}
