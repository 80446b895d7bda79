// Command xbot-temporal is a Temporal server and its web UI in one process, on Postgres, tuned for one machine.
//
// It creates its two databases, sets up and upgrades their schemas, registers one namespace with xbot's search
// attributes, and then serves gRPC and the UI. It is a separate module, so that none of the server's
// dependencies reach the product. A Temporal cluster or Temporal Cloud replaces it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// shutdownLimit bounds an orderly stop. Everything acknowledged is in Postgres, so leaving after it loses nothing.
const shutdownLimit = 4 * time.Second

// version is set by the build.
var version = "dev"

func main() {
	os.Exit(start(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// start runs the program with the given arguments and returns its exit code: 0 after an orderly stop, 1 after an
// error, which is one sentence on stderr.
func start(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, done, err := parse(args, stdout, stderr)
	if done {
		return 0
	}
	if err == nil {
		err = serve(opts, stdin, stdout, stderr)
	}
	if err != nil {
		// The exit code reports it, too, if stderr is not read any more.
		_, _ = fmt.Fprintf(stderr, "xbot-temporal: %v\n", err)
		return 1
	}
	return 0
}

// parse reads flags and environment. done reports that the requested help or version was printed.
func parse(args []string, stdout, stderr io.Writer) (opts *options, done bool, err error) {
	opts = &options{}
	parser, err := kong.New(opts,
		kong.Name("xbot-temporal"),
		kong.Description("Temporal server and UI in one process on Postgres, tuned for one machine."),
		kong.Vars{"version": version},
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { done = true }),
	)
	if err != nil {
		return nil, false, fmt.Errorf("describe the flags: %w", err)
	}
	if slices.Equal(args, []string{"version"}) { // a word, as for xbot
		args = []string{"--version"}
	}
	_, err = parser.Parse(args)
	if done {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("%w; see xbot-temporal --help", err)
	}
	return opts, false, opts.complete(os.Getenv)
}

// serve runs until a signal, the end of the parent (when asked to follow it) or an error.
func serve(opts *options, stdin io.Reader, stdout, stderr io.Writer) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if opts.DieWithParent {
		ctx = endWithInput(ctx, stdin)
	}
	logger := newLogger(stderr, opts.level())
	result := make(chan error, 1)
	go func() { result <- run(ctx, opts, logger, stdout) }()

	select {
	case err := <-result:
		return stopped(ctx, err)
	case <-ctx.Done():
	}
	select {
	case err := <-result:
		return stopped(ctx, err)
	case <-time.After(shutdownLimit):
		// A part is stuck, most likely on a Postgres that is gone.
		_, _ = fmt.Fprintf(stderr, "xbot-temporal: left without waiting for the server, which did not stop within %s\n", shutdownLimit)
		return nil
	}
}

// stopped returns nil for a start that a signal cut short, which is no failure, else the error.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// endWithInput returns a context that ends when in does. The parent holds the other end of the pipe, so its death,
// however it comes, is the end of the input.
func endWithInput(parent context.Context, in io.Reader) context.Context {
	ctx, cancel := context.WithCancel(parent)
	go func() {
		defer cancel()
		// An error reading means the same as the end: the other side is gone.
		_, _ = io.Copy(io.Discard, in)
	}()
	return ctx
}
