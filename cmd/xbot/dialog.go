package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"xbot/internal/fault"
)

// dialog asks a user at a terminal. Where the input is none, each line of it is an answer.
type dialog struct {
	in     *bufio.Reader
	out    io.Writer
	hidden hiddenLines // nil: the input is no terminal
}

// hiddenLines are read without being shown.
type hiddenLines interface{ readHidden() (string, error) }

// terminal is the terminal of the user.
type terminal struct{ file *os.File }

func (t terminal) readHidden() (string, error) {
	text, err := term.ReadPassword(t.file.Fd())
	return string(text), err
}

func newDialog(in *os.File, out io.Writer) *dialog {
	d := &dialog{in: bufio.NewReader(in), out: out}
	if term.IsTerminal(in.Fd()) {
		d.hidden = terminal{in}
	}
	return d
}

// errInputEnded ends a dialog whose user is gone.
var errInputEnded error = fault.Errorf(fault.Invalid, "the input ended before all questions were answered; what was confirmed until then is stored")

func (d *dialog) say(format string, args ...any) { say(d.out, format, args...) }

// line reads an answer; empty is one, too.
func (d *dialog) line(question string) (string, error) {
	_, _ = fmt.Fprintf(d.out, "%s: ", question)
	text, err := d.in.ReadString('\n')
	if err != nil && text == "" {
		return "", ended(err)
	}
	return strings.TrimSpace(text), nil
}

// need reads an answer that is not empty.
func (d *dialog) need(question string) (string, error) {
	for {
		if text, err := d.line(question); err != nil || text != "" {
			return text, err
		}
	}
}

// secret reads an answer that is not shown; empty is one, too.
func (d *dialog) secret(question string) (string, error) {
	if d.hidden == nil {
		return d.line(question)
	}
	_, _ = fmt.Fprintf(d.out, "%s (it is not shown): ", question)
	text, err := d.hidden.readHidden()
	d.say("")
	if err != nil {
		return "", ended(err)
	}
	return strings.TrimSpace(text), nil
}

// needSecret reads an answer that is not shown and not empty.
func (d *dialog) needSecret(question string) (string, error) {
	for {
		if text, err := d.secret(question); err != nil || text != "" {
			return text, err
		}
	}
}

// choose lists options and returns the index of the one that was named by its number. Enter alone is the usual one.
func (d *dialog) choose(options []string, usual int) (int, error) {
	for n, option := range options {
		d.say("  %2d  %s", n+1, option)
	}
	for {
		text, err := d.line(fmt.Sprintf("Number [%d]", usual+1))
		if err != nil || text == "" {
			return usual, err
		}
		if n, ok := numberOf(text, len(options)); ok {
			return n, nil
		}
		d.say("Write a number from 1 to %d.", len(options))
	}
}

func (d *dialog) agrees(question string) (bool, error) {
	text, err := d.line(question + " [Y/n]")
	return err == nil && (text == "" || strings.HasPrefix(strings.ToLower(text), "y")), err
}

// insists asks before something that cannot be taken back: an empty answer means no.
func (d *dialog) insists(question string) (bool, error) {
	text, err := d.line(question + " [y/N]")
	return err == nil && strings.HasPrefix(strings.ToLower(text), "y"), err
}

// numberOf reads a number from 1 to most as an index.
func numberOf(text string, most int) (index int, ok bool) {
	n, err := strconv.Atoi(text)
	return n - 1, err == nil && n >= 1 && n <= most
}

func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return errInputEnded
	}
	return err
}
