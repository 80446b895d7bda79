package container

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// programPrefix begins the names of the copies; the rest is a hash of their content.
const programPrefix = "xbot-runner-"

func (c *Config) programDir() string { return filepath.Join(c.State, "bin") }

// installProgram copies the program to a place that never changes: a container keeps the file it was made with, and a
// newer program is another file, so another configuration.
func (c *Config) installProgram() (string, error) {
	data, err := os.ReadFile(c.Program)
	if err != nil {
		return "", fmt.Errorf("read the program for the container: %w", err)
	}
	if err := checkProgram(c.Program); err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	path := filepath.Join(c.programDir(), programPrefix+hex.EncodeToString(sum[:8]))
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		return path, nil
	}
	if err := os.MkdirAll(c.programDir(), 0o755); err != nil { //nolint:gosec // the container's user must get at it
		return "", fmt.Errorf("make a folder for the program: %w", err)
	}
	fresh := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(fresh, data, 0o755); err != nil { //nolint:gosec // it is a program that anybody may execute
		return "", fmt.Errorf("copy the program for the container: %w", err)
	}
	return path, os.Rename(fresh, path)
}

// checkProgram returns an error for a program that an image may be unable to execute.
func checkProgram(path string) error {
	file, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s is no Linux program: name an xbot-runner for Linux with --container-program", path)
	}
	defer file.Close()
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			return fmt.Errorf("%s needs libraries that an image may not have: build it with CGO_ENABLED=0, or name a static xbot-runner with --container-program", path)
		}
	}
	return nil
}

// removeOldPrograms removes the copies that no container uses any more.
func (c *Config) removeOldPrograms() {
	current, err := c.installProgram()
	if err != nil {
		return
	}
	old, err := filepath.Glob(filepath.Join(c.programDir(), programPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range old {
		if path != current {
			_ = os.Remove(path) // it costs a few megabytes, and is tried again with the next container
		}
	}
}
