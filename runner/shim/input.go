package shim

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"xbot/runner/job"
	"xbot/runner/mask"
)

// input carries the journal of writes to the standard input of a command, each line of it once, in order.
type input struct {
	dir   string
	read  *os.File      // the command's end
	write *os.File      // the shim's end
	more  chan struct{} // receives when the journal may have grown; a full buffer is fine
}

func openInput(dir string) (*input, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &input{dir: dir, read: read, write: write, more: make(chan struct{}, 1)}, nil
}

// grown signals that the journal may have grown.
func (i *input) grown() {
	select {
	case i.more <- struct{}{}:
	default: // one look sees all
	}
}

// pump writes until the journal closes the input or the command reads no more.
func (i *input) pump() {
	defer i.write.Close() // the command sees its end
	var at int64
	for {
		next, open := i.copyFrom(at)
		if !open {
			return
		}
		at = next
		<-i.more
	}
}

// copyFrom writes the whole lines of the journal from an offset on, and returns where the next one begins.
func (i *input) copyFrom(at int64) (next int64, open bool) {
	f, err := os.Open(filepath.Join(i.dir, job.InputFile))
	if err != nil {
		return at, true // nothing was written yet
	}
	defer f.Close()
	lines := bufio.NewReader(io.NewSectionReader(f, at, 1<<62))
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return at, true // the rest is not whole yet
		}
		at += int64(len(line))
		var in job.Input
		if json.Unmarshal(line, &in) != nil {
			continue // the daemon writes nothing else
		}
		if _, err := i.write.Write(in.Data); err != nil || in.Close {
			return at, false
		}
	}
}

// complaints keeps the end of what a command with input writes to stderr.
type complaints struct {
	read *os.File
	end  *os.File // the command's end
	done chan struct{}
	hide *mask.Stream
	tail []byte // owned by pump until done is closed
}

// keepErrors is how much of it, in bytes.
const keepErrors = 4 << 10

func openComplaints(masker *mask.Masker) (*complaints, error) {
	read, end, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &complaints{read: read, end: end, done: make(chan struct{}), hide: masker.Stream()}, nil
}

func (c *complaints) pump() {
	defer close(c.done)
	buf := make([]byte, keepErrors)
	for {
		n, err := c.read.Read(buf)
		c.keep(c.hide.Write(buf[:n]))
		if err != nil {
			c.keep(c.hide.End())
			return
		}
	}
}

func (c *complaints) keep(said []byte) {
	c.tail = append(c.tail, said...)
	c.tail = append(c.tail[:0], c.tail[max(0, len(c.tail)-keepErrors):]...)
}

// drain returns what was kept, after the grace if something holds the stream open.
func (c *complaints) drain(grace time.Duration) []byte {
	_ = c.read.SetReadDeadline(time.Now().Add(grace)) // pipes have deadlines
	<-c.done
	return c.tail
}
