package job

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// fdSocket is a pair of sockets over which the daemon sends descriptors to a shim that starts while the folder of its job is made. A shim that
// gets none before the daemon's end is closed ends.
type fdSocket struct{ daemon, shim int }

func newFDSocket() (fdSocket, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return fdSocket{}, os.NewSyscallError("socketpair", err)
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	return fdSocket{daemon: pair[0], shim: pair[1]}, nil
}

// send sends the descriptors from EventsFD on. They stay the caller's, and count as open for the shim from here on.
func (s fdSocket) send(descriptors ...int) error {
	return os.NewSyscallError("sendmsg", unix.Sendmsg(s.daemon, []byte{0}, unix.UnixRights(descriptors...), nil, 0))
}

func (s fdSocket) close() { _, _ = unix.Close(s.daemon), unix.Close(s.shim) } // what was sent is with the shim

// ReceiveDescriptors waits for the descriptors of a shim from EventsFD on, which is when the folder of its job is complete.
func ReceiveDescriptors() error {
	buf, oob := make([]byte, 1), make([]byte, unix.CmsgSpace((SecretFD-EventsFD+1)*4))
	n, oobn, _, _, err := unix.Recvmsg(SocketFD, buf, oob, 0)
	for errors.Is(err, unix.EINTR) {
		n, oobn, _, _, err = unix.Recvmsg(SocketFD, buf, oob, 0)
	}
	if err != nil || n == 0 {
		return fmt.Errorf("the daemon gave up the start: %w", errors.Join(err, unix.Close(SocketFD)))
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil || len(messages) != 1 {
		return fmt.Errorf("the descriptors did not come: %w", err)
	}
	received, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return fmt.Errorf("the descriptors did not come: %w", err)
	}
	for i, fd := range received {
		if err := moveTo(fd, EventsFD+i); err != nil {
			return fmt.Errorf("descriptor %d: %w", EventsFD+i, err)
		}
	}
	return os.NewSyscallError("close", unix.Close(SocketFD))
}
