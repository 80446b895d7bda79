// Package agents makes the driver of a coding agent by its name.
package agents

import (
	"strings"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/claude"
	"xbot/internal/codingagent/codex"
	"xbot/internal/codingagent/kimi"
	"xbot/internal/codingagent/opencode"
	"xbot/internal/fault"
)

// Names lists the agents that there are.
func Names() []string { return []string{"codex", "claude", "kimi", "opencode"} }

// New makes a driver for one turn of the named agent. An unknown name is invalid.
func New(name string, turn codingagent.Turn) (codingagent.Driver, error) {
	switch name {
	case "codex":
		return codex.New(turn), nil
	case "claude":
		return claude.New(turn), nil
	case "kimi":
		return kimi.New(turn), nil
	case "opencode":
		return opencode.New(turn), nil
	}
	return nil, unknown(name)
}

// Check returns how to find out whether the named agent is logged in. An unknown name is invalid.
func Check(name string) (codingagent.Check, error) {
	switch name {
	case "codex":
		return codex.Check(), nil
	case "claude":
		return claude.Check(), nil
	case "kimi":
		return kimi.Check(), nil
	case "opencode":
		return opencode.Check(), nil
	}
	return codingagent.Check{}, unknown(name)
}

// Resume returns the command by which a user continues a thread of the named agent in a terminal. An unknown name is invalid.
func Resume(name, thread string) (string, error) {
	switch name {
	case "codex":
		return "codex resume " + thread, nil
	case "claude":
		return "claude --resume " + thread, nil
	case "kimi", "opencode":
		return name + " --session " + thread, nil
	}
	return "", unknown(name)
}

// Variables returns the environment variables of the named agent's process. The work of a turn ends with its process, so Claude Code, whose
// subagents run in the background from 2.1.198 on, must do none of it there.
func Variables(name string) []string {
	if name == "claude" {
		return []string{"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1"}
	}
	return nil
}

// Confinement returns the confinement of an agent's process on a runner that confines commands. In a read-only turn codex may only change its own
// folder, where it stores its threads; the others run only allowed commands there. variables are those of the process.
func Confinement(name string, turn codingagent.Turn, variables []string) chat.Confinement {
	walls := chat.Confinement{Confined: turn.Confined}
	if !turn.Confined || name != "codex" || turn.Sandbox != codingagent.ReadOnly && turn.Sandbox != "" {
		return walls
	}
	walls.ReadOnly, walls.Keep = true, "~/.codex"
	for _, pair := range variables {
		if folder, ok := strings.CutPrefix(pair, "CODEX_HOME="); ok {
			walls.Keep = folder
		}
	}
	return walls
}

func unknown(name string) error {
	return fault.Errorf(fault.Invalid, "there is no coding agent %q: choose codex, claude, kimi or opencode", name)
}
