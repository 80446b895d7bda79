package shim

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"xbot/runner/job"
	"xbot/runner/mask"
)

// Bounds of the output on disk. What does not fit is dropped from the middle: the end is what readers want most.
const (
	keepHead = 64 << 20 // bytes
	keepTail = 64 << 10 // bytes, in memory until the command ends
)

// output takes what a command prints into its file.
type output struct {
	file *os.File
	read *os.File // the shim's end of the pipe
	end  *os.File // the command's end, for stdout and stderr alike, so that their order is kept
	done chan struct{}
	eof  atomic.Bool
	hide *mask.Stream
	most int64     // bytes that are kept of the beginning
	full *overflow // ends the command when there are more; nil: the end is kept, too

	// Owned by pump until done is closed.
	total   int64
	kept    int64
	tail    []byte // the last keepTail bytes of what was dropped
	dropped int64
	failure error // why the file stopped growing
}

func openOutput(dir string, masker *mask.Masker) (*output, error) {
	file, err := os.OpenFile(filepath.Join(dir, job.OutputFile), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	read, end, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &output{file: file, read: read, end: end, done: make(chan struct{}), hide: masker.Stream(), most: keepHead}, nil
}

// limit keeps more of the output and none of its end: with more than that it is of no use. It must be called before pump.
func (o *output) limit(most int64, s *shim) { o.most, o.full = most, &overflow{s} }

// overflow ends a command whose output exceeds the limit.
type overflow struct{ shim *shim }

func (f *overflow) killCommand() { f.shim.requestKill("It wrote more than is kept.") }

// closeEnd closes the command's end once the command has it, so that its end shows.
func (o *output) closeEnd() {
	_ = o.end.Close() // never written to by the shim
}

// pump runs until the command and all its descendants closed their output, or drain's grace is over.
func (o *output) pump() {
	defer close(o.done)
	defer func() { o.take(o.hide.End()) }()
	buf := make([]byte, 64<<10)
	for {
		n, err := o.read.Read(buf)
		if n > 0 {
			o.take(o.hide.Write(buf[:n]))
			notify()
		}
		if err != nil {
			o.eof.Store(errors.Is(err, io.EOF))
			return
		}
	}
}

func (o *output) take(p []byte) {
	o.total += int64(len(p))
	if room := o.most - o.kept; o.failure == nil && room > 0 {
		n, err := o.file.Write(p[:min(int64(len(p)), room)])
		o.kept += int64(n)
		o.failure = err
		p = p[n:]
	}
	if o.full != nil {
		if len(p) > 0 {
			o.full.killCommand()
		}
		return
	}
	o.dropped += int64(len(p))
	o.tail = append(o.tail, p...)
	if len(o.tail) > 2*keepTail {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-keepTail:]...)
	}
}

// say adds a line of the shim's own, before pump or after it.
func (o *output) say(text string) {
	n, err := o.file.WriteString(text)
	o.kept += int64(n)
	o.total += int64(n)
	if o.failure == nil {
		o.failure = err
	}
}

// drain waits for the rest of the output, at most for the grace if background processes hold it open.
func (o *output) drain(grace time.Duration) {
	_ = o.read.SetReadDeadline(time.Now().Add(grace)) // pipes have deadlines
	<-o.done
}

// ended reports whether no process holds the output any more.
func (o *output) ended() bool { return o.eof.Load() }

// discard reads on until no process holds the output any more.
func (o *output) discard() {
	_ = o.read.SetReadDeadline(time.Time{}) // pipes have deadlines
	_, _ = io.Copy(io.Discard, o.read)      // waits for its end, of any kind
}

// finish puts the tail after a mark that names the missing part, and the figures into the status.
func (o *output) finish(status *job.Status) {
	status.Total = o.total
	if o.dropped > 0 {
		tail := o.tail[max(0, len(o.tail)-keepTail):]
		mark := fmt.Sprintf("\n[%d bytes of output were not kept]\n", o.dropped-int64(len(tail)))
		if o.dropped > int64(len(tail)) {
			tail = append([]byte(mark), tail...)
		}
		n, err := o.file.Write(tail)
		o.kept += int64(n)
		if o.failure == nil {
			o.failure = err
		}
	}
	if o.failure != nil {
		status.Note = strings.TrimSpace(status.Note + fmt.Sprintf(" Output is missing: it could not be written to disk (%v).", reason(o.failure)))
	}
	status.Kept = o.kept
}

// freeSpace frees space for the status on a full disk by cutting the output; false when there is nothing to cut.
func (o *output) freeSpace(status *job.Status) bool {
	if o.kept == 0 {
		return false
	}
	o.kept = max(0, o.kept-keepTail)
	if err := o.file.Truncate(o.kept); err != nil {
		return false
	}
	status.Kept = o.kept
	status.Note = "Output is missing: the disk is full."
	return true
}

// reason leaves out the path, which means nothing to a reader of the output.
func reason(err error) error {
	if errno, ok := errors.AsType[unix.Errno](err); ok {
		return errno
	}
	return err
}
