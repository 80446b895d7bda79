package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// orderFD is where the process that becomes the command reads what to do, and gives its listener back.
const orderFD = 3

// order is the message to that process.
type order struct {
	Method Method   `json:"method"`
	Text   string   `json:"text"`
	Dir    string   `json:"dir"`
	Env    []string `json:"env"`
	Policy Policy   `json:"walls"`
	Listen bool     `json:"listen"` // whether a judge decides about requests
	Parent int      `json:"parent"`

	rest io.Reader // what comes after it
}

// methods leaves out the user namespace for root: in one, root could no longer act as other users.
func methods() []Method {
	if os.Geteuid() == 0 {
		return []Method{Mount, Landlock}
	}
	return []Method{User, Landlock}
}

// start executes this program, in namespaces if that is the method, where it builds the sandbox before it becomes the
// shell.
func start(method Method, c Command) (pid int, err error) {
	path, argv, attr := shell(c)
	attr.Sys.Pdeathsig = syscall.SIGKILL
	if method == None {
		if err := c.recordStart(); err != nil {
			return 0, err
		}
		return c.Limits.fork(path, argv, attr)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, os.NewSyscallError("socketpair", err)
	}
	_ = unix.SetNonblock(pair[0], true) // so that the network poller waits for it; a descriptor that was just made has no reason to refuse
	ours := os.NewFile(uintptr(pair[0]), "order")
	separate(method, attr)
	attr.Dir, attr.Env = "/", []string{"GOMAXPROCS=1"} // until the shell replaces it, with the command's environment
	attr.Files = append(attr.Files, uintptr(pair[1]))
	pid, err = syscall.ForkExec(self(), []string{"xbot-runner", shellVerb}, attr)
	_ = unix.Close(pair[1]) // the other process has its own
	if err != nil {
		_ = ours.Close() // the other end is closed
		return pid, err
	}
	err = json.NewEncoder(ours).Encode(order{
		Method: method, Text: c.Text, Dir: c.Dir, Env: c.Env, Policy: c.Policy, Listen: c.Judge != nil, Parent: os.Getpid(),
	})
	err = ifRunning(err)
	if err == nil {
		err = c.recordStart()
	}
	if err == nil {
		_, err = ours.Write([]byte{goAhead})
		err = ifRunning(err)
	}
	if err != nil {
		_ = ours.Close()
		_ = unix.Kill(pid, unix.SIGKILL)    // nothing of the command was executed
		_, _ = unix.Wait4(pid, nil, 0, nil) // its end is of no interest
		return 0, err
	}
	go serve(ours, c.Judge)
	return pid, nil
}

// ifRunning drops the error of a write to a process that has ended: its exit code is the result.
func ifRunning(err error) error {
	if errors.Is(err, unix.EPIPE) {
		return nil
	}
	return err
}

// goAhead is the byte that has the process execute the command once its sandbox is built.
const goAhead = '!'

// separate sets the namespaces of the process.
func separate(method Method, attr *syscall.ProcAttr) {
	switch method {
	case Mount:
		attr.Sys.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWIPC
	case User:
		attr.Sys.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER
		attr.Sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		attr.Sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		// dropCapabilities gives them up. One is for looking past folders of the user's own that a command has shut.
		attr.Sys.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_RESOURCE, unix.CAP_SETPCAP, unix.CAP_DAC_READ_SEARCH}
	}
}

// confinedShell builds the sandbox in the namespaces it was started in, and executes a shell. It returns only if that fails.
func confinedShell() int {
	runtime.LockOSThread() // Landlock, capabilities and filters belong to a thread
	var o order
	from := os.NewFile(orderFD, "order")
	defer runtime.KeepAlive(from) // sendListener writes to its descriptor, which would be closed with it
	orders := json.NewDecoder(from)
	err := errors.Join(sealDescriptors(), orders.Decode(&o))
	o.rest = io.MultiReader(orders.Buffered(), from)
	if err != nil {
		fmt.Fprintln(os.Stderr, "xbot-runner confined-shell is started by xbot-runner only:", err)
		return failed
	}
	if err := o.applyConfinement(); err != nil {
		fmt.Fprintf(os.Stderr, "xbot-runner could not confine the command, so it was not executed: %v\n", err)
		return failed
	}
	err = syscall.Exec("/bin/sh", []string{"sh", "-c", o.Text}, o.Env)
	fmt.Fprintf(os.Stderr, "xbot-runner could not start the command: %v\n", os.NewSyscallError("execve", err))
	return failed
}

func (o order) applyConfinement() error {
	firstToGo()
	// No other process may look into this process, which can do more than the command. Executing the shell takes it back.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	p, err := makePlan(o.Policy, home(o.Env))
	if err != nil {
		return err
	}
	if err := p.build(o.Method); err != nil {
		return err
	}
	// The working directory is the folder as it was before the sandbox was built.
	if err := os.Chdir(o.Dir); err != nil {
		return err
	}
	if err := o.awaitGoAhead(); err != nil {
		return err
	}
	if err := o.Policy.Limits.limitSelf(); err != nil {
		return err
	}
	if err := dieWith(o.Parent); err != nil {
		return err
	}
	return p.filterCalls(o)
}

// awaitGoAhead waits until the command may be executed. It comes before the limits, which could keep the waiting from a thread that it needs.
func (o order) awaitGoAhead() error {
	for b := make([]byte, 1); ; {
		_, err := io.ReadFull(o.rest, b)
		switch {
		case err != nil:
			return errors.New("its start was canceled")
		case b[0] == goAhead:
			return nil
		}
	}
}

// sealDescriptors keeps everything but the standard streams from the command.
func sealDescriptors() error {
	err := unix.CloseRange(orderFD, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil || (!errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL)) {
		return os.NewSyscallError("close_range", err)
	}
	entries, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	if err != nil {
		return fmt.Errorf("look at the own descriptors: %w", err)
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= orderFD {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// dieWith makes sure that the command ends with the process that started it, also after the change of capabilities.
func dieWith(parent int) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	if os.Getppid() != parent {
		return errors.New("who started it has ended")
	}
	return nil
}

// home returns the home folder that an environment names.
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
	if err := dropCapabilities(); err != nil {
		return err
	}
	return p.restrict(method)
}
