package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/provider"
	"xbot/internal/llm/subscription"
	"xbot/internal/llm/usage"
	"xbot/internal/turn/policy"
)

// Policies returns the policy in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
	// With is Get with services that are at least as new as the version.
	With(ctx context.Context, services int64) (*policy.Policy, error)
}

// Subscriptions returns the accounts at providers of the installation and of users.
type Subscriptions interface {
	// Version counts their changes.
	Version(ctx context.Context) (int64, error)
	// Opened lists those of the installation and of a user with their keys; user 0: no user. They are at least as new as the version.
	Opened(ctx context.Context, user chat.UserID) (list []subscription.Opened, version int64, err error)
	// Config returns how to call a model of a subscription.
	Config(o subscription.Opened, model string) provider.Config
}

// Live is the catalogues as they are now, with the clients of their models. It is safe for concurrent use.
type Live struct {
	Server        llm.Client
	Config        provider.Config // of the server's model: its address and key serve models of the policy that name none
	Limits        limits.Table    // of the server's model
	Price         *chat.Price     // of the server's model; nil: not known
	Policies      Policies
	Subscriptions Subscriptions // nil: there are none
	// Env are variables of this process, which is where keys of the policy's models are; nil: they are in another process, and these models
	// cannot be called from this one.
	Env  map[string]string
	Idle time.Duration // how long a call may make no progress; 0 means the adapters' default
	// Calls records the calls of models; nil: nothing does.
	Calls Recorder

	mu       sync.Mutex
	clients  map[string]cachedClient // by what they are the client of
	seen     Catalogue               // for no user, when it was read last
	version  int64                   // of the subscriptions in listings
	listings map[chat.UserID]listing
}

// Recorder records calls of models for metrics.
type Recorder interface {
	// Called records a call of a model, provider/model, that has ended. err is nil if it succeeded.
	Called(ctx context.Context, model string, answer llm.Answer, took time.Duration, err error)
}

// cachedClient is the client of one definition of a model.
type cachedClient struct {
	definition string
	client     llm.Client
}

// Get returns the models that a user can choose at this moment; 0: those that all users can choose.
func (l *Live) Get(ctx context.Context, user chat.UserID) (Catalogue, error) {
	if l.Subscriptions == nil {
		return l.At(ctx, user, 0)
	}
	version, err := l.Subscriptions.Version(ctx)
	if err != nil {
		return Catalogue{}, err
	}
	return l.At(ctx, user, version)
}

// Prices returns the prices of the models that a user can choose, as far as they are known.
func (l *Live) Prices(ctx context.Context, user chat.UserID) (usage.Prices, error) {
	c, err := l.Get(ctx, user)
	return pricesOf(c), err
}

// Read is the catalogue as it was read last, for details that are not worth a database query.
type Read struct{ *Live }

// Prices returns the prices of the models that a user can choose.
func (r Read) Prices(ctx context.Context, user chat.UserID) (usage.Prices, error) {
	c, err := r.At(ctx, user, 0)
	return pricesOf(c), err
}

func pricesOf(c Catalogue) usage.Prices {
	out := usage.Prices{}
	for _, e := range c.Entries {
		if e.Price != nil {
			out[e.ID] = *e.Price
		}
	}
	return out
}

// Client returns the client of a model. Where it cannot be called, its calls say why.
func (l *Live) Client(e Entry) llm.Client {
	if e.Default && e.account == nil {
		return bound{l.Server, e.Limits(), l.Calls}
	}
	key, definition := e.identity()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clients[key].definition != definition {
		if l.clients == nil {
			l.clients = map[string]cachedClient{}
		}
		l.clients[key] = cachedClient{definition, l.open(e)}
	}
	return bound{l.clients[key].client, e.Limits(), l.Calls}
}

// bound is a client with the limits of its model, whose calls are recorded.
type bound struct {
	llm.Client

	limits limits.Model
	calls  Recorder
}

// Generate implements llm.Client.
func (b bound) Generate(ctx context.Context, req llm.Request, sink llm.Sink) (llm.Answer, error) {
	if b.calls == nil {
		return b.Client.Generate(ctx, req, sink)
	}
	began := time.Now()
	answer, err := b.Client.Generate(ctx, req, sink)
	b.calls.Called(ctx, b.Model(), answer, time.Since(began), err)
	return answer, err
}

