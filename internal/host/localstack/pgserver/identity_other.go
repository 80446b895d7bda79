//go:build !linux

package pgserver

import (
	"os/exec"
	"strconv"
	"strings"
)

// serves reports whether pid is a Postgres server on this data, by its command line.
func (c Cluster) serves(pid int) bool {
	out, err := exec.Command("/bin/ps", "-ww", "-o", "stat=,command=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return false // gone
	}
	line := strings.TrimSpace(string(out))
	return !strings.HasPrefix(line, "Z") && strings.HasSuffix(line, "postgres -D "+c.Data)
}

// orphans is empty: this system does not show whose data a process works on. Postgres's own guard has to do.
func (c Cluster) orphans() []int { return nil }
