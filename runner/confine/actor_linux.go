package confine

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// identity is what the kernel decides by what a thread may do to files.
type identity struct {
	user, group  uint64
	groups       []uint32
	capabilities uint64
}

// maxStatus bounds the status of a thread, in bytes. It is much shorter.
const maxStatus = 16 << 10

// identityOf returns the identity of a thread.
func identityOf(thread int) (identity, error) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(thread)+"/status", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return identity{}, err
	}
	data := make([]byte, maxStatus)
	n, err := unix.Read(fd, data)
	if err = errors.Join(err, unix.Close(fd)); err != nil {
		return identity{}, err
	}
	return parseIdentity(data[:n])
}

// parseIdentity reads the kernel's status of a thread.
func parseIdentity(status []byte) (id identity, err error) {
	const ofFiles = 3 // after the real, the effective and the saved one
	found := 0
	for line := range bytes.Lines(status) {
		name, rest, _ := bytes.Cut(line, []byte(":"))
		values := bytes.Fields(rest)
		number := func(i, base int) (n uint64) {
			if i >= len(values) {
				err = errors.Join(err, errors.New("the status of a thread lacks a number"))
				return 0
			}
			n, parseErr := strconv.ParseUint(string(values[i]), base, 64)
			err = errors.Join(err, parseErr)
			return n
		}
		switch string(name) {
		case "Uid":
			id.user = number(ofFiles, 10)
		case "Gid":
			id.group = number(ofFiles, 10)
		case "Groups":
			for i := range values {
				id.groups = append(id.groups, uint32(number(i, 10)))
			}
		case "CapEff":
			id.capabilities = number(0, 16)
		default:
			continue
		}
		found++
	}
	if err == nil && found != 4 {
		err = errors.New("the status of a thread lacks a line")
	}
	return id, err
}

// actor is a thread of root that acts with the identities of others.
type actor struct {
	own identity  // what the thread begins with
	now *identity // nil: unknown
}

// newActor makes the calling thread an actor. It has to be the caller's alone, and to end with it.
func newActor() (*actor, error) {
	own, err := identityOf(unix.Gettid())
	return &actor{own: own, now: &own}, err
}

// become gives the thread an identity. After an error it has one that is not known.
func (a *actor) become(id identity) error {
	same := a.now != nil && a.now.user == id.user && a.now.group == id.group && slices.Equal(a.now.groups, id.groups)
	if same && a.now.capabilities == id.capabilities {
		return nil
	}
	a.now = nil
	if !same {
		if err := setUser(id); err != nil {
			return err
		}
	}
	if err := setEffective(id.capabilities); err != nil {
		return err
	}
	a.now = &id
	return nil
}

// setUser sets the user and the groups by which the calling thread reaches files.
func setUser(id identity) error {
	if err := setEffective(^uint64(0)); err != nil { // to be allowed the rest
		return err
	}
	groups := append(slices.Clone(id.groups), 0) // one more, so that there is an address
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(id.groups)), uintptr(unsafe.Pointer(&groups[0])), 0); errno != 0 {
		return errno
	}
	for _, set := range []struct {
		call  uintptr
		value uint64
	}{{unix.SYS_SETFSGID, id.group}, {unix.SYS_SETFSUID, id.user}} {
		_, _, _ = unix.RawSyscall(set.call, uintptr(set.value), 0, 0) // returns the one before, also if it is refused
		if is, _, _ := unix.RawSyscall(set.call, ^uintptr(0), 0, 0); uint64(uint32(is)) != set.value {
			return unix.EPERM
		}
	}
	return nil
}

// setEffective makes capabilities that the thread is permitted effective, and no others.
func setEffective(capabilities uint64) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	for i := range data {
		data[i].Effective = data[i].Permitted & uint32(capabilities>>(32*i))
	}
	return unix.Capset(&header, &data[0])
}
