// Package agentenv resolves the variables of a conversation's commands: those that the policy gives its agent, and the agent's
// secrets, which are opened for the moment of a run and go to runners that the policy trusts with them.
package agentenv

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/readonce"
	"xbot/internal/llm/choice"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/agentsecrets"
	"xbot/internal/secret"
	"xbot/internal/turn/policy"
	"xbot/runner/mask"
	"xbot/runner/wire"
)

// AgentSecrets is the store of the secrets of agents.
type AgentSecrets interface {
	AgentSecrets(ctx context.Context, agent string) ([]agentsecrets.Secret, error)
	RunnerIsListed(ctx context.Context, owner chat.UserID, name string, listed []string) (bool, error)
	SetAgentSecret(ctx context.Context, in agentsecrets.Secret, bounds agentsecrets.Bounds) error
}

// Settings reads the settings of a conversation, which name its agent.
type Settings interface {
	ModelWanted(ctx context.Context, key chat.SessionKey) (chat.ModelCriteria, error)
}

// Policies returns the policy in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// Withheld names, to a command, the secrets of its agent that it was not given.
const Withheld = "XBOT_WITHHELD"

// Resolver finds the environment of conversations. It is safe for concurrent use.
type Resolver struct {
	AgentSecrets AgentSecrets
	Settings     Settings
	Policies     Policies
	Key          secret.Sealer
	Log          *slog.Logger
}

