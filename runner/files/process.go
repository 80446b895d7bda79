package files

import (
	"slices"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// machine are the files of /proc about the machine. The others are about processes, their environment and memory, and the kernel's: the daemon, which
// is not confined, reads more there than a command may.
var machine = []string{
	"cmdline", "cpuinfo", "devices", "diskstats", "filesystems", "loadavg", "meminfo", "partitions", "stat", "swaps", "uptime",
	"version", "vmstat",
}

// verifyProcess fails if the place is a view of a process or of the kernel's inside.
func verifyProcess(p *location) error {
	if !isProc(p.folder) || slices.Contains(machine, p.base) && isRootOfProc(p.folder) {
		return nil
	}
	return wire.Errorf(wire.Denied, "%s tells of processes and is not accessible: use a command to look at them", p.path)
}

// isRootOfProc relies on the first inode number, which is the root's in every such file system.
func isRootOfProc(folder int) bool {
	var st unix.Stat_t
	return unix.Fstat(folder, &st) == nil && st.Ino == 1
}
