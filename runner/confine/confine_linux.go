package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// coverOptions make a file system that holds nothing and that nobody may enter.
const coverOptions = "mode=000,size=4k,nr_inodes=1"

// self is the running program, also after its file was replaced.
func self() string { return "/proc/self/exe" }

// methods leaves out the user namespace for root: in one, root could no longer act as other users.
func methods() []Method {
	if os.Geteuid() == 0 {
		return []Method{Mount}
	}
	return []Method{User}
}

// start needs a thread of its own.
func start(method Method, c Command) (pid int, err error) {
	path, argv, attr := shell(c)
	attr.Sys.Pdeathsig = syscall.SIGKILL
	switch method {
	case Mount:
		if err := enter(c); err != nil {
			return 0, err
		}
		attr.Files = []uintptr{0, 1, 2}
	case User:
		path, argv = self(), append(append([]string{"xbot-runner", shellVerb}, c.Hide...), "--", c.Text)
		attr.Sys.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWUSER
		attr.Sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		attr.Sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		attr.Sys.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // to mount; confinedShell gives it up
	}
	pid, err = syscall.ForkExec(path, argv, attr)
	if method == Mount {
		// The thread's copy of the output would keep its reader from seeing the end.
		_ = unix.CloseRange(0, math.MaxInt32, 0) // it worked in enter
	}
	return pid, err
}

// enter takes the calling thread into a mount namespace with the folders covered. It also gets a table of descriptors
// of its own, with nothing in it but what the command inherits: the command is in the thread's Landlock domain and may
// look at it through /proc.
func enter(c Command) error {
	if err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS | unix.CLONE_FILES); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	for fd, from := range []uintptr{c.Input, c.Output, c.Errors} {
		if err := unix.Dup3(int(from), fd, 0); err != nil && int(from) != fd {
			return os.NewSyscallError("dup3", err)
		}
	}
	if err := unix.CloseRange(3, math.MaxInt32, 0); err != nil {
		return os.NewSyscallError("close_range", err)
	}
	return errors.Join(coverAll(c.Hide), restrict())
}

// confinedShell covers folders in the namespace it was started in, and executes a shell. It returns only if that
// fails.
func confinedShell(args []string) int {
	runtime.LockOSThread() // Landlock and capabilities belong to a thread
	hide, command, err := parse(args)
	if err == nil {
		err = coverAll(hide)
	}
	if err == nil {
		err = restrict()
	}
	if err == nil {
		err = dropCapability()
	}
	if err == nil {
		err = syscall.Exec("/bin/sh", []string{"sh", "-c", command}, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "xbot-runner could not confine the command, so it was not executed: %v\n", err)
	return failed
}

// parse reads the folders, a separator, and the command for the shell.
func parse(args []string) (hide []string, command string, err error) {
	if len(args) < 2 || args[len(args)-2] != "--" {
		return nil, "", fmt.Errorf("usage: xbot-runner %s FOLDER... -- COMMAND", shellVerb)
	}
	return args[:len(args)-2], args[len(args)-1], nil
}

// coverAll puts an empty file system over each folder. One that is not there, or lies under a cover, needs none.
func coverAll(hide []string) error {
	// What others mount from now on still shows here; what is mounted here shows to nobody.
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("separate the mounts: %w", err)
	}
	for _, dir := range hide {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		err := unix.Mount("xbot", dir, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, coverOptions)
		if err != nil {
			return fmt.Errorf("cover %s: %w", dir, err)
		}
	}
	return nil
}

// restrict enters a Landlock domain that allows everything files need, but by its existence forbids to change mounts
// and to look into processes outside. Kernels before 5.19 cannot do it without forbidding to move files; there the
// namespace alone has to do.
func restrict() error {
	version, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if int(version) < 2 || int(version) > 1<<16 { // an errno shows as a huge number
		return nil
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_REFER}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules.Handled_access_fs), 0)
	if errno != 0 {
		return fmt.Errorf("make a Landlock ruleset: %w", errno)
	}
	defer unix.Close(int(fd))
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(root)
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: unix.LANDLOCK_ACCESS_FS_REFER, Parent_fd: int32(root)}
	_, _, errno = unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, fd, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("add a Landlock rule: %w", errno)
	}
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("enter the Landlock domain: %w", errno)
	}
	return nil
}

// dropCapability gives up what the user namespace gave for mounting.
func dropCapability() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop ambient capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	data[0].Inheritable, data[1].Inheritable = 0, 0
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("drop inheritable capabilities: %w", err)
	}
	return nil
}
