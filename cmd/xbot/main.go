// Command xbot is the server: everything in one process (serve), or its parts as separate ones (ingress, worker), and
// the tools of the operator.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"xbot/internal/client/completion"
	_ "xbot/internal/document/pdf/engine" // decodes PDFs in a separate process
)

// version is set by the build.
var version = "dev"

type program struct {
	EnvFile envFileFlag `name:"env-file" env:"XBOT_ENV_FILE" placeholder:"FILE" complete:"file" help:"Read settings from this file instead of .env in XBOT_HOME."`

	Serve     serveCmd     `cmd:"" help:"Run everything in one process; start Postgres and Temporal unless others are configured."`
	Ingress   ingressCmd   `cmd:"" help:"Run the part that talks to people: page, API, bots, runner connections, relay."`
	Worker    workerCmd    `cmd:"" help:"Run the part that does the work: workflows and activities."`
	Setup     setupCmd     `cmd:"" help:"Connect a model and a first bot to a running server, by a few questions in the terminal."`
	Stop      stopCmd      `cmd:"" help:"End the server that serve started, in an orderly way, and wait for its end."`
	Config    configCmd    `cmd:"" help:"Print the settings in effect, with secrets masked."`
	Status    statusCmd    `cmd:"" help:"Show the state of the server."`
	Sessions  sessionsCmd  `cmd:"" help:"List the conversations of all users, or delete one."`
	Session   sessionCmd   `cmd:"" help:"Show, export and import a conversation."`
	Inbox     inboxCmd     `cmd:"" help:"List accepted messages without an answer, and answers that did not arrive."`
	Logs      logsCmd      `cmd:"" help:"Print the log of the server."`
	Doctor    doctorCmd    `cmd:"" help:"Check Postgres, Temporal, the schema, the server, the runners and the model, and report what is wrong."`
	LoginLink loginLinkCmd `cmd:"" help:"Print a one-time sign-in link."`
	User      userCmd      `cmd:"" help:"Add, invite, list and disable people, and change what they are."`
	Token     tokenCmd     `cmd:"" help:"Make, list and revoke API tokens."`
	Key       keyCmd       `cmd:"" help:"Change the key of the installation."`
	Runner    runnerCmd    `cmd:"" help:"Make, list and revoke runners."`
	Env       envCmd       `cmd:"" help:"Set, list and remove the secret variables of the commands of agents."`
	Policy    policyCmd    `cmd:"" help:"Show and change the policy: access, routing, queues, resets, limits."`
	Storage   storageCmd   `cmd:"" help:"Show and check the storage of consumer files, and move files between places."`
	Service   serviceCmd   `cmd:"" help:"Publish agents to programs and people outside: services, their keys and conversations."`
	Channels  channelsCmd  `cmd:"" help:"List, test and set up bots on Feishu, QQ and NapCat."`
	Hooks     hooksCmd     `cmd:"" help:"Check and test the hooks of the installation."`
	Plugin    pluginCmd    `cmd:"" help:"Install, list, switch and remove plugins."`
	Pairing   pairingCmd   `cmd:"" help:"Give access to people who wrote to a bot for the first time."`
	Temporal  temporalCmd  `cmd:"" help:"Use the local Temporal with the temporal CLI."`
	Versions  versionsCmd  `cmd:"" help:"List the versions of workers, and choose which one runs new workflows."`
	OpenAPI   openAPICmd   `cmd:"" name:"openapi" help:"Print the OpenAPI document of the API."`
	Version   versionCmd   `cmd:"" help:"Print the version."`

	Reference referenceCmd `cmd:"" hidden:"" help:"Write the pages of the reference that are made from the code."`
}

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == completion.Asked {
		if err := complete(ctx, os.Args[2:]); err != nil { // a shell has no place to show it
			stop()
			os.Exit(1)
		}
		return
	}
	parsed, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "xbot: "+err.Error())
		stop()
		os.Exit(exitUsage)
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err := parsed.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "xbot: "+err.Error())
		sayIgnored(os.Stderr)
		stop()
		os.Exit(1)
	}
}

// gcPercent is GOGC unless the environment has one. The live heap of a server is about 30 MB, so that collecting it
// twice as often costs little and keeps 15 MB free.
const gcPercent = 50

// exitUsage is the exit code of a command line that cannot be read.
const exitUsage = 2

func newParser() (*kong.Kong, error) {
	parser, err := kong.New(&program{}, kong.Name("xbot"), withCompletion(), kong.Description("A self-hosted LLM agent whose every turn is a Temporal workflow."))
	if err != nil {
		return nil, fmt.Errorf("describe the command line: %w", err)
	}
	return parser, nil
}

// parse reads the command line; --help and a command line without a word print what there is. An error is one sentence,
// with the nearest name where one is near.
func parse(args []string) (*kong.Context, error) {
	parser, err := newParser()
	if err != nil {
		return nil, err
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case slices.Equal(args, []string{"--version"}): // a flag, as for the other programs
		args = []string{"version"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return nil, fmt.Errorf("%w (xbot --help lists what there is)", err)
	}
	return parsed, nil
}

type versionCmd struct{}

func (versionCmd) Run() error {
	fmt.Println("xbot " + version)
	return nil
}