// sealedSecret is the sealed form of a secret. It names the secret's agent, so that a row that was moved to another agent opens nothing.
type sealedSecret struct {
	Agent string `json:"agent"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Environment returns what commands of a conversation have on a runner of a user. Secrets that the runner is not trusted with, or that
// cannot be opened, are named in Withheld.
func (r *Resolver) Environment(ctx context.Context, key chat.SessionKey, user chat.UserID, runner string) (sandbox.Environment, error) {
	f, err := r.of(ctx, key)
	if err != nil {
		return sandbox.Environment{}, err
	}
	p, w, agent, rows := f.policy, f.asked, f.agent, f.rows
	var env sandbox.Environment
	for _, name := range slices.Sorted(maps.Keys(agent.Env)) {
		env.Variables = append(env.Variables, name+"="+agent.Env[name])
	}
	if len(rows) == 0 {
		return env, nil
	}
	trusted := routed(p, w, agent)
	if trusted {
		if trusted, err = r.trusted(ctx, p, user, runner); err != nil {
			return sandbox.Environment{}, err
		}
	}
	withheld := []string{}
	for _, row := range rows {
		if s, ok := r.open(row); ok && trusted {
			env.Secrets = append(env.Secrets, s)
		} else {
			withheld = append(withheld, row.Name)
		}
	}
	if len(withheld) > 0 {
		env.Variables = append(env.Variables, Withheld+"="+strings.Join(withheld, " "))
	}
	return env, nil
}

// Masker returns a masker of the secrets of a conversation's agent, on all runners. It returns nil if there are none.
func (r *Resolver) Masker(ctx context.Context, key chat.SessionKey) (*mask.Masker, error) {
	f, err := r.of(ctx, key)
	if err != nil {
		return nil, err
	}
	var known []wire.Secret
	for _, row := range f.rows {
		if s, ok := r.open(row); ok {
			known = append(known, s)
		}
	}
	return mask.New(known), nil
}

// resolution is the agent of a conversation, and what decides what its commands have.
type resolution struct {
	policy *policy.Policy
	asked  chat.ModelCriteria
	agent  policy.Agent
	rows   []agentsecrets.Secret // the agent's
}

// secretsKey is the key of all secrets in what a preparation has read.
type secretsKey struct{}

// of finds the agent of a conversation, and its secrets. Where no agent has variables, nothing else is read.
func (r *Resolver) of(ctx context.Context, key chat.SessionKey) (resolution, error) {
	p, err := r.Policies.Get(ctx)
	if err != nil {
		return resolution{}, err
	}
	all, err := readonce.Get(ctx, secretsKey{}, func() ([]agentsecrets.Secret, error) { return r.AgentSecrets.AgentSecrets(ctx, "") })
	if err != nil || len(all) == 0 && !slices.ContainsFunc(p.Agents.List, func(a policy.Agent) bool { return len(a.Env) > 0 }) {
		return resolution{policy: p}, err
	}
	w, err := choice.Wanted(ctx, r.Settings, key)
	if err != nil {
		return resolution{}, err
	}
	agent := p.Agent(w.Agent)
	return resolution{policy: p, asked: w, agent: agent, rows: slices.DeleteFunc(slices.Clone(all), func(s agentsecrets.Secret) bool { return s.Agent != agent.ID })}, nil
}

// chosenOn are the channels on which users choose the agent that answers. On platforms the policy does.
var chosenOn = []string{"", "web", "cli", "api", "openai", "openai-user"}

// routed reports whether the policy, or an administrator, has the agent answer there: any signed-in user may begin a conversation with any
// agent, and does not get its secrets by that.
func routed(p *policy.Policy, w chat.ModelCriteria, agent policy.Agent) bool {
	return w.Admin || !slices.Contains(chosenOn, w.Above.Channel) ||
		p.AgentFor(chat.Envelope{Source: chat.Source{Channel: w.Above.Channel, Account: w.Above.Account, ChatType: w.Above.ChatType}}) == agent.ID
}

// trusted reports whether a runner may have secrets.
func (r *Resolver) trusted(ctx context.Context, p *policy.Policy, user chat.UserID, runner string) (bool, error) {
	if own, ok := p.Runners.HasSecrets(runner); ok {
		return own, nil
	}
	if len(p.Runners.Secrets) == 0 {
		return false, nil
	}
	return r.AgentSecrets.RunnerIsListed(ctx, user, runner, p.Runners.Secrets)
}

// open opens a secret. It returns false if it cannot be read, or is another one's.
func (r *Resolver) open(row agentsecrets.Secret) (wire.Secret, bool) {
	plain, err := r.Key.Open(row.Sealed)
	var s sealedSecret
	if err == nil {
		err = json.Unmarshal(plain, &s)
	}
	if err != nil || s.Agent != row.Agent || s.Name != row.Name || wire.CheckSecret(s.Value) != nil {
		r.Log.Warn("a secret variable cannot be read: set it again with xbot env set", "agent", row.Agent, "name", row.Name) // the error might quote it
		return wire.Secret{}, false
	}
	return wire.Secret{Name: s.Name, Value: s.Value}, true
}

// Readable reports whether a stored secret can be opened.
func (r *Resolver) Readable(row agentsecrets.Secret) bool {
	_, ok := r.open(row)
	return ok
}

// Set seals a value and stores it. Invalid describes what is wrong with the name or the value, without the value. It returns TooLarge if the agent has as much
// as a command can be given.
func (r *Resolver) Set(ctx context.Context, agent, name, value string) error {
	if err := policy.CheckVariable(name); err != nil {
		return fault.Errorf(fault.Invalid, "%w", err)
	}
	if err := wire.CheckSecret(value); err != nil {
		return fault.Errorf(fault.Invalid, "%w", err)
	}
	plain, err := json.Marshal(sealedSecret{Agent: agent, Name: name, Value: value})
	if err != nil {
		panic(err) // texts always encode
	}
	return r.AgentSecrets.SetAgentSecret(ctx, agentsecrets.Secret{Agent: agent, Name: name, Sealed: r.Key.Seal(plain)}, bounds{r, len(value)})
}

// bounds are the bounds of what a runner takes.
type bounds struct {
	resolver *Resolver
	more     int // bytes
}

// Fit implements agentsecrets.Bounds.
func (b bounds) Fit(others []agentsecrets.Secret) error {
	total := b.more
	for _, row := range others {
		if s, ok := b.resolver.open(row); ok {
			total += len(s.Value)
		}
	}
	if len(others) >= wire.MaxSecrets || total > wire.MaxSealed {
		return fault.Errorf(fault.TooLarge, "an agent has at most %d secret variables with %d bytes together: remove one first", wire.MaxSecrets, wire.MaxSealed)
	}
	return nil
}