// Unwrap returns the client.
func (b bound) Unwrap() llm.Client { return b.Client }

// Limits returns the limits of the model.
func (b bound) Limits() limits.Model { return b.limits }

// identity returns a key for the model and its definition at this moment.
func (e Entry) identity() (key, definition string) {
	if a := e.account; a != nil {
		return fmt.Sprintf("subscription %d %s", a.ID, e.name), fmt.Sprintf("%d", a.Revision)
	}
	m := e.definition
	return "policy " + m.ID, fmt.Sprintf("%q %q %q %+v", m.Dialect, m.BaseURL, m.APIKeyEnv, agentSettings(m))
}

// Available reports whether a model can be called; known is false where only the worker can know.
func (l *Live) Available(e Entry) (yes, known bool) {
	switch {
	case e.account != nil:
	case e.Default:
		return true, true
	case l.Env == nil:
		return false, false
	}
	client, _ := l.Client(e).(bound)
	_, refused := client.Client.(refusing)
	return !refused, true
}

// Of returns how many tokens a model takes in all and how many of them it may write, as the settings or the makers define. The limits that
// users set for their models are known to the clients of these alone.
func (l *Live) Of(model string) (context, output int) {
	if e, ok := l.known(model); ok {
		return e.MaxContext, e.MaxOutput
	}
	return limits.Of(model)
}

// Asked returns the limit of an answer that the settings name for a model, in tokens, or 0 if there is none.
func (l *Live) Asked(model string) int {
	e, _ := l.known(model)
	return e.Asked
}

// Sees reports whether a model reads pictures, by the settings or its name.
func (l *Live) Sees(model string) bool {
	if e, ok := l.known(model); ok {
		return e.Sees
	}
	return limits.Sees(model)
}

func (l *Live) known(model string) (Entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen.Entries) == 0 {
		l.seen = New(l.Limits, nil) // not read yet
	}
	return l.seen.Get(model)
}

// open makes the client of a model of a subscription or of the policy.
func (l *Live) open(e Entry) llm.Client {
	if e.account != nil {
		return l.openAccount(e)
	}
	if e.definition.IsAgent() {
		return agent{e.ID, agentSettings(e.definition)}
	}
	cfg, err := l.config(e)
	if err != nil {
		return refusing{e.ID, err}
	}
	client, err := provider.FromConfig(cfg)
	if err != nil {
		return refusing{e.ID, fault.Errorf(fault.Invalid, "the policy names the model %s, which cannot be called: %w", e.ID, err)}
	}
	return namedClient{client, e.ID}
}

// config returns how to call a model of the policy. One that names neither an address nor a key is another model of the
// service that the server's settings name, if it speaks the same way.
func (l *Live) config(e Entry) (provider.Config, error) {
	m := e.definition
	_, name, _ := strings.Cut(m.ID, "/")
	cfg := provider.Config{Provider: dialect(m), Model: name, BaseURL: m.BaseURL, IdleTimeout: l.Idle, Verbatim: true}
	server := provider.Resolved(l.Config)
	switch {
	case cfg.Provider == provider.Demo:
		return cfg, nil
	case name == "":
		return cfg, fault.Errorf(fault.Invalid, "the model id %q in the policy must be provider/model", m.ID)
	case cfg.Provider == "":
		return cfg, fault.Errorf(fault.Invalid, "the model %s in the policy has no baseUrl, and %q is no provider with a known address: set its baseUrl", m.ID, e.provider())
	case m.BaseURL == "" && m.APIKeyEnv == "" && cfg.Provider == server.Provider:
		cfg.BaseURL, cfg.APIKey = server.BaseURL, server.APIKey
		return cfg, nil
	case m.BaseURL != "" && m.APIKeyEnv == "":
		return cfg, nil // a server of one's own, which needs none
	}
	var err error
	cfg.APIKey, err = l.key(e)
	return cfg, err
}

