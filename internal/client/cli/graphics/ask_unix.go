//go:build unix

package graphics

import (
	"image"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

const (
	// answerTime is how long a terminal may take to answer; over a slow line it takes some of it.
	answerTime = 500 * time.Millisecond
	// maxAnswer bounds the bytes read in the meantime: typed text comes the same way.
	maxAnswer = 1024
)

// attributes is a terminal's answer to the question what it is.
var attributes = regexp.MustCompile(`\x1b\[\?([0-9;]*)c`)

// AsksSixel asks a terminal whether it draws sixels: attribute 4 of its primary device attributes. One that does not answer in half a second does
// not. Text typed within that time is lost.
func AsksSixel(in, out *os.File) bool {
	fd := in.Fd()
	before, err := term.MakeRaw(fd)
	if err != nil {
		return false
	}
	defer func() { _ = term.Restore(fd, before) }() // an error could not be reported
	if _, err := out.WriteString(ansi.RequestPrimaryDeviceAttributes); err != nil {
		return false
	}
	var answer []byte
	for end := time.Now().Add(answerTime); len(answer) < maxAnswer && readable(int(fd), time.Until(end)); {
		piece := make([]byte, 128)
		n, err := unix.Read(int(fd), piece)
		if n <= 0 || err != nil {
			return false
		}
		answer = append(answer, piece[:n]...)
		if found := attributes.FindSubmatch(answer); found != nil {
			return strings.Contains(";"+string(found[1])+";", ";4;")
		}
	}
	return false
}

// readable waits until there is something to read.
func readable(fd int, within time.Duration) bool {
	if within <= 0 || fd >= unix.FD_SETSIZE {
		return false
	}
	var set unix.FdSet
	set.Set(fd)
	limit := unix.NsecToTimeval(within.Nanoseconds())
	n, err := unix.Select(fd+1, &set, nil, nil, &limit)
	return n > 0 && err == nil
}

// CellOf returns the size of a cell of a terminal, in pixels. Where it does not say, it is a usual one.
func CellOf(out *os.File) image.Point {
	size, err := unix.IoctlGetWinsize(int(out.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return usualCell
	}
	return sensible(image.Pt(int(size.Xpixel)/int(size.Col), int(size.Ypixel)/int(size.Row)))
}
