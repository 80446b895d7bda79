package pdf

import (
	"os"
	"runtime"
)

// program is what is running, also after its file was replaced by that of another version.
func program() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}
