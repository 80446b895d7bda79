package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"xbot/internal/client/cli/local"
	"xbot/internal/client/cli/servernames"
	"xbot/internal/client/completion"
)

// completionCmd prints the script for a shell.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: ${enum}."`
}

// withCompletion adds the command, which is about the command line itself.
func withCompletion() kong.Option {
	return kong.DynamicCommand("completion", "Print the script that completes command lines in a shell.", "", &completionCmd{})
}

// Run prints the script.
func (c completionCmd) Run() error {
	script, err := completion.Script(c.Shell, "xbot")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(os.Stdout, script); err != nil {
		return fmt.Errorf("print the script: %w", err)
	}
	return nil
}

// complete answers the requests of the script. Sessions and runners are those of the server of this user, if it runs.
func complete(ctx context.Context, asked []string) error {
	parser, err := newParser()
	if err != nil {
		return err
	}
	home, err := local.Home(os.Getenv)
	if err != nil {
		return err
	}
	return completion.Answer(os.Stdout, parser.Model, asked, servernames.Words(ctx, &local.Server{Home: home}))
}
