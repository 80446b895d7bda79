package local

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"xbot/internal/fault"
)

const (
	maxLog  = 10 << 20 // bytes of the log above which the next start begins a new one
	tailLog = 4 << 10  // bytes of the log that are searched for the reason of a failed start
)

func (s *Server) logName() string { return filepath.Join(s.Home, "logs", "serve.log") }

// openLog opens the log of the server for appending, private to this user, and returns its length. A log that has
// grown large is kept once under another name.
func (s *Server) openLog() (log *os.File, length int64, err error) {
	name := s.logName()
	if info, err := os.Stat(name); err == nil && info.Size() > maxLog {
		if err := os.Rename(name, name+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, 0, fault.Errorf(fault.Denied, "put the old log of the server aside: %w", err)
		}
	}
	log, err = os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, 0, fault.Errorf(fault.Denied, "open the log of the server: %w", err)
	}
	info, err := log.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("look at the log of the server: %w", err), log.Close())
	}
	return log, info.Size(), nil
}

// lastWords returns the last line that the server has written since it was started.
func (s *Server) lastWords(begin int64) string {
	log, err := os.Open(s.logName())
	if err != nil {
		return err.Error()
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return err.Error()
	}
	from := max(begin, info.Size()-tailLog)
	text, err := io.ReadAll(io.NewSectionReader(log, from, info.Size()-from))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(text), "")), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return "(nothing)"
}
