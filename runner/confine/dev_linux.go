package confine

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// devices returns the devices that programs need and that are harmless.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
}

// devLinks are names in /dev that lead elsewhere.
var devLinks = map[string]string{
	"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0", "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
	"/dev/ptmx": "pts/ptmx",
}

// makeDev replaces /dev by one with the devices above and separate terminals: no disks, no memory, no kernel log.
func makeDev() error {
	var there []string
	for _, name := range devices() {
		if exists(name) {
			there = append(there, name)
		}
	}
	harmless, err := take(there)
	if err != nil {
		return err
	}
	if err := unix.Mount("xbot", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, smallOptions); err != nil {
		return fmt.Errorf("replace /dev: %w", err)
	}
	for _, t := range harmless {
		fd, err := unix.Open(t.path, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o644)
		if err != nil {
			return fmt.Errorf("make %s: %w", t.path, err)
		}
		_ = unix.Close(fd) // nothing was written
	}
	errs := []error{attach(harmless), unix.Mkdir("/dev/pts", 0o755), unix.Mkdir("/dev/shm", 0o755)}
	for name, target := range devLinks {
		errs = append(errs, unix.Symlink(target, name))
	}
	// Some kernels do not give a user namespace terminals. Then there are none.
	_ = unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("fill /dev: %w", err)
	}
	return nil
}
