// Package choice decides which model answers in a session, and how much it thinks. Highest first: what was chosen for the
// session, what its scene and its agent say, the model of the runner to which its user's commands go, if it offers one
// and the user did not ask for the server's, and the server's.
package choice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/readonce"
	"xbot/internal/llm"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/provider"
	"xbot/internal/sandbox"
	"xbot/internal/turn/policy"
	"xbot/runner/wire"
)

// Store returns what users chose and what their runners offer.
type Store interface {
	// ModelWanted returns what decides which model answers in a session.
	ModelWanted(ctx context.Context, key chat.SessionKey) (chat.ModelCriteria, error)
	// ModelOffered returns the model that a runner offers to call, nil if none.
	ModelOffered(ctx context.Context, user chat.UserID, runner string) (*wire.LLM, error)
}

// criteriaKey is the key of the criteria of a session in what a preparation has read.
type criteriaKey chat.SessionKey

// Wanted returns the criteria for the model of a session. Within one preparation it is read once (readonce).
func Wanted(ctx context.Context, store interface {
	ModelWanted(ctx context.Context, key chat.SessionKey) (chat.ModelCriteria, error)
}, key chat.SessionKey) (chat.ModelCriteria, error) {
	return readonce.Get(ctx, criteriaKey(key), func() (chat.ModelCriteria, error) { return store.ModelWanted(ctx, key) })
}

// Runners finds where a user's commands go.
type Runners interface {
	Name(ctx context.Context, user chat.UserID, asked string) (string, error)
	Runner(ctx context.Context, user chat.UserID, asked string) (*sandbox.Runner, error)
}

// Choice finds the client of a session. It is safe for concurrent use.
type Choice struct {
	Server  llm.Client
	Store   Store
	Runners Runners
	// Models are the models that sessions, scenes and agents can choose; nil: the server's alone.
	Models *catalogue.Live
	Idle   time.Duration // how long a call through a runner may make no progress; 0 means the adapters' default

	mu    sync.Mutex
	known map[offer]llm.Client
}

// offer is a model behind a runner.
type offer struct {
	runner *sandbox.Runner
	model  wire.LLM
}

// For returns the client that answers in a session. Errors are those of the database. A runner that is offline is no
// reason to choose another model: its calls fail, as those to a provider that is away. Nor is a model that was chosen
// and that is not there any more.
func (c *Choice) For(ctx context.Context, key chat.SessionKey) (llm.Client, error) {
	client, _, err := c.Decided(ctx, key)
	return client, err
}

// Decided returns the client that answers in a session, and who decided that.
func (c *Choice) Decided(ctx context.Context, key chat.SessionKey) (llm.Client, Decision, error) {
	w, err := Wanted(ctx, c.Store, key)
	if err != nil {
		return nil, Decision{}, err
	}
	if c.Models == nil {
		client, err := c.offered(ctx, w)
		if client == nil {
			client = c.Server
		}
		return client, Decision{}, err
	}
	p, err := c.Models.Policies.With(ctx, w.Services)
	if err != nil {
		return nil, Decision{}, err
	}
	d := Decide(p, w)
	client, think, err := c.choose(ctx, w, p, &d)
	if err != nil {
		return nil, d, err
	}
	if d.Think == "" && think == "" && w.UsualThink != "" { // a choice for one model beats one for all
		d.Think, d.ThinkSource = w.UsualThink, FromPerson
	}
	if level := cmp.Or(d.Think, think); level != "" {
		client = thinking{client, level}
	}
	if ask := w.Options.Client; ask != nil {
		client = callerClient{client, ask}
	}
	if w.Options.Spoken != "" {
		client = spokenClient{client, w.Options.Spoken}
	}
	return client, d, nil
}

// Missing finds out if a session has no model that can answer, as far as that is known without a call: which model it would be, and why not. An
// empty why: one can.
func (c *Choice) Missing(ctx context.Context, key chat.SessionKey) (model, why string, err error) {
	client, err := c.For(ctx, key)
	if err != nil {
		return "", "", err
	}
	if refused := catalogue.Refused(client); refused != nil {
		return client.Model(), refused.Error(), nil
	}
	return client.Model(), "", nil
}

// choose returns the client of the model that was decided on, and its default think level. If nothing nearer decided, it is that of
// the user's runner, the one that they chose for all their conversations, the policy's, and the installation's usual one, in this order.
func (c *Choice) choose(ctx context.Context, w chat.ModelCriteria, p *policy.Policy, d *Decision) (client llm.Client, think string, err error) {
	if d.Model == "" {
		offered, err := c.offered(ctx, w)
		if err != nil || offered != nil {
			d.ModelSource = FromRunner
			return offered, "", err
		}
		d.Model, d.ModelSource = first(said{w.Usual, FromPerson}, said{p.DefaultModel, FromPolicy})
	}
	models, err := c.Models.At(ctx, w.User, w.Subscriptions)
	if err != nil {
		return nil, "", err
	}
	e := models.Usual()
	if d.Model != "" {
		var ok bool
		if e, ok = models.Find(d.Model); !ok {
			return catalogue.Refuse(d.Model, fault.Errorf(fault.Invalid, "%s", unknown(*d))), "", nil
		}
	}
	return c.Models.Client(e), e.Think, nil
}

