package job

import (
	"math"

	"golang.org/x/sys/unix"
)

// sealAll needs Linux 5.11.
func sealAll() bool { return unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) == nil }

// moveTo gives a descriptor another number, in the place of what has it.
func moveTo(fd, number int) error {
	if fd == number {
		unix.CloseOnExec(fd)
		return nil
	}
	if err := unix.Dup3(fd, number, unix.O_CLOEXEC); err != nil {
		return err
	}
	return unix.Close(fd)
}
