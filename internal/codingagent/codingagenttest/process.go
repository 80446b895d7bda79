package codingagenttest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
)

const patience = 30 * time.Second

// Agent is the driver under test, and the location of its program.
type Agent struct {
	New      func(codingagent.Turn) codingagent.Driver
	Check    codingagent.Check
	Bin      string // folder of the fakes
	Runner   string // xbot-runner, for opencode
	Silent   bool   // its log-in shows only in a turn
	Makes    bool   // it begins a thread of any name that it is to continue
	Blinks   bool   // a message while it works reaches it without pictures
	Commands bool   // it takes a text that begins with a slash for one of its commands
	Sandbox  bool   // its own sandbox decides, so that only approvals are asked of the driver
}

// conversation is a process of the agent, its driver, and the events so far.
type conversation struct {
	t      *testing.T
	driver codingagent.Driver
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte // closed at the end of the process
	keys   map[string]bool
	log    [][]byte
	steps  []codingagent.Step
	events []codingagent.Event
}

func (a Agent) command(t *testing.T, dir string, words []string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(a.Bin, words[0])
	if words[0] == "xbot-runner" {
		program = a.Runner
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+a.Bin+":"+os.Getenv("PATH"))
	return cmd
}

// begin starts a turn.
func (a Agent) begin(t *testing.T, turn codingagent.Turn) *conversation {
	t.Helper()
	c := &conversation{t: t, driver: a.New(turn), lines: make(chan []byte, 1000), keys: map[string]bool{}}
	c.cmd = a.command(t, turn.Dir, c.driver.Command())
	in, err := c.cmd.StdinPipe()
	require.NoError(t, err)
	c.in = in
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.cmd.Start())
	go func() {
		defer close(c.lines)
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, codingagent.MaxLine)
		for scan.Scan() {
			c.lines <- bytes.Clone(scan.Bytes())
		}
	}()
	t.Cleanup(c.leave)
	c.write(c.driver.Start())
	return c
}

func (c *conversation) leave() {
	_ = c.in.Close() // it may be closed
	for range c.lines {
		continue // what it still writes
	}
	_ = c.cmd.Wait() // how it ended proves nothing
}

// write writes each key once, as a runner does.
func (c *conversation) write(writes []codingagent.Write) {
	for _, w := range writes {
		require.NotEmpty(c.t, w.Key)
		require.NotContains(c.t, string(w.Line), "\n")
		if !c.keys[w.Key] {
			c.keys[w.Key] = true
			_, _ = c.in.Write(append(bytes.Clone(w.Line), '\n')) // the process may be gone
		}
	}
}

// step takes one line. It returns false if the process ended.
func (c *conversation) step() bool {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		if !ok {
			return false
		}
		step := c.driver.Line(line)
		c.log, c.steps, c.events = append(c.log, line), append(c.steps, step), append(c.events, step.Events...)
		c.write(step.Writes)
		return true
	case <-time.After(patience):
		c.t.Fatalf("the agent is silent; it said %.300q", c.log) // 300 bytes a line: pictures are repeated
		return false
	}
}

// until takes lines until an event of the kind came, and returns it.
func until[E codingagent.Event](c *conversation, fits func(E) bool) E {
	c.t.Helper()
	for seen := 0; ; {
		for ; seen < len(c.events); seen++ {
			if e, ok := c.events[seen].(E); ok && (fits == nil || fits(e)) {
				return e
			}
		}
		require.True(c.t, c.step(), "the process ended; it said %.300q", c.log)
	}
}

func (c *conversation) end() codingagent.End { c.t.Helper(); return until[codingagent.End](c, nil) }

func all[E codingagent.Event](c *conversation) []E {
	var list []E
	for _, event := range c.events {
		if e, ok := event.(E); ok {
			list = append(list, e)
		}
	}
	return list
}
