// Command xbot-runner executes commands and file operations on this machine for an xbot server.
package main

import (
	"os"

	"xbot/runner/cli"
)

// version is set at build time with -ldflags "-X main.version=...".
var version = "dev"

func main() { os.Exit(cli.Main(os.Args, version)) }
