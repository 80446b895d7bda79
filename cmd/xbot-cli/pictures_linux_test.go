package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"xbot/internal/client/apiclient/apitest"
)

// pty is a terminal of which every byte is seen: tmux would keep the pictures to itself.
type pty struct {
	t      *testing.T
	master *os.File
	read   chan struct{} // closed when the program has ended
	mu     sync.Mutex
	seen   bytes.Buffer
}

// inPty runs xbot-cli in a terminal of 80 columns and 24 lines, which answers the question what it is with some attributes; empty: not at all.
func inPty(t *testing.T, b *bench, attributes string, env []string, args ...string) *pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	require.NoError(t, unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80, Xpixel: 800, Ypixel: 480}))
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	command := b.without("TERM").command(args...)
	command.Env = append(command.Env, env...)
	command.Stdin, command.Stdout, command.Stderr = slave, slave, slave
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, command.Start())
	require.NoError(t, slave.Close())
	p := &pty{t: t, master: master, read: make(chan struct{})}
	go func() {
		defer close(p.read)
		p.follow(attributes)
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()
		_ = master.Close()
		<-p.read
	})
	return p
}

// follow keeps what is printed, and answers the question what the terminal is.
func (p *pty) follow(attributes string) {
	piece := make([]byte, 4096)
	for {
		n, err := p.master.Read(piece)
		if err != nil {
			return // the program has ended
		}
		p.mu.Lock()
		before := strings.Count(p.seen.String(), "\x1b[c")
		p.seen.Write(piece[:n])
		asked := strings.Count(p.seen.String(), "\x1b[c") > before
		p.mu.Unlock()
		if asked && attributes != "" {
			_, _ = p.master.WriteString("\x1b[?" + attributes + "c") // a program that has ended needs no answer
		}
	}
}

func (p *pty) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

// shows waits until something was printed.
func (p *pty) shows(wanted ...string) {
	p.t.Helper()
	for _, want := range wanted {
		require.Eventually(p.t, func() bool { return strings.Contains(p.text(), want) }, 20*time.Second, 10*time.Millisecond, "%q", want)
	}
}

// pictured is a server whose answers have a picture, and words behind it.
func pictured(t *testing.T) *bench {
	t.Helper()
	b := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Say("See ![the figure](figure.png) and no more.")
		turn.Answer()
	})
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, image.NewRGBA(image.Rect(0, 0, 100, 40))))
	b.server.Put("figure.png", file.String())
	return b
}

// pictures are the beginnings of what draws one: kitty's, iTerm2's and sixel.
var pictures = []string{"\x1b_G", "\x1b]1337;", "\x1bP0;1q"}

func TestPictures_AreDrawnBelowAPrintedAnswerAsTheTerminalCan(t *testing.T) {
	t.Parallel()
	b := pictured(t)
	for name, c := range map[string]struct {
		attributes string
		env, args  []string
		draws      string // empty: nothing
	}{
		"kitty":                  {"", []string{"TERM=xterm-kitty"}, nil, "\x1b_Gf=100,q=2,c=10,r=2,a=T;"},
		"iTerm2":                 {"", []string{"TERM=xterm-256color", "TERM_PROGRAM=iTerm.app"}, nil, "\x1b]1337;File="},
		"one that says sixel":    {"62;4;22", []string{"TERM=xterm-256color"}, nil, "\x1bP0;1q"},
		"one that says no sixel": {"62;22;44", []string{"TERM=xterm-256color"}, nil, ""},
		"one that says nothing":  {"", []string{"TERM=xterm-256color"}, nil, ""},
		"tmux in kitty":          {"62;4", []string{"TERM=tmux-256color", "TMUX=/tmp/x,1,0", "KITTY_WINDOW_ID=1"}, nil, ""},
		"off by a flag":          {"", []string{"TERM=xterm-kitty"}, []string{"--pictures", "off"}, ""},
		"sixel by a variable":    {"", []string{"TERM=xterm-kitty", "XBOT_PICTURES=sixel"}, nil, "\x1bP0;1q"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := inPty(t, b, c.attributes, c.env, append(c.args, "-p", "draw")...)
			p.shows("and no more.")
			if c.draws != "" {
				p.shows(c.draws)
				return
			}
			select {
			case <-p.read:
			case <-time.After(20 * time.Second):
				require.Fail(t, "it did not end")
			}
			for _, begin := range pictures {
				require.NotContains(t, p.text(), begin)
			}
		})
	}
}

func TestPictures_StandOnTheWholeScreenInKittyAndNowhereElse(t *testing.T) {
	t.Parallel()
	b := pictured(t)
	p := inPty(t, b, "62;4", []string{"TERM=xterm-kitty", "COLORTERM=truecolor", "LANG=C.UTF-8"})
	p.shows("Ask anything")
	_, err := p.master.WriteString("draw\r")
	require.NoError(t, err)
	p.shows("and no more.", "U=1", "c=10,r=2", "\U0010eeee\u0305\u0305")

	other := inPty(t, b, "62;4", []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"})
	other.shows("Ask anything")
	_, err = other.master.WriteString("draw\r")
	require.NoError(t, err)
	other.shows("and no more.", "1.2k in")
	for _, begin := range append(pictures, "\U0010eeee") {
		require.NotContains(t, other.text(), begin)
	}
}

func TestPictures_OfAPipeAreWords(t *testing.T) {
	t.Parallel()
	b := pictured(t)
	b.env = append(b.env, "TERM=xterm-kitty", "XBOT_PICTURES=kitty")
	require.Equal(t, "See ![the figure](figure.png) and no more.\n", b.run("", "-p", "draw").out)
	require.Equal(t, 2, b.run("", "--pictures", "braille", "-p", "draw").code)
}
