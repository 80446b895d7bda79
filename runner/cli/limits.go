package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"xbot/runner/confine"
)

// limits are the flags that bound each process of a command.
type limits struct {
	Core      size   `default:"0" placeholder:"SIZE" help:"Most bytes of a core dump (${default}). K, M and G stand for their powers of 1024."`
	Files     uint64 `default:"65536" placeholder:"N" help:"Most files that a process of a command may have open (${default}); 0 leaves it to the system, as with the following."`
	Processes uint64 `default:"16384" placeholder:"N" help:"Most processes and threads of the user who runs commands (${default}); the kernel does not hold root to it."`
	FileSize  size   `default:"64G" placeholder:"SIZE" help:"Largest file that a process may write (${default})."`
	Memory    size   `default:"0" placeholder:"SIZE" help:"Most private memory of a process; no limit unless given. Programs that reserve much and use little may not start with one."`
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
