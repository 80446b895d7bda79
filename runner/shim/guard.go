package shim

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"xbot/runner/job"
)

// Bounds of a command's use of resources that it shares with all programs on the machine.
const (
	guardEvery   = time.Second
	keptShare    = 10               // a small disk keeps a tenth free, independent of the limit
	mostSlack    = uint64(64 << 20) // bytes that others may write in the meantime without ending a command that began on a full disk
	slackShare   = 100              // of a small disk, a hundredth
	rootsCounted = 2                // the processes of root are counted at every second look
)

// guard ends a command that fills a disk, and one of root that has too many processes, which the kernel does not count.
// It looks every second: a command may be beyond a limit for that long.
type guard struct {
	disks     []disk
	tree      *processTree
	processes uint64 // 0: no limit, or the kernel keeps it
}

// disk is a file system that the command, or its output, is written to.
type disk struct {
	folder string
	floor  uint64 // bytes that stay free
}

// newGuard looks after a command that was started, and after the disks of its folder and of others.
func newGuard(spec job.Spec, tree *processTree, others ...string) guard {
	g := guard{tree: tree}
	if spec.KeepFree > 0 {
		for _, folder := range append(others, spec.Dir) {
			if size, free, err := space(folder); err == nil {
				g.disks = append(g.disks, disk{folder: folder, floor: floor(spec.KeepFree, size, free)})
			}
		}
	}
	if os.Geteuid() == 0 {
		g.processes = spec.Policy.Limits.Processes
	}
	return g
}

// floor returns how much must stay free. A command that begins on a disk with less may run, to free some, as long as the disk does not get fuller.
func floor(keep, size, free uint64) uint64 {
	keep = min(keep, size/keptShare)
	slack := min(mostSlack, size/slackShare)
	if free < keep+slack {
		return free - min(free, slack)
	}
	return keep
}

// watch calls end with the reason why the command must end, as long as it is too much. It returns with the process only: what a command left behind
// is watched as well.
func (g guard) watch(end func(why string)) {
	if len(g.disks) == 0 && g.processes == 0 {
		return
	}
	for now := range time.Tick(guardEvery) {
		why := g.full()
		if why == "" && now.Unix()%rootsCounted == 0 {
			why = g.crowded()
		}
		if why != "" {
			end(why)
		}
	}
}

func (g guard) full() string {
	for _, d := range g.disks {
		if _, free, err := space(d.folder); err == nil && free < d.floor {
			return fmt.Sprintf("It was ended because the disk of %s is nearly full: %d MB are free. Make room, or lower the bound: --limit-free of its runner, XBOT_LIMIT_FREE of the server's own.", d.folder, free>>20)
		}
	}
	return ""
}

func (g guard) crowded() string {
	if g.processes == 0 {
		return ""
	}
	if n := g.tree.size(); n > g.processes {
		return fmt.Sprintf("It was ended because it had %d processes: %d are allowed (--limit-processes of its runner, XBOT_LIMIT_PROCESSES of the server's own).", n, g.processes)
	}
	return ""
}

// space returns the size of a folder's file system and what is free for this user, in bytes.
func space(folder string) (size, free uint64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil {
		return 0, 0, os.NewSyscallError("statfs", err)
	}
	block := uint64(fs.Bsize)
	return fs.Blocks * block, fs.Bavail * block, nil
}
