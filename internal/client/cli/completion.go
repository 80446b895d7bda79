package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/local"
	"xbot/internal/client/cli/servernames"
	"xbot/internal/client/completion"
)

// completes does what the shells' completion asks for; done is false for an ordinary command line.
func (p Program) completes(ctx context.Context) (done bool, err error) {
	switch {
	case len(p.Args) > 0 && p.Args[0] == completion.Asked:
		return true, p.complete(ctx, p.Args[1:])
	case len(p.Args) > 0 && p.Args[0] == "completion":
		if len(p.Args) != 2 {
			return true, fmt.Errorf("%w: say for which shell: xbot-cli completion bash, zsh or fish", errUsage)
		}
		script, err := completion.Script(p.Args[1], "xbot-cli")
		if err != nil {
			return true, fmt.Errorf("%w: %w", errUsage, err)
		}
		if _, err := io.WriteString(p.Out, script); err != nil {
			return true, fmt.Errorf("print the script: %w", err)
		}
		return true, nil
	}
	return false, nil
}

// grammar describes the words that are no flags, too, for the completion alone.
type grammar struct {
	options

	Completion struct {
		Shell string `arg:"" enum:"bash,zsh,fish"`
	} `cmd:"" help:"Print the script that completes command lines in a shell."`
	Share share `cmd:"" help:"Print a link by which anybody reads a session."`
}

// complete writes the completions of a command line. What goes wrong leaves the line as it is.
func (p Program) complete(ctx context.Context, asked []string) error {
	parser, err := kong.New(&grammar{}, kong.Name("xbot-cli"), kong.Vars{"version": p.Version}, shareVars())
	if err != nil {
		return fmt.Errorf("describe the command line: %w", err)
	}
	home, err := local.Home(p.Getenv)
	if err != nil {
		return err
	}
	own := &local.Server{Home: home}
	configured, err := readFile(home)
	var source apiclient.Source
	if err == nil {
		source, err = choose(ctx, options{target: target{Server: p.Getenv("XBOT_SERVER"), Token: p.Getenv("XBOT_TOKEN")}}, configured, own)
	}
	if err != nil {
		return completion.Answer(p.Out, parser.Model, asked, nil)
	}
	if source == nil {
		source = own
	}
	return completion.Answer(p.Out, parser.Model, asked, servernames.Words(ctx, source))
}
