package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"

	"xbot/internal/chat"
	"xbot/internal/client/cli/graphics"
	"xbot/internal/fault"
)

// options are the flags of xbot-cli. A flag wins over its variable, the variable over cli.json.
type options struct {
	Print   *string         `short:"p" placeholder:"TEXT" help:"Send one message, print the answer and exit. Piped input is appended to the message."`
	JSON    bool            `name:"json" help:"With -p: print the events of the session as JSON lines; the last line is the result."`
	Approve bool            `help:"With -p: allow every tool call that needs your permission." xor:"answer"`
	Deny    bool            `help:"With -p: deny every tool call that needs your permission." xor:"answer"`
	Session chat.SessionKey `placeholder:"KEY" complete:"session" help:"Continue this session." xor:"session"`
	Resume  bool            `short:"r" help:"Continue the newest session. With -p also one that -p began." xor:"session"`

	target

	Pictures graphics.Protocol `env:"XBOT_PICTURES" enum:",auto,off,kitty,iterm2,sixel" default:"" placeholder:"HOW" help:"How the terminal draws pictures: auto (the default: what it can, by its environment and its answers), off, kitty, iterm2 or sixel."`
	Version  kong.VersionFlag  `help:"Print the version."`
}

// target is the server to use.
type target struct {
	Server string `env:"XBOT_SERVER" placeholder:"URL" help:"Server to use, such as https://xbot.example.org; default: the server of this user on this machine, started when needed."`
	Token  string `env:"XBOT_TOKEN" placeholder:"TOKEN" help:"Token for that server (xbot token create). The variable keeps it out of the process list."`
}

const description = `Chat with xbot in the terminal.

Without --server it uses the server of this user on this machine, starts it in the background when needed, and runs commands in the current folder.

@FILE in a message names a file; one that the agent cannot see is uploaded. xbot-cli completion bash, zsh or fish prints the script that completes command lines. xbot-cli share prints a link by which anybody reads a session; xbot-cli share --help says more.`

// errUsage marks errors of the command line, which end the program with exit code 2.
var errUsage = errors.New("usage")

// parse reads the command line. done is true when nothing is left to do (help, version).
func parse(args []string, out io.Writer, version string) (opts options, done bool, err error) {
	parser, err := kong.New(&opts,
		kong.Name("xbot-cli"),
		kong.Description(description),
		kong.Writers(out, out),
		kong.Vars{"version": version},
		kong.Exit(func(int) { done = true }),
		kong.UsageOnError(),
	)
	if err != nil {
		return opts, false, fault.Errorf(fault.Internal, "describe the command line: %w", err)
	}
	if slices.Equal(args, []string{"version"}) { // a word, as for xbot
		args = []string{"--version"}
	}
	if _, err = parser.Parse(args); done {
		return opts, true, nil
	}
	if err == nil && opts.JSON && opts.Print == nil {
		err = errors.New("--json works with -p only")
	}
	if err == nil && (opts.Approve || opts.Deny) && opts.Print == nil {
		err = errors.New("--approve and --deny work with -p only")
	}
	if err != nil {
		return opts, false, fmt.Errorf("%w: %w (xbot-cli --help lists what can be given)", errUsage, err)
	}
	return opts, false, nil
}

// file is cli.json in the data folder.
type file struct {
	Server string `json:"server"`
	Token  string `json:"token"`
	Wide   bool   `json:"wide"` // texts use the whole width of the terminal

	Pictures graphics.Protocol `json:"pictures"` // how the terminal draws them; empty: auto
}

// readFile reads cli.json. Others on the machine must not be able to read a token in it.
func readFile(home string) (file, error) {
	name := filepath.Join(home, "cli.json")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return file{}, nil
	}
	if err != nil {
		return file{}, fault.Errorf(fault.Denied, "read the configuration: %w", err)
	}
	var f file
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return file{}, fault.Errorf(fault.Invalid, `%s cannot be used (%w); it looks like {"server": "https://…", "token": "…"}`, name, err)
	}
	if f.Pictures != "" && !f.Pictures.Known() {
		return file{}, fault.Errorf(fault.Invalid, "%s: pictures is auto, off, kitty, iterm2 or sixel, not %.20q", name, f.Pictures)
	}
	info, err := os.Stat(name)
	if err == nil && f.Token != "" && info.Mode().Perm()&0o077 != 0 {
		err = fault.Errorf(fault.Denied, "%s holds a token and others can read it; run: chmod 600 %s", name, name)
	}
	return f, err
}
