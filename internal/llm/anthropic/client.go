// Package anthropic calls Anthropic's messages API and services that imitate it. Thinking blocks come back
// with their signatures in Answer.Opaque and are given back unchanged; prompts are marked for the provider's cache.
package anthropic

import (
	"context"
	"net/http"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// DefaultBaseURL is Anthropic's own.
const DefaultBaseURL = "https://" + ownHost

// ownHost takes back no thinking that it has not signed.
const ownHost = "api.anthropic.com"

// Config selects a provider and model, and how to call them.
type Config struct {
	BaseURL string // up to and without /v1/messages; empty means DefaultBaseURL
	APIKey  string
	Model   string // required
	// Thinking asks for adaptive thinking. A model that has none refuses it once and is not asked again.
	Thinking bool
	// IdleTimeout is how long a call may make no progress; zero means wire.DefaultIdleTimeout.
	IdleTimeout time.Duration
	// Transport carries the requests; nil means the connections that all clients share.
	Transport http.RoundTripper
}

// Client talks to one model. It is safe for concurrent use.
type Client struct {
	endpoint *wire.Endpoint
	base     string
	model    string
	dialect  *wire.Lessons[dialect]
}

var _ llm.Client = (*Client)(nil)

// New checks the configuration. It does not call the provider.
func New(cfg Config) (*Client, error) {
	base := baseOf(cfg)
	model := strings.TrimSpace(cfg.Model)
	if model == "" {
		return nil, fault.Errorf(fault.Invalid, "no model is named: set LLM_MODEL to one that the provider offers")
	}
	endpoint, err := wire.NewEndpoint(base, cfg.APIKey, cfg.IdleTimeout, cfg.Transport)
	if err != nil {
		return nil, err
	}
	return &Client{endpoint: endpoint, base: base, model: model, dialect: wire.NewLessons(firstDialect(model, cfg.Thinking))}, nil
}

// baseOf returns the base address of the API. It accepts the forms that people copy from a provider's pages.
func baseOf(cfg Config) string {
	base := strings.TrimRight(strings.TrimSpace(cfg.BaseURL), "/")
	base = strings.TrimSuffix(strings.TrimSuffix(base, "/messages"), "/v1")
	if base == "" {
		return DefaultBaseURL
	}
	return base
}

// apiVersion is that of the API by which models are listed, as the SDK sends it.
const apiVersion = "2023-06-01"

// Models asks which models the provider offers: all of them, since a page has up to a thousand.
func Models(ctx context.Context, cfg Config) ([]chat.SubscribedModel, error) {
	base := baseOf(cfg)
	endpoint, err := wire.NewEndpoint(base, cfg.APIKey, cfg.IdleTimeout, cfg.Transport)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Anthropic-Version": {apiVersion}}
	if endpoint.Key != "" {
		header.Set("X-Api-Key", endpoint.Key)
	}
	return endpoint.Models(ctx, base+"/v1/models?limit=1000", header)
}

// Model returns "anthropic/" and the model's name.
func (c *Client) Model() string { return "anthropic/" + c.model }

// Generate makes one call. A request that is refused because of a parameter is put in other words and sent again at
// once, and the client remembers; nothing else is ever sent twice.
func (c *Client) Generate(ctx context.Context, req llm.Request, sink llm.Sink) (llm.Answer, error) {
	return c.dialect.Apply(
		func(d dialect) (llm.Answer, error) { return c.attempt(ctx, req, sink, d) },
		func(d dialect, r *wire.Refusal) (dialect, bool) {
			if !d.blind && wire.PicturesRefused(r, req.Messages) {
				d.blind = true
				return d, true
			}
			return d.learn(r)
		},
	)
}

// attempt sends the request once. A partial answer is returned together with an error, without its tool calls.
func (c *Client) attempt(ctx context.Context, req llm.Request, sink llm.Sink, d dialect) (llm.Answer, error) {
	call := c.endpoint.Begin(ctx, sink)
	defer call.End()
	exchange := &exchange{Call: call}
	messages := sdk.NewMessageService(c.options(exchange)...)
	stream := messages.NewStreaming(call.Context(), encodeRequest(c.model, c.origin(), req, d))
	defer func() { _ = stream.Close() }() // the answer is complete or its error known
	if err := stream.Err(); err != nil {
		return llm.Answer{}, call.Fail(err)
	}
	reader := &assembly{call: call}
	err := reader.read(exchange.events)
	answer := reader.answer(c.origin())
	if answer.Finish != "" {
		err = reader.check()
	} else {
		err = call.Fail(err)
	}
	if err != nil {
		answer.ToolCalls, answer.Opaque = nil, nil
	}
	return answer, err
}

// options returns the SDK's options for one call. They turn off its retries and its look-up of keys, addresses and tracers.
func (c *Client) options(exchange *exchange) []option.RequestOption {
	options := []option.RequestOption{
		option.WithHTTPClient(exchange), option.WithBaseURL(c.base), option.WithMaxRetries(0), option.WithoutOpenTelemetry(),
	}
	if c.endpoint.Key != "" {
		options = append(options, option.WithAPIKey(c.endpoint.Key))
	}
	return options
}

// origin names the signer of the thinking: signatures of another model or service mean nothing here.
func (c *Client) origin() string { return c.endpoint.Host + " " + c.model }
