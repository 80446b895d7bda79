package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"xbot/runner/confine"
)

// limits are the flags that bound each process of a command, and what commands leave to others.
type limits struct {
	Core      size   `default:"0" placeholder:"SIZE" help:"Maximum size of a core dump (${default}). K, M and G are powers of 1024."`
	Files     uint64 `default:"65536" placeholder:"N" help:"Maximum number of files that a process may have open (${default}). 0, here and below: the limit of the system."`
	Processes uint64 `default:"16384" placeholder:"N" help:"Maximum number of processes and threads of the user who runs commands (${default}). The kernel does not count those of root: a command of root with more is ended within seconds."`
	FileSize  size   `default:"64G" placeholder:"SIZE" help:"Maximum size of a file that a process writes (${default})."`
	Memory    size   `default:"0" placeholder:"SIZE" help:"Maximum private memory of a process (default: no limit). Programs that reserve much more than they use may not start with a limit."`
	Free      size   `default:"1G" placeholder:"SIZE" help:"Free space on the disks of a command below which it is ended (${default}, at most a tenth of the disk). One that begins below may run as long as the disk does not get fuller."`
}

func (l limits) limits() confine.Limits {
	return confine.Limits{
		Core: uint64(l.Core), Files: l.Files, Processes: l.Processes, FileSize: uint64(l.FileSize), Memory: uint64(l.Memory),
	}
}

// size is a number of bytes, with or without one of the letters K, M, G at its end.
type size uint64

// UnmarshalText reads a size.
func (s *size) UnmarshalText(text []byte) error {
	digits, shift := string(text), 0
	for i, unit := range []string{"K", "M", "G"} {
		if rest, ok := strings.CutSuffix(strings.ToUpper(digits), unit); ok {
			digits, shift = rest, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > math.MaxUint64>>shift {
		return fmt.Errorf("%q is not a size such as 512M", text)
	}
	*s = size(n << shift)
	return nil
}
