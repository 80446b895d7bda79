package confine

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Herd keeps to themselves what the calling thread starts from now on: its descendants may send signals to one another
// and connect to one another's abstract sockets, and to nobody else's. It needs Linux 6.12; before, it does nothing. The
// thread gives up new privileges.
func Herd() error {
	if landlockABI() < abiScope {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", os.NewSyscallError("prctl", err))
	}
	attr := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	r, err := newRuleset(attr, unsafe.Offsetof(attr.Quiet_access_fs))
	if err != nil {
		return err
	}
	defer r.close()
	return r.enter()
}
