// Command fakeagent plays codex, claude, kimi or opencode, by the name that it is started with.
package main

import (
	"os"

	"xbot/internal/codingagent/agenttest"
)

func main() { os.Exit(agenttest.Main(os.Args, os.Stdin, os.Stdout)) }
