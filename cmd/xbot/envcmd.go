package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/sandbox/agentenv"
	"xbot/internal/sandbox/agentsecrets"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/turn/policy"
	"xbot/runner/wire"
)

type envCmd struct {
	Set  envSetCmd  `cmd:"" help:"Set a secret variable of an agent's commands; its value is read from standard input."`
	List envListCmd `cmd:"" help:"List the secret variables of agents, without their values."`
	RM   envRMCmd   `cmd:"" name:"rm" help:"Remove a secret variable."`
}

// ofAgent names an agent of the policy.
type ofAgent struct {
	Agent string `help:"Id of the agent in the policy; default: the default agent."`
}

type envSetCmd struct {
	ofAgent

	Name string `arg:"" help:"Name of the variable, such as GITHUB_TOKEN."`
}

// Run stores a secret that standard input holds, without a new line at its end.
func (c envSetCmd) Run(ctx context.Context) error {
	return withEnv(ctx, func(s *store.Store, env *agentenv.Resolver) error {
		agent, err := c.in(ctx, env)
		if err != nil {
			return err
		}
		value, err := secretFrom(os.Stdin)
		if err != nil {
			return err
		}
		if err := env.Set(ctx, agent, c.Name, value); err != nil {
			return err
		}
		say(os.Stdout, "Commands of agent %s have %s from now on.", agent, c.Name)
		return nil
	})
}

// secretFrom reads a value, at most as much as one may have.
func secretFrom(from io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(from, wire.MaxSecret+3)) // with a new line, and one byte that is too much
	if err != nil {
		return "", fault.Errorf(fault.Invalid, "read the value from standard input: %w", err)
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

type envListCmd struct {
	Agent string `help:"Id of the agent; default: all."`
}

// Run lists secrets, never their values.
func (c envListCmd) Run(ctx context.Context) error {
	return withEnv(ctx, func(s *store.Store, env *agentenv.Resolver) error {
		all, err := s.AgentSecrets.AgentSecrets(ctx, c.Agent)
		if err != nil {
			return err
		}
		p, err := env.Policies.Get(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			say(os.Stdout, "There are no secret variables.")
			return nil
		}
		return table(os.Stdout, "AGENT\tNAME\tSET\tSTATE", all, func(one agentsecrets.Secret) []any {
			state := "ready"
			switch {
			case !env.Readable(one):
				state = "cannot be read: set it again"
			case !slices.Contains(agentsOf(p), one.Agent):
				state = "unused: the policy has no such agent"
			}
			return []any{one.Agent, one.Name, one.SetAt.Format("2006-01-02 15:04"), state}
		})
	})
}

type envRMCmd struct {
	Agent string `help:"Id of the agent; default: the default agent."`
	Name  string `arg:"" help:"Name of the variable."`
}

// Run removes a secret, also of an agent that is gone.
func (c envRMCmd) Run(ctx context.Context) error {
	return withEnv(ctx, func(s *store.Store, env *agentenv.Resolver) error {
		agent := c.Agent
		if agent == "" {
			var err error
			if agent, err = (ofAgent{}).in(ctx, env); err != nil {
				return err
			}
		}
		if err := s.AgentSecrets.RemoveAgentSecret(ctx, agent, c.Name); err != nil {
			return err
		}
		say(os.Stdout, "Commands of agent %s that start from now on do not have %s.", agent, c.Name)
		return nil
	})
}

// in returns the id of the agent that is meant.
func (o ofAgent) in(ctx context.Context, env *agentenv.Resolver) (string, error) {
	p, err := env.Policies.Get(ctx)
	if err != nil {
		return "", err
	}
	known := agentsOf(p)
	switch {
	case o.Agent == "":
		return p.Agent("").ID, nil
	case !slices.Contains(known, o.Agent):
		return "", fault.Errorf(fault.NotFound, "the policy has no agent %q; there are %s", o.Agent, strings.Join(known, ", "))
	}
	return o.Agent, nil
}

func agentsOf(p *policy.Policy) []string {
	out := []string{p.Agent("").ID}
	for _, a := range p.Agents.List {
		if !slices.Contains(out, a.ID) {
			out = append(out, a.ID)
		}
	}
	return out
}

func withEnv(ctx context.Context, do func(s *store.Store, env *agentenv.Resolver) error) error {
	return withKey(ctx, func(ring *secret.Keyring, s *store.Store, _ bool) error {
		return do(s, &agentenv.Resolver{AgentSecrets: s.AgentSecrets, Settings: s.Settings, Policies: &policy.Live{Services: s.Services, Settings: s.Settings}, Key: ring, Log: slog.New(slog.DiscardHandler)})
	})
}
