// Package cli is the terminal client: it asks one thing and prints the answer, or holds a conversation. Everything it
// knows it has from the HTTP API; it keeps no state but the text that is being typed.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"xbot/internal/client/cli/graphics"
	"xbot/internal/client/cli/tui"
	"xbot/internal/fault"
)

// The exit codes.
const (
	exitAnswered    = 0
	exitFailed      = 1 // no answer: failed, stopped, lost, or the server cannot be used
	exitUsage       = 2
	exitWaiting     = 3   // with -p: a call waits for a user's permission; the turn continues waiting
	exitInterrupted = 130 // Ctrl-C stopped the answer, or ended the program
)

// maxPrompt is the size of a message that the API accepts, in bytes.
const maxPrompt = 200_000

// Program is one run of xbot-cli.
type Program struct {
	Args    []string
	Getenv  func(string) string
	Environ []string
	In      *os.File
	Out     *os.File
	Err     *os.File
	Version string
}

// Run runs the program and returns its exit code.
func (p Program) Run(ctx context.Context) int {
	done, err := p.completes(ctx)
	if !done {
		done, err = p.shares(ctx)
	}
	if !done {
		var opts options
		if opts, done, err = parse(p.Args, p.Out, p.Version); done {
			return exitAnswered
		}
		if err == nil {
			err = p.run(ctx, opts)
		}
	}
	switch {
	case err == nil:
		return exitAnswered
	case errors.Is(err, errInterrupted), errors.Is(err, tui.ErrInterrupted):
		return exitInterrupted
	case errors.Is(err, errWaiting): // for what has been printed
		return exitWaiting
	case errors.Is(err, errNoAnswer): // why has been printed
		return exitFailed
	}
	fmt.Fprintf(p.Err, "xbot-cli: %s\n", strings.TrimPrefix(err.Error(), errUsage.Error()+": "))
	if errors.Is(err, errUsage) {
		return exitUsage
	}
	return exitFailed
}

func (p Program) run(ctx context.Context, opts options) error {
	prompt, oneShot, err := p.prompt(opts)
	if err != nil {
		return err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fault.Errorf(fault.NotFound, "the current folder is not known: %w", err)
	}
	notes := newNotes(p.Err, p.dumb())
	conn, err := connect(ctx, opts, p.Getenv, cwd, notes.progress)
	notes.clear()
	if err != nil {
		return err
	}
	defer conn.client.Close()
	session, err := conn.open(ctx, opts)
	if fault.Is(err, fault.NotFound) {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if err != nil {
		return err
	}
	switch {
	case oneShot:
		return p.once(ctx, conn, session, prompt, opts)
	case p.dumb() || !term.IsTerminal(p.Out.Fd()):
		return p.plain(ctx, conn, session)
	default:
		return tui.Run(ctx, tui.Options{
			Client: conn.client, Me: conn.me, Session: session, Server: conn.own, Place: conn.place, History: conn.history, Wide: conn.wide,
			Pictures: graphics.Of(conn.pictures, p.Getenv),
			In:       p.In, Out: p.Out, Environ: p.Environ, Version: p.Version,
		})
	}
}

// prompt returns what to ask, and whether this run is to ask one thing only: with -p, or when the input is no
// terminal to type at.
func (p Program) prompt(opts options) (q ask, oneShot bool, err error) {
	piped := !term.IsTerminal(p.In.Fd())
	if opts.Print == nil && !piped {
		return ask{}, false, nil
	}
	if opts.Print != nil {
		q.typed = *opts.Print
	}
	if piped {
		input, err := io.ReadAll(io.LimitReader(p.In, maxPrompt+1))
		if err != nil {
			return ask{}, false, fault.Errorf(fault.Unavailable, "read the input: %w", err)
		}
		q.piped = strings.TrimRight(strings.ToValidUTF8(string(input), "\uFFFD"), "\n")
	}
	switch {
	case strings.TrimSpace(q.typed+q.piped) == "":
		return ask{}, false, fmt.Errorf("%w: there is nothing to ask; give -p \"…\", or pipe it in", errUsage)
	case len(q.typed)+len(q.piped)+2 > maxPrompt:
		return ask{}, false, fmt.Errorf("%w: the message is longer than %d bytes; name a file instead of piping it", errUsage, maxPrompt)
	}
	return q, true, nil
}

// dumb reports whether the terminal can only print lines.
func (p Program) dumb() bool {
	name := p.Getenv("TERM")
	return name == "dumb" || name == ""
}
