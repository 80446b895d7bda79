package files

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// isProc reports whether an open folder belongs to a /proc, at any mount point.
func isProc(folder int) bool {
	var fs unix.Statfs_t
	return unix.Fstatfs(folder, &fs) != nil || fs.Type == unix.PROC_SUPER_MAGIC
}

// procDevices returns the device numbers of every /proc that is mounted.
func procDevices() map[uint64]bool {
	found := map[uint64]bool{}
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return found // then there is none
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		head, kind, _ := strings.Cut(lines.Text(), " - ")
		fields := strings.Fields(head)
		var major, minor uint32
		if !strings.HasPrefix(kind, "proc ") || len(fields) < 3 {
			continue
		}
		if n, err := fmt.Sscanf(fields[2], "%d:%d", &major, &minor); n == 2 && err == nil {
			found[unix.Mkdev(major, minor)] = true
		}
	}
	return found
}
