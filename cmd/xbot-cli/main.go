// Command xbot-cli is the terminal client of xbot.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"xbot/internal/client/cli"
)

// version is set by the build.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	program := cli.Program{
		Args:    os.Args[1:],
		Getenv:  os.Getenv,
		Environ: os.Environ(),
		In:      os.Stdin,
		Out:     os.Stdout,
		Err:     os.Stderr,
		Version: version,
	}
	os.Exit(program.Run(ctx))
}