func unknown(d Decision) string {
	switch d.ModelSource {
	case FromSession:
		return fmt.Sprintf("the model %s, which was chosen here, is not configured any more: choose another one with /model", d.Model)
	case FromPerson:
		return fmt.Sprintf("the model %s, which you chose for all your conversations, is not configured any more: choose another one with /llm or in the settings", d.Model)
	}
	return fmt.Sprintf("the policy gives this conversation the model %s, which is not there: list it under models, or choose another one with /model", d.Model)
}

// offered returns the client of the model of the user's runner, or nil if there is none or the user does not want it.
func (c *Choice) offered(ctx context.Context, w chat.ModelCriteria) (llm.Client, error) {
	if !w.Own {
		return nil, nil
	}
	name, err := c.Runners.Name(ctx, w.User, w.Runner)
	if fault.Is(err, fault.Denied) {
		return nil, nil // there is no runner that could offer one
	}
	if err != nil {
		return nil, err
	}
	offered, err := c.Store.ModelOffered(ctx, w.User, name)
	if err != nil || offered == nil {
		return nil, err
	}
	runner, err := c.Runners.Runner(ctx, w.User, name)
	if err != nil {
		return nil, err
	}
	return c.through(offer{runner, *offered}), nil
}

// thinking is a client that thinks at a given level if the request has none.
type thinking struct {
	llm.Client
	effort string
}

// Unwrap is the client.
func (t thinking) Unwrap() llm.Client { return t.Client }

// Effort is the client's think level.
func (t thinking) Effort() string { return t.effort }

// Limits returns the limits of the client.
func (t thinking) Limits() limits.Model { return limits.Table{}.For(t.Client) }

// Generate makes a call.
func (t thinking) Generate(ctx context.Context, req llm.Request, sink llm.Sink) (llm.Answer, error) {
	if req.Effort == "" {
		req.Effort = t.effort
	}
	return t.Client.Generate(ctx, req, sink)
}

// through returns the client of a model behind a runner. There are as many as there are runners with models.
func (c *Choice) through(o offer) llm.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[o] == nil {
		if c.known == nil {
			c.known = map[offer]llm.Client{}
		}
		c.known[o] = c.open(o)
	}
	return c.known[o]
}

func (c *Choice) open(o offer) llm.Client {
	if o.model.Provider != provider.OpenAI && o.model.Provider != provider.Anthropic {
		return catalogue.Refuse(o.model.Provider+"/"+o.model.Model, fault.Errorf(fault.Invalid, "runner %s offers a model of %q: --llm-provider must be openai or anthropic", o.runner.Name(), o.model.Provider))
	}
	client, err := provider.FromConfig(provider.Config{
		Provider: o.model.Provider, Model: o.model.Model, BaseURL: sandbox.ModelURL, IdleTimeout: c.Idle,
		Transport: offlineTransport{sandbox.Transport(o.runner)},
	})
	if err != nil {
		return catalogue.Refuse(o.model.Provider+"/"+o.model.Model, fault.Errorf(fault.Invalid, "runner %s offers a model that cannot be called: %w", o.runner.Name(), err))
	}
	return through{client, o.runner.Name()}
}

// through is a client whose failures name the runner, since that is where to look.
type through struct {
	llm.Client
	runner string
}

// Generate makes a call through the runner.
func (t through) Generate(ctx context.Context, req llm.Request, sink llm.Sink) (llm.Answer, error) {
	var offline atomic.Bool // the transport met a runner that is offline
	answer, err := t.Client.Generate(context.WithValue(ctx, offlineKey{}, &offline), req, sink)
	switch {
	case llm.Reason(err) == "":
		return answer, err
	case offline.Load():
		return answer, llm.Because("runner "+t.runner+" is offline", err)
	}
	return answer, llm.Because("runner "+t.runner+": "+llm.Reason(err), err)
}

// offlineKey is the key of what the transport of a call reports to Generate: adapters describe its errors in their own words.
type offlineKey struct{}

// offlineTransport notes that a runner was offline.
type offlineTransport struct{ http.RoundTripper }

// RoundTrip passes a request on.
func (w offlineTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.RoundTripper.RoundTrip(r)
	if _, ok := errors.AsType[*sandbox.OfflineError](err); ok {
		if offline, ok := r.Context().Value(offlineKey{}).(*atomic.Bool); ok {
			offline.Store(true)
		}
	}
	return response, err
}

// callerClient is a client whose requests carry the tools and the response format of an API caller. Only the turn that answers the caller's message
// applies them; other requests of the conversation, such as a summary, do not.
type callerClient struct {
	llm.Client
	ask *chat.ClientAsk
}

// Unwrap is the client.
func (a callerClient) Unwrap() llm.Client { return a.Client }

// spokenClient is the client of a turn that a realtime session answers.
type spokenClient struct {
	llm.Client
	exchange string
}

// Unwrap is the client.
func (s spokenClient) Unwrap() llm.Client { return s.Client }

// SpokenExchange returns the exchange.
func (s spokenClient) SpokenExchange() string { return s.exchange }

// Limits returns the limits of the client.
func (s spokenClient) Limits() limits.Model { return limits.Table{}.For(s.Client) }

// ClientAsk returns what the program asks.
func (a callerClient) ClientAsk() *chat.ClientAsk { return a.ask }

// Limits returns the limits of the client.
func (a callerClient) Limits() limits.Model { return limits.Table{}.For(a.Client) }
