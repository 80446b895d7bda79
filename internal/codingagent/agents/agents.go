// Package agents makes the driver of a coding agent by its name.
package agents

import (
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/claude"
	"xbot/internal/codingagent/codex"
	"xbot/internal/codingagent/kimi"
	"xbot/internal/codingagent/opencode"
	"xbot/internal/fault"
)

type agent struct {
	make  func(codingagent.Turn) codingagent.Driver
	check func() codingagent.Check
}

// Names lists the agents that there are.
func Names() []string { return []string{"codex", "claude", "kimi", "opencode"} }

func find(name string) (agent, error) {
	switch name {
	case "codex":
		return agent{codex.New, codex.Check}, nil
	case "claude":
		return agent{claude.New, claude.Check}, nil
	case "kimi":
		return agent{kimi.New, kimi.Check}, nil
	case "opencode":
		return agent{opencode.New, opencode.Check}, nil
	}
	return agent{}, fault.Errorf(fault.Invalid, "there is no coding agent %q: choose codex, claude, kimi or opencode", name)
}

// New makes a driver for one turn of the named agent.
func New(name string, turn codingagent.Turn) (codingagent.Driver, error) {
	found, err := find(name)
	if err != nil {
		return nil, err
	}
	return found.make(turn), nil
}

// Check says how to find out whether somebody is logged in to the named agent.
func Check(name string) (codingagent.Check, error) {
	found, err := find(name)
	if err != nil {
		return codingagent.Check{}, err
	}
	return found.check(), nil
}
