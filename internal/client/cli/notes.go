package cli

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/charmbracelet/x/term"
)

// notes are the messages of a run other than its answer, on standard error. A note of progress is one line that the next one writes over, where the
// terminal can do that. Safe for concurrent use.
type notes struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool // a user looks at it
	dumb     bool // a line cannot be written over
	open     bool // the last line is one of progress
	last     string
}

func newNotes(out *os.File, dumb bool) *notes {
	return &notes{out: out, terminal: term.IsTerminal(out.Fd()), dumb: dumb}
}

// progress prints why there is a wait.
func (n *notes) progress(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if text == n.last {
		return
	}
	n.last = text
	if n.terminal && !n.dumb {
		n.print("\r\x1b[K" + text + " …")
		n.open = true
		return
	}
	n.print("xbot-cli: " + text + "\n")
}

// clear takes the line of progress away.
func (n *notes) clear() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = ""
	n.wipe()
}

func (n *notes) wipe() {
	if n.open {
		n.print("\r\x1b[K")
		n.open = false
	}
}

// detail prints a line of interest to a user at a terminal only.
func (n *notes) detail(format string, args ...any) {
	if n.terminal {
		n.say(format, args...)
	}
}

// say prints a line.
func (n *notes) say(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wipe()
	n.print(fmt.Sprintf(format, args...) + "\n")
}

func (n *notes) print(text string) {
	// There is no other place to report that standard error is closed.
	_, _ = io.WriteString(n.out, text)
}
