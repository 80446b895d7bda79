package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// methods leaves out the user namespace for root: in one, root could no longer act as other users.
func methods() []Method {
	if os.Geteuid() == 0 {
		return []Method{Mount, Landlock}
	}
	return []Method{User, Landlock}
}

// start needs a thread of its own.
func start(method Method, c Command) (pid int, err error) {
	path, argv, attr := shell(c)
	attr.Sys.Pdeathsig = syscall.SIGKILL
	switch method {
	case None:
		return c.Limits.fork(path, argv, attr)
	case User:
		return startSelf(User, c, attr)
	}
	p := makePlan(c.Walls, home(c.Env))
	poller, err := pollerDescriptors()
	if err != nil {
		return 0, err
	}
	flags := unix.CLONE_FS | unix.CLONE_FILES
	if method == Mount {
		flags |= unix.CLONE_NEWNS
	}
	err = enter(c, flags, poller)
	if method == Landlock && errors.Is(err, unix.EPERM) { // container engines forbid the call, whatever it is to separate
		return startSelf(Landlock, c, attr)
	}
	if err != nil {
		return 0, err
	}
	if err := p.build(method); err != nil {
		return 0, err
	}
	attr.Files = []uintptr{0, 1, 2}
	pid, err = c.Limits.fork(path, argv, attr)
	// The thread's copy of the output would keep its reader from seeing the end.
	return pid, errors.Join(err, closeFrom(0, poller))
}

// enter separates the calling thread from its process. It also gets a table of descriptors of its own, with nothing in
// it but what the command inherits and the runtime needs: the command is in the thread's Landlock domain and may look at
// it through /proc.
func enter(c Command, flags int, poller []int) error {
	if err := unix.Unshare(flags); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	for fd, from := range []uintptr{c.Input, c.Output, c.Errors} {
		if err := unix.Dup3(int(from), fd, 0); err != nil && int(from) != fd {
			return os.NewSyscallError("dup3", err)
		}
	}
	return closeFrom(3, poller)
}

// closeFrom closes every descriptor of the thread's table from first on, except those to keep, which are in order.
func closeFrom(first int, keep []int) error {
	for _, fd := range append(keep, math.MaxInt32) {
		if fd > first {
			if err := unix.CloseRange(uint(first), uint(fd-1), 0); err != nil {
				return os.NewSyscallError("close_range", err)
			}
		}
		first = max(first, fd+1)
	}
	return nil
}

// pollerDescriptors are those by which Go's runtime waits for input and wakes itself, in order. It uses them on any
// thread, and gives up where they are missing. They cannot be opened through /proc.
func pollerDescriptors() ([]int, error) {
	begin, end, err := os.Pipe() // the runtime makes them for the first pipe
	if err != nil {
		return nil, err
	}
	defer begin.Close()
	defer end.Close()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, fmt.Errorf("look at the own descriptors: %w", err)
	}
	var found []int
	for _, entry := range entries {
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err != nil || (target != "anon_inode:[eventpoll]" && target != "anon_inode:[eventfd]") {
			continue
		}
		fd, err := strconv.Atoi(entry.Name())
		if err != nil {
			return nil, err
		}
		found = append(found, fd)
	}
	slices.Sort(found)
	return found, nil
}

// startSelf starts this program, in a user namespace if that is the method, where it builds the walls before it becomes
// the shell.
func startSelf(method Method, c Command, attr *syscall.ProcAttr) (pid int, err error) {
	walls, err := json.Marshal(c.Walls)
	if err != nil {
		return 0, fmt.Errorf("encode the walls: %w", err)
	}
	if method == User {
		attr.Sys.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWUSER
		attr.Sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		attr.Sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		attr.Sys.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_RESOURCE, unix.CAP_SETPCAP} // dropPower gives them up
	}
	return syscall.ForkExec(self(), []string{"xbot-runner", shellVerb, string(method), string(walls), c.Text}, attr)
}

// confinedShell builds walls in the namespace it was started in, and executes a shell. It returns only if that fails.
func confinedShell(args []string) int {
	runtime.LockOSThread() // Landlock and capabilities belong to a thread
	var walls Walls
	if len(args) != 3 || json.Unmarshal([]byte(args[1]), &walls) != nil {
		fmt.Fprintf(os.Stderr, "usage: xbot-runner %s METHOD WALLS COMMAND\n", shellVerb)
		return failed
	}
	dir, err := os.Getwd()
	if err == nil {
		err = makePlan(walls, os.Getenv("HOME")).build(Method(args[0]))
	}
	if err == nil {
		err = os.Chdir(dir) // where it stands is the folder as it was before the walls
	}
	if err == nil {
		err = walls.Limits.limitSelf()
	}
	if err == nil {
		err = syscall.Exec("/bin/sh", []string{"sh", "-c", args[2]}, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "xbot-runner could not confine the command, so it was not executed: %v\n", err)
	return failed
}

// home is the home folder that an environment names.
func home(env []string) string {
	i := slices.IndexFunc(env, func(pair string) bool { return strings.HasPrefix(pair, "HOME=") })
	if i < 0 {
		return ""
	}
	return strings.TrimPrefix(env[i], "HOME=")
}

// build does what is planned to the calling thread. In this order: mounting needs the capabilities, and Landlock would
// forbid it.
func (p *plan) build(method Method) error {
	if method == User {
		forbidUserNamespaces()
	}
	if method != Landlock {
		if err := p.mount(); err != nil {
			return err
		}
	}
	if err := dropPower(); err != nil {
		return err
	}
	if p.alone {
		if err := Herd(); err != nil {
			return err
		}
	}
	return p.restrict(method)
}
