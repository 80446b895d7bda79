package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// self is the running program, also after its file was replaced.
const self = "/proc/self/exe"

// coverOptions make a file system that holds nothing and that nobody may enter.
const coverOptions = "mode=000,size=4k,nr_inodes=1"

func methods() []Method {
	if os.Geteuid() == 0 {
		return []Method{Mount, User}
	}
	return []Method{User}
}

// Wrap returns what to execute, and how, so that a shell runs the command with the folders hidden. The caller may add
// to the attributes.
func Wrap(method Method, hide []string, command string) (path string, argv []string, attr *syscall.SysProcAttr) {
	switch method {
	case Mount:
		attr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	case User:
		attr = &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWNS | unix.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}},
			AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN}, // to mount; Main gives it up
		}
	default:
		return "/bin/sh", []string{"sh", "-c", command}, &syscall.SysProcAttr{}
	}
	return self, arguments(hide, command), attr
}

// Main covers folders in the namespace it was started in, and executes a shell. It returns only if that fails. It
// must be called first thing in the process.
func Main(args []string) int {
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

// dropCapability gives up what a user namespace gave for mounting. Root keeps what it had.
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
