package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"

	"xbot/internal/chat"
	"xbot/internal/client/cli/sharing"
	"xbot/internal/fault"
)

// share is what may follow the word share.
type share struct {
	Session chat.SessionKey `arg:"" optional:"" complete:"session" help:"Session to share; default: the newest one."`
	Days    int             `default:"${days}" placeholder:"N" help:"How long the link is good: 1 to 90 days; default: ${days}."`
	List    bool            `help:"List the links of the session instead, without their addresses." xor:"what"`
	Revoke  int64           `placeholder:"N" help:"Make the link of this number useless instead." xor:"what"`
}

const shareHelp = "Print a link by which anybody reads a session as it is now, without signing in."

// shares carries out "xbot-cli share"; done is false for another command line.
func (p Program) shares(ctx context.Context) (done bool, err error) {
	if len(p.Args) == 0 || p.Args[0] != "share" {
		return false, nil
	}
	var opts struct {
		share
		target
	}
	done = false
	parser, err := kong.New(&opts, kong.Name("xbot-cli share"), kong.Description(shareHelp), kong.Writers(p.Out, p.Out),
		shareVars(), kong.Exit(func(int) { done = true }))
	if err != nil {
		return true, fault.Errorf(fault.Internal, "describe the command line: %w", err)
	}
	if _, err := parser.Parse(p.Args[1:]); done {
		return true, nil
	} else if err != nil {
		return true, fmt.Errorf("%w: %w (xbot-cli share --help lists what can be given)", errUsage, err)
	}
	return true, p.share(ctx, opts.share, options{target: opts.target, Session: opts.Session, Resume: opts.Session == ""})
}

func shareVars() kong.Vars { return kong.Vars{"days": fmt.Sprint(sharing.Days)} }

// share prints a link alone on the output, for scripts, and notes about it on standard error.
func (p Program) share(ctx context.Context, what share, opts options) error {
	notes := newNotes(p.Err, p.dumb())
	conn, err := connect(ctx, opts, p.Getenv, "", notes.progress)
	notes.clear()
	if err != nil {
		return err
	}
	defer conn.client.Close()
	session, err := conn.open(ctx, opts)
	if err != nil {
		return asUsage(err)
	}
	var said string
	switch {
	case what.List:
		said, err = sharing.List(ctx, conn.client, session.Key)
	case what.Revoke != 0:
		said, err = sharing.Revoke(ctx, conn.client, session.Key, what.Revoke)
	default:
		var told string
		if said, told, err = sharing.Make(ctx, conn.client, session.Key, what.Days); err == nil {
			fmt.Fprintln(p.Err, told)
		}
	}
	if err != nil {
		return asUsage(err)
	}
	if _, err := fmt.Fprintln(p.Out, said); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// asUsage marks an error of the command line.
func asUsage(err error) error {
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) && !errors.Is(err, errUsage) {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	return err
}
