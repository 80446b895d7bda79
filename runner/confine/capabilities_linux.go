package confine

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// kept are the capabilities of root's commands: to act as other users and on their files, and to serve low ports. What
// reaches the kernel, disks, memory, raw networks or other processes is gone.
var kept = []uintptr{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID, unix.CAP_SETUID,
	unix.CAP_SETPCAP, unix.CAP_SETFCAP, unix.CAP_NET_BIND_SERVICE, unix.CAP_AUDIT_WRITE,
}

// lastCapability bounds the search for capabilities of this kernel.
const lastCapability = 63

// dropCapabilities takes from the calling thread the capabilities that commands must not have. No program that it executes can regain them.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop ambient capabilities: %w", err)
	}
	allowed := keptBits()
	for c := range uintptr(lastCapability) {
		has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0)
		if err != nil {
			break // the kernel knows no more of them
		}
		if has == 0 || allowed&(1<<c) != 0 {
			continue
		}
		// A thread that may not do this gains nothing all the same: no new privileges holds programs to the thread's capabilities.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	return reduce(allowed)
}

func keptBits() (bits uint64) {
	if os.Geteuid() != 0 {
		return 0
	}
	for _, c := range kept {
		bits |= 1 << c
	}
	return bits
}

// reduce leaves the thread what it has of the allowed capabilities.
func reduce(allowed uint64) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	for i := range data {
		part := uint32(allowed >> (32 * i))
		data[i].Permitted &= part
		data[i].Effective = data[i].Permitted
		data[i].Inheritable = 0
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// forbidUserNamespaces keeps the command, inside its own user namespace, from making further ones, in which it would
// have every capability over parts of the kernel that are rarely used and often broken. A kernel that does not know the
// limit applies the other rules.
func forbidUserNamespaces() {
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
}
