package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification is struct seccomp_notif, and verdict struct seccomp_notif_resp.
type notification struct {
	id     uint64
	pid    uint32
	flags  uint32
	number int32
	arch   uint32
	ip     uint64
	args   [6]uint64
}

type verdict struct {
	id    uint64
	val   int64
	err   int32
	flags uint32
}

// maxPlan bounds what the process that builds a sandbox sends with its listener, in bytes.
const maxPlan = 64 << 10

// sendListener gives the listener to the process at the other end of the order, with the folders that the command may write.
func (p *plan) sendListener(listener int) error {
	writable, err := json.Marshal(append(slices.Clone(p.write), ownFolders...))
	if err != nil {
		return fmt.Errorf("encode the writable folders: %w", err)
	}
	return os.NewSyscallError("sendmsg", unix.Sendmsg(orderFD, writable, unix.UnixRights(listener), nil, 0))
}

// serve waits for the listener of the process at the other end, and answers the calls of its descendants until none is
// left: it judges those that reach for processes, and carries out those that change files. Without a listener they ask for nothing. All its
// waiting is the network poller's: a thread that waits in the kernel would keep Go's only processor (GOMAXPROCS=1) from the others for as long
// as ten milliseconds.
func serve(order *os.File, judge Judge) {
	fd, writable := receive(order)
	_ = order.Close() // the order is complete
	if fd < 0 {
		return
	}
	listener := os.NewFile(uintptr(fd), "listener")
	defer listener.Close()
	requests, err := listener.SyscallConn()
	if err != nil {
		return
	}
	// The caller runs on where this process ran, which saves it a wait for another processor. Linux before 6.6 does not know it.
	_ = unix.IoctlSetInt(fd, unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	files := newFiles(writable)
	for awaitRequest(requests) {
		var n notification
		err := control(fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n))
		switch {
		case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EINTR): // who called has ended, or was interrupted
		case err != nil:
			return
		default:
			answer(fd, n, judge, files)
		}
	}
}

// receive returns the descriptor that the other process sends, or -1 when it has closed its end without, and the folders that the command may
// write.
func receive(order *os.File) (listener int, writable []string) {
	listener = -1
	conn, err := order.SyscallConn()
	if err != nil {
		return -1, nil
	}
	buf, oob := make([]byte, maxPlan), make([]byte, unix.CmsgSpace(4))
	_ = conn.Read(func(fd uintptr) (done bool) { // an error leaves none
		n, oobn, _, _, err := unix.Recvmsg(int(fd), buf, oob, unix.MSG_CMSG_CLOEXEC)
		for errors.Is(err, unix.EINTR) {
			n, oobn, _, _, err = unix.Recvmsg(int(fd), buf, oob, unix.MSG_CMSG_CLOEXEC)
		}
		if errors.Is(err, unix.EAGAIN) {
			return false
		}
		if err != nil || n == 0 {
			return true
		}
		messages, err := unix.ParseSocketControlMessage(oob[:oobn])
		if err != nil || len(messages) != 1 {
			return true
		}
		if fds, err := unix.ParseUnixRights(&messages[0]); err == nil && len(fds) == 1 && unix.SetNonblock(fds[0], true) == nil {
			listener = fds[0]
		}
		if json.Unmarshal(buf[:n], &writable) != nil {
			writable = nil // no file can be changed
		}
		return true
	})
	return listener, writable
}

// awaitRequest returns false when no process is left that could call.
func awaitRequest(requests syscall.RawConn) (waits bool) {
	err := requests.Read(func(fd uintptr) (done bool) {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, 0)
		for errors.Is(err, unix.EINTR) {
			n, err = unix.Poll(poll, 0)
		}
		waits = err == nil && poll[0].Revents&unix.POLLIN != 0
		return n != 0 || err != nil
	})
	return err == nil && waits
}

func answer(listener int, n notification, judge Judge, files *files) {
	v := verdict{id: n.id}
	still := func() bool { return control(listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.id)) == nil }
	goOn, err := false, files.asSelf()
	switch {
	case err != nil:
	case changesFile(int(n.number)):
		err = files.change(fileCall{number: int(n.number), thread: int(n.pid), args: n.args, listener: listener, id: n.id})
	case judge == nil:
		err = unix.EPERM
	default:
		r := request(n)
		r.Still = still
		goOn, err = judge(r)
	}
	switch {
	case goOn:
		v.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	case err != nil:
		errno, known := errors.AsType[syscall.Errno](err)
		if !known {
			errno = unix.EPERM
		}
		v.err = -int32(errno)
	}
	_ = control(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&v)) // fails if it has ended in the meantime
}

// request reads the arguments of a call that the filter asks about.
func request(n notification) Request {
	r := Request{From: int(n.pid), Target: int(int32(n.args[0])), Signal: -1}
	switch n.number {
	case unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO:
		r.Signal = syscall.Signal(n.args[1])
	case unix.SYS_TGKILL, unix.SYS_RT_TGSIGQUEUEINFO:
		r.Target, r.Signal = int(int32(n.args[1])), syscall.Signal(n.args[2])
	case unix.SYS_FCNTL: // F_SETOWN
		r.Target = int(int32(n.args[2]))
	case unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET:
		r.Target = int(int32(n.args[1]))
	}
	return r
}

func control(fd int, request uintptr, argument unsafe.Pointer) error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(argument))
	runtime.KeepAlive(argument)
	if errno != 0 {
		return errno
	}
	return nil
}
