// Package history keeps what was typed at the terminal across sessions, in a file that its owner alone can read. What looks like a
// secret is left out, and so is what begins with a space.
package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/fault"
)

// Bounds of the file.
const (
	MaxEntries = 1000
	maxText    = 8 << 10 // bytes of one entry; a longer one was pasted, and is not worth finding here
	maxFile    = 4 << 20 // bytes that are read, of the end
)

// File is the history on disk. Several terminals may add to it at the same time.
type File struct{ Path string }

// In returns the history of a data folder.
func In(home string) File { return File{filepath.Join(home, "cli", "history.jsonl")} }

// Load returns what was typed, the oldest first, each text once. A line that cannot be read is passed over.
func (f File) Load() ([]string, error) {
	content, err := os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Errorf(fault.Denied, "read what was typed before: %w", err)
	}
	content = content[max(0, len(content)-maxFile):]
	var newest []string
	seen := map[string]bool{}
	for _, line := range slices.Backward(bytes.Split(content, []byte("\n"))) {
		var text string
		if json.Unmarshal(line, &text) != nil || text == "" || seen[text] {
			continue
		}
		seen[text] = true
		if newest = append(newest, text); len(newest) == MaxEntries {
			break
		}
	}
	slices.Reverse(newest)
	return newest, nil
}

// Add keeps a text if it is one to keep. A file that has grown to twice the limit is rewritten.
func (f File) Add(text string) error {
	if !Keeps(text) {
		return nil
	}
	line, err := json.Marshal(text)
	if err != nil {
		return fault.Errorf(fault.Internal, "encode what was typed: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return fault.Errorf(fault.Denied, "keep what was typed: %w", err)
	}
	file, err := os.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fault.Errorf(fault.Denied, "keep what was typed: %w", err)
	}
	_, err = file.Write(append(line, '\n')) // one write: terminals do not mix their lines
	if err = errors.Join(err, file.Chmod(0o600), file.Close()); err != nil {
		return fault.Errorf(fault.Unavailable, "keep what was typed: %w", err)
	}
	return f.shorten()
}

// shorten rewrites the file if it holds much more than is read.
func (f File) shorten() error {
	content, err := os.ReadFile(f.Path)
	if err != nil {
		return fault.Errorf(fault.Denied, "read what was typed before: %w", err)
	}
	if bytes.Count(content, []byte("\n")) < 2*MaxEntries && len(content) < maxFile {
		return nil
	}
	kept, err := f.Load()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, text := range kept {
		line, err := json.Marshal(text)
		if err != nil {
			return fault.Errorf(fault.Internal, "encode what was typed: %w", err)
		}
		out.Write(append(line, '\n'))
		if out.Len() > maxFile/2 {
			out.Next(out.Len() - maxFile/2)
		}
	}
	temporary, err := os.CreateTemp(filepath.Dir(f.Path), "history-*") // of mode 0600
	if err != nil {
		return fault.Errorf(fault.Denied, "write what was typed anew: %w", err)
	}
	_, err = temporary.Write(out.Bytes())
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), f.Path)
	}
	if err != nil {
		return fault.Errorf(fault.Unavailable, "write what was typed anew: %w", errors.Join(err, os.Remove(temporary.Name())))
	}
	return nil
}

// secret finds what people type in front of a secret, and what keys look like.
var secret = regexp.MustCompile(`(?i)(api[_-]?key|\bkey|token|passw(or)?d|passphrase|secret)["']?\s*[=:]\s*\S|\bbearer\s+\S{8}|\b(sk|pk|ghp|gho|xox[a-z]|glpat|AKIA)[-_]?[A-Za-z0-9_-]{16,}|-----BEGIN `)

// Keeps reports whether a text is one to keep: one that a user would look for, and that contains no recognizable secret.
func Keeps(text string) bool {
	return strings.TrimSpace(text) != "" && !strings.HasPrefix(text, " ") && len(text) <= maxText && !secret.MatchString(text)
}
