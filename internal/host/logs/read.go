package logs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat/ops"
	"xbot/internal/fault"
)

// Bounds of a look.
const (
	DefaultLines = 100
	MaxLines     = 1000
	maxScan      = 64 << 20  // bytes of all files
	maxRead      = 256 << 10 // bytes of a line; a longer one is left out
	maxLine      = 8 << 10   // bytes of a line that are shown
	// clockSlack is how much the time of a file may be behind that of a line in it: a kernel takes it from its last tick, and some
	// file systems keep whole seconds.
	clockSlack = 2 * time.Second
)

// Query selects log lines.
type Query struct {
	Level   string    // the least: debug, info, warn, error; empty: all
	Since   time.Time // after; zero: from the beginning
	Until   time.Time // at most; zero: until now
	Words   string    // all of them have to be in the line, in any case
	Process string    // such as worker; empty: all
	Limit   int       // of lines, the newest; 0: DefaultLines
}

// Reader reads the logs of the processes that use a data folder.
type Reader struct{ Home string }

// Read returns the newest lines that a query asks for, the oldest first.
func (r Reader) Read(ctx context.Context, q Query) (ops.Logs, error) {
	least, err := levelOf(q.Level)
	if err != nil {
		return ops.Logs{}, err
	}
	files, err := r.files(q)
	if err != nil {
		return ops.Logs{}, err
	}
	q.Limit = min(cmp.Or(max(q.Limit, 0), DefaultLines), MaxLines)
	look := &look{Query: q, least: least, words: strings.Fields(strings.ToLower(q.Words)), room: maxScan}
	for _, f := range files {
		if look.enough(f.changed) {
			look.more = true
			break
		}
		if err := look.file(ctx, f); err != nil {
			return ops.Logs{}, err
		}
	}
	host, _ := os.Hostname() // a name that is not known is left out
	lines := look.newest()
	return ops.Logs{Host: host, Processes: processes(files), Lines: lines, More: look.more}, nil
}

func levelOf(name string) (slog.Level, error) {
	if name == "" {
		return slog.LevelDebug, nil
	}
	var l slog.Level
	if err := l.UnmarshalText([]byte(name)); err != nil {
		return 0, fault.Errorf(fault.Invalid, "the level %q is not known; there are debug, info, warn and error", name)
	}
	return l, nil
}

// file is one file of a process.
type file struct {
	process string
	path    string
	changed time.Time
}

// files returns the files that may hold matching lines, the newest first.
func (r Reader) files(q Query) ([]file, error) {
	entries, err := os.ReadDir(Folder(r.Home))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "the logs cannot be read: %w", err)
	}
	var out []file
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), extension)
		info, err := e.Info()
		if !ok || err != nil || !info.Mode().IsRegular() {
			continue
		}
		f := file{process: processOf(name), path: filepath.Join(Folder(r.Home), e.Name()), changed: info.ModTime()}
		if q.Process != "" && f.process != q.Process || f.changed.Add(clockSlack).Before(q.Since) {
			continue
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b file) int { return b.changed.Compare(a.changed) })
	return out, nil
}

// rotatedForm is the format of the time in the name of an old file.
const rotatedForm = "2006-01-02T15-04-05.000"

// processOf takes the time, and why it was ended, off the name of an old file.
func processOf(name string) string {
	ended := name
	if reason := strings.LastIndexByte(name, '-'); reason >= 0 {
		ended = name[:reason]
	}
	for _, old := range []string{ended, name} { // an earlier version wrote no reason
		if cut := len(old) - len(rotatedForm) - 1; cut > 0 {
			if _, err := time.Parse("-"+rotatedForm, old[cut:]); err == nil {
				return old[:cut]
			}
		}
	}
	return name
}

func processes(files []file) []string {
	seen := map[string]bool{}
	for _, f := range files {
		seen[f.process] = true
	}
	return append([]string{}, slices.Sorted(maps.Keys(seen))...)
}

// look collects lines.
type look struct {
	Query

	least slog.Level
	words []string
	room  int64 // bytes that may still be read
	lines []ops.LogLine
	more  bool
}

// enough reports whether a file that was written last at a time holds nothing that is newer than what was found.
func (l *look) enough(changed time.Time) bool {
	return len(l.lines) >= l.Limit && l.newest()[0].At.After(changed)
}

func (l *look) file(ctx context.Context, f file) error {
	in, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was rotated in the meantime
	}
	if err != nil {
		return fault.Errorf(fault.Unavailable, "the logs cannot be read: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("look at %s: %w", f.path, err)
	}
	size := min(info.Size(), l.room)
	l.room -= size
	if size < info.Size() {
		l.more = true
	}
	lines := bufio.NewReaderSize(io.NewSectionReader(in, info.Size()-size, size), maxRead)
	for ctx.Err() == nil {
		text, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull): // what is left of so long a line is not written by xbot
			continue
		case err != nil:
			return nil //nolint:nilerr // the end; a line without an end is being written
		}
		l.line(f.process, text)
	}
	return ctx.Err()
}

func (l *look) line(process string, text []byte) {
	if len(l.words) > 0 {
		low := bytes.ToLower(text)
		for _, w := range l.words {
			if !bytes.Contains(low, []byte(w)) {
				return
			}
		}
	}
	line, ok := parse(process, text)
	var level slog.Level
	if !ok || level.UnmarshalText([]byte(line.Level)) != nil || level < l.least {
		return
	}
	if !line.At.After(l.Since) || !l.Until.IsZero() && line.At.After(l.Until) {
		return
	}
	l.lines = append(l.lines, line)
	if len(l.lines) >= 4*MaxLines {
		l.lines = l.newest()
	}
}

// newest returns the newest lines, the oldest first.
func (l *look) newest() []ops.LogLine {
	slices.SortStableFunc(l.lines, func(a, b ops.LogLine) int { return a.At.Compare(b.At) })
	if cut := len(l.lines) - l.Limit; cut > 0 {
		l.more = true
		return slices.Clone(l.lines[cut:])
	}
	return append([]ops.LogLine{}, l.lines...)
}

// parse reads a line. Its fields other than time, level and message become name=value, by name.
func parse(process string, text []byte) (ops.LogLine, bool) {
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&all) != nil {
		return ops.LogLine{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, textOf(all[slog.TimeKey]))
	if err != nil {
		return ops.LogLine{}, false
	}
	line := ops.LogLine{At: at, Level: strings.ToLower(textOf(all[slog.LevelKey])), Process: process}
	rest := []string{textOf(all[slog.MessageKey])}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != slog.TimeKey && name != slog.LevelKey && name != slog.MessageKey {
			rest = append(rest, name+"="+quoted(textOf(all[name])))
		}
	}
	line.Text = cut(strings.Join(rest, " "))
	return line, true
}

func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, _ := json.Marshal(v) //nolint:errchkjson // it was decoded from JSON
	return string(text)
}

// quoted puts a value with spaces in it between quotes.
func quoted(s string) string {
	if strings.ContainsAny(s, " \t\n\"=") {
		return fmt.Sprintf("%q", s)
	}
	return s
}

func cut(s string) string {
	if len(s) <= maxLine {
		return s
	}
	return strings.ToValidUTF8(s[:maxLine], "") + "…"
}