// dialect returns the API of a model: the policy's choice, else that of its provider, else the most common one.
func dialect(m policy.Model) string {
	if m.Dialect != "" {
		return m.Dialect
	}
	named, _, _ := strings.Cut(m.ID, "/")
	switch named = strings.ToLower(named); named {
	case provider.OpenAI, provider.Anthropic, provider.Demo:
		return named
	}
	if m.BaseURL == "" {
		return ""
	}
	return provider.OpenAI
}

// private are the beginnings of variables that hold secrets of the server itself: no policy may send those to a provider.
var private = []string{"XBOT_", "TEMPORAL_", "PG"}

// key reads the variable that holds the key of a model.
func (l *Live) key(e Entry) (string, error) {
	variable := e.definition.APIKeyEnv
	if variable == "" {
		return "", fault.Errorf(fault.Invalid, "the model %s in the policy has no key: name the variable that holds it in apiKeyEnv", e.ID)
	}
	for _, prefix := range private {
		if strings.HasPrefix(variable, prefix) {
			return "", fault.Errorf(fault.Invalid, "the variable %s of the model %s is one of the server's own: keep the key in another one", variable, e.ID)
		}
	}
	if l.Env == nil {
		return "", fault.Errorf(fault.Invalid, "%w", inWorker{e.ID})
	}
	key := strings.TrimSpace(l.Env[variable])
	if key == "" {
		return "", fault.Errorf(fault.Invalid, "the variable %s, which holds the key of the model %s, is not set in the environment of the worker", variable, e.ID)
	}
	return key, nil
}

// inWorker is the error of a model of which only the worker knows whether it can be called.
type inWorker struct{ id string }

// Error names the model.
func (w inWorker) Error() string { return "the key of the model " + w.id + " is in the worker" }

// namedClient is a client under the id that the policy gives its model.
type namedClient struct {
	llm.Client
	id string
}

// Model returns the id.
func (n namedClient) Model() string { return n.id }

// Refuse returns a client for a model that cannot be called: each call fails with the reason.
func Refuse(id string, why error) llm.Client { return refusing{id, why} }

// Refused returns why a client cannot be called, nil if it can be, or if only the worker knows.
func Refused(client llm.Client) error {
	r, ok := llm.As[refusing](client)
	if _, elsewhere := errors.AsType[inWorker](r.why); !ok || elsewhere {
		return nil
	}
	return r.why
}

type refusing struct {
	id  string
	why error
}

// Model returns the id.
func (r refusing) Model() string { return r.id }

// Generate fails with the reason.
func (r refusing) Generate(context.Context, llm.Request, llm.Sink) (llm.Answer, error) {
	return llm.Answer{}, llm.NotCalled{Why: r.why}
}

// agent is the client of a coding agent. It answers turns, and no calls.
type agent struct {
	id       string
	settings codingagent.Settings
}

// Model returns the id.
func (a agent) Model() string { return a.id }

// ownModel is the name behind an agent's that leaves the model to the agent.
const ownModel = "default"

// agentSettings say how a coding agent of the policy is asked. It is walled in and asks where the policy does not say otherwise.
func agentSettings(m policy.Model) codingagent.Settings {
	if !m.IsAgent() {
		return codingagent.Settings{}
	}
	_, name, _ := strings.Cut(m.ID, "/")
	if name == ownModel {
		name = ""
	}
	var a policy.CodingAgent
	if m.Agent != nil {
		a = *m.Agent
	}
	return codingagent.Settings{
		Agent: m.Dialect, Model: name, Effort: a.Effort, Profile: a.Profile, Personality: a.Personality, AddDirs: a.AddDirs, Prefix: a.PromptPrefix, Program: a.Command,
		Sandbox:   codingagent.Sandbox(cmp.Or(a.Sandbox, string(codingagent.WorkspaceWrite))),
		Approvals: codingagent.Approvals(cmp.Or(a.Approvals, string(codingagent.ApproveOnRequest))),
	}
}

// CodingAgent returns the settings to call it with.
func (a agent) CodingAgent() codingagent.Settings { return a.settings }

// Generate fails, as a coding agent takes no calls: features that need one, such as compression, are skipped.
func (a agent) Generate(context.Context, llm.Request, llm.Sink) (llm.Answer, error) {
	return llm.Answer{}, llm.NotCalled{Why: fault.Errorf(fault.Invalid, "%s is a coding agent: it answers turns, and keeps its own conversation", a.id)}
}
