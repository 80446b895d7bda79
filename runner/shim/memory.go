package shim

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memoryNote is added to the output of a command that failed while its memory ran out: an exit code of 137 does not say so.
const memoryNote = "Memory ran out while the command ran: the kernel killed one of its processes, or another one of the same container or service."

// oomKills returns how many processes of the shim's memory cgroup the kernel has killed because memory ran out; 0 where no
// cgroup counts them. In a container the cgroup is that of the container. Root is the folder with proc and sys.
func oomKills(root string) int {
	groups, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(groups)) {
		_, group, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, path, _ := strings.Cut(group, ":")
		file := filepath.Join(path, "memory.events")
		folder := "sys/fs/cgroup"
		switch controllers {
		case "": // version 2
		case "memory": // version 1
			folder, file = "sys/fs/cgroup/memory", filepath.Join(path, "memory.oom_control")
		default:
			continue
		}
		// A container of version 1 sees its own group alone, under a path that does not exist in it.
		for _, name := range []string{file, filepath.Base(file)} {
			if n, ok := readCount(filepath.Join(root, folder, name), "oom_kill "); ok {
				return n
			}
		}
	}
	return 0
}

// readCount returns the number behind a key at the beginning of a line.
func readCount(path, key string) (int, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if count, found := strings.CutPrefix(line, key); found {
			n, err := strconv.Atoi(strings.TrimSpace(count))
			return n, err == nil
		}
	}
	return 0, false
}
