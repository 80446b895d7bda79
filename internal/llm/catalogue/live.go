package catalogue

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/provider"
	"xbot/internal/policy"
)

// Policies knows the policy in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// Live is the catalogue as it is now, with the clients of its models. It is safe for concurrent use.
type Live struct {
	Server   llm.Client
	Config   provider.Config // of the server's model: its address and key serve models of the policy that name none
	Limits   limits.Table    // of the server's model
	Policies Policies
	// Env are variables of this process, which is where keys are; nil: they are in another process, and no model but the
	// server's can be called from this one.
	Env  map[string]string
	Idle time.Duration // how long a call may make no progress; 0 means the adapters' default

	mu      sync.Mutex
	clients map[string]llm.Client // by definition
	seen    Catalogue             // when somebody last looked
}

// Get returns the models of this moment.
func (l *Live) Get(ctx context.Context) (Catalogue, error) {
	p, err := l.Policies.Get(ctx)
	if err != nil {
		return Catalogue{}, err
	}
	c := New(l.Limits, p.Models)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = c
	return c, nil
}

// Client returns the client of a model. Where it cannot be called, its calls say why.
func (l *Live) Client(e Entry) llm.Client {
	if e.Default {
		return l.Server
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := identity(e.definition)
	if l.clients[key] == nil {
		l.forget()
		l.clients[key] = l.open(e)
	}
	return l.clients[key]
}

// forget drops the clients of definitions that hold no more.
func (l *Live) forget() {
	kept := map[string]llm.Client{}
	for _, e := range l.seen.Entries {
		if key := identity(e.definition); l.clients[key] != nil {
			kept[key] = l.clients[key]
		}
	}
	l.clients = kept
}

func identity(m policy.Model) string {
	return fmt.Sprintf("%q %q %q %q", m.ID, m.Dialect, m.BaseURL, m.APIKeyEnv)
}

// Available reports whether a model can be called; known is false where only the worker can tell.
func (l *Live) Available(e Entry) (yes, known bool) {
	if e.Default {
		return true, true
	}
	if l.Env == nil {
		return false, false
	}
	_, refused := l.Client(e).(refusing)
	return !refused, true
}

// Of returns how many tokens a model takes in all and how many of them it may write, as the settings or the makers say.
func (l *Live) Of(model string) (context, output int) {
	if e, ok := l.known(model); ok {
		return e.MaxContext, e.MaxOutput
	}
	return limits.Of(model)
}

// Asked returns the limit of an answer that the settings name for a model, in tokens; 0: none.
func (l *Live) Asked(model string) int {
	e, _ := l.known(model)
	return e.Asked
}

// Sees reports whether a model reads pictures, as the settings say or its name tells.
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
		l.seen = New(l.Limits, nil) // nobody has looked yet
	}
	return l.seen.Get(model)
}

// open makes the client of a model of the policy.
func (l *Live) open(e Entry) llm.Client {
	cfg, err := l.config(e)
	if err != nil {
		return refusing{e.ID, err}
	}
	client, err := provider.FromConfig(cfg)
	if err != nil {
		return refusing{e.ID, fault.Errorf(fault.Invalid, "the policy names the model %s, which cannot be called: %w", e.ID, err)}
	}
	return named{client, e.ID}
}

// config says how a model of the policy is called. One that names neither an address nor a key is another model of the
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

// dialect is how a model is spoken to: as the policy says, as its provider does, or as most do.
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
		return "", fault.Errorf(fault.Invalid, "the key of the model %s is in the worker", e.ID)
	}
	key := strings.TrimSpace(l.Env[variable])
	if key == "" {
		return "", fault.Errorf(fault.Invalid, "the variable %s, which holds the key of the model %s, is not set in the environment of the worker", variable, e.ID)
	}
	return key, nil
}

// named is a client under the id that the policy gives its model.
type named struct {
	llm.Client
	id string
}

// Model returns the id.
func (n named) Model() string { return n.id }

// Refuse returns a client that stands for a model which cannot be called: each call fails with the reason.
func Refuse(id string, why error) llm.Client { return refusing{id, why} }

type refusing struct {
	id  string
	why error
}

// Model returns the id.
func (r refusing) Model() string { return r.id }

// Generate says what is wrong.
func (r refusing) Generate(context.Context, llm.Request, llm.Sink) (llm.Answer, error) {
	return llm.Answer{}, llm.NotCalled{Why: r.why}
}
