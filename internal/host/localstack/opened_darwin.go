package localstack

import "os"

// opened believes the pid: macOS does not show what other processes have open, and shares no pids with containers.
func opened(int, *os.File) (bool, error) { return true, nil }
