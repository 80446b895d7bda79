package localstack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// logLimit is the size above which a server's log is set aside at its next start, as one older file.
const logLimit = 8 << 20

func trimLog(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && info.Size() <= logLimit) {
		return nil
	}
	if err == nil {
		err = os.Rename(path, path+".1")
	}
	if err != nil {
		return fmt.Errorf("set the log %s aside: %w", path, err)
	}
	return nil
}

// lastLogLine returns the last line of a log from offset on.
func lastLogLine(path string, offset int64) string {
	const limit = 64 << 10
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.NewSectionReader(file, offset, limit))
	if err != nil {
		return ""
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(lines[len(lines)-1])
}
