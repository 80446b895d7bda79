package job

import (
	"os"
	"strings"
)

// bootID returns an id that changes when the machine restarts.
func bootID() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data)), err
}

// selfPath returns the running program, also after its file was replaced by a newer one: a shim must be of the same build
// as its daemon.
func selfPath() (string, error) { return "/proc/self/exe", nil }
