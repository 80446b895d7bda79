// Package openai calls every provider with OpenAI's chat completions API: OpenAI itself, DeepSeek, Qwen, Moonshot,
// OpenRouter, vLLM, Ollama, llama.cpp and their like; or, if Config asks for it, with its Responses API. It streams, and it copes with how
// they differ.
package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// DefaultBaseURL is OpenAI's own.
const DefaultBaseURL = "https://api.openai.com/v1"

// Config selects a provider and model, and how to call them.
type Config struct {
	BaseURL string // up to and without /chat/completions or /responses; empty means DefaultBaseURL
	APIKey  string // empty for servers that need none
	Model   string // required; the provider's name of it
	// Responses selects the Responses API instead of chat completions.
	Responses bool
	// IdleTimeout is how long a call may make no progress; zero means wire.DefaultIdleTimeout.
	IdleTimeout time.Duration
	// Transport carries the requests; nil means the connections that all clients share.
	Transport http.RoundTripper
}

// Client talks to one model of one provider. It is safe for concurrent use.
type Client struct {
	endpoint  *wire.Endpoint
	base      string
	model     string
	responses bool
	dialect   *wire.Lessons[dialect]
}

var _ llm.Client = (*Client)(nil)

// New checks the configuration. It does not call the provider.
func New(cfg Config) (*Client, error) {
	base := baseOf(cfg)
	if strings.TrimSpace(cfg.Model) == "" {
		return nil, fault.Errorf(fault.Invalid, "no model is named: set LLM_MODEL to one that the provider offers")
	}
	endpoint, err := wire.NewEndpoint(base, cfg.APIKey, cfg.IdleTimeout, cfg.Transport)
	if err != nil {
		return nil, err
	}
	model := strings.TrimSpace(cfg.Model)
	return &Client{endpoint: endpoint, base: base, model: model, responses: cfg.Responses, dialect: wire.NewLessons(firstDialect(base, model))}, nil
}

// baseOf returns the base address of the API. It accepts the forms that people copy from a provider's pages.
func baseOf(cfg Config) string {
	base := strings.TrimRight(strings.TrimSpace(cfg.BaseURL), "/")
	for _, end := range []string{"/chat/completions", "/responses"} {
		base = strings.TrimSuffix(base, end)
	}
	if base == "" {
		return DefaultBaseURL
	}
	return base
}

// Models asks which models the provider offers.
func Models(ctx context.Context, cfg Config) ([]chat.SubscribedModel, error) {
	base := baseOf(cfg)
	endpoint, err := wire.NewEndpoint(base, cfg.APIKey, cfg.IdleTimeout, cfg.Transport)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	if endpoint.Key != "" {
		header.Set("Authorization", "Bearer "+endpoint.Key)
	}
	return endpoint.Models(ctx, base+"/models", header)
}

// Model returns "openai/" and the model's name.
func (c *Client) Model() string { return "openai/" + c.model }

// Generate makes one call. A request that the provider refuses because of a parameter it does not know is put in other
// words and sent again at once, and the client remembers; nothing else is ever sent twice.
func (c *Client) Generate(ctx context.Context, req llm.Request, sink llm.Sink) (llm.Answer, error) {
	return c.dialect.Apply(
		func(d dialect) (llm.Answer, error) {
			answer, err := c.attempt(ctx, req, sink, d)
			if req.Format != nil && !d.noFormat && schemaRefused(err) {
				req.Format = nil // the message has the schema, too; the next request may have another one, so nothing is learnt
				return c.attempt(ctx, req, sink, d)
			}
			return answer, err
		},
		func(d dialect, r *wire.Refusal) (dialect, bool) {
			if !d.blind && wire.PicturesRefused(r, req.Messages) {
				d.blind = true
				return d, true
			}
			return d.learn(r)
		},
	)
}

// schemaRefused reports whether a provider refuses the schema of an answer, and not schemas: strict ones are a subset of JSON Schema
// (dottxt-ai/outlines#1666, mavam/pi-web-providers#14).
func schemaRefused(err error) bool {
	r := wire.RefusalOf(err)
	return r != nil && r.Status == http.StatusBadRequest && strings.Contains(r.Text(), "invalid schema for response_format")
}

// attempt sends the request once, by the API that was chosen. A call that the provider could not read is the model's fault, not the request's.
func (c *Client) attempt(ctx context.Context, req llm.Request, sink llm.Sink, d dialect) (llm.Answer, error) {
	if d.strip && !d.thinks(c.model, req) {
		d.noReturn, d.reasoning = true, withhold // of this request
	}
	send := c.complete
	if c.responses {
		send = c.respond
	}
	answer, err := send(ctx, req, sink, d)
	if callUnreadable(err) {
		answer.Finish = llm.FinishMalformed
		return answer, nil
	}
	return answer, err
}

// complete sends the request once, to chat completions, as the dialect wants it. A partial answer is returned together with an
// error, without its tool calls, whose arguments may be cut.
func (c *Client) complete(ctx context.Context, req llm.Request, sink llm.Sink, d dialect) (llm.Answer, error) {
	call := c.endpoint.Begin(ctx, sink)
	defer call.End()
	fields, err := c.encodeFields(req, d)
	if err != nil {
		return llm.Answer{}, err
	}
	config := sdk.DefaultConfig(c.endpoint.Key)
	config.BaseURL = c.base
	exchange := &exchange{Call: call, fields: fields, whole: d.whole}
	config.HTTPClient = exchange
	stream, err := sdk.NewClientWithConfig(config).CreateChatCompletionStream(call.Context(), encodeRequest(c.model, req, d))
	if err != nil {
		return llm.Answer{}, c.explain(call, err)
	}
	defer func() { _ = stream.Close() }() // the answer is complete or its error known
	reader := &assembly{call: call, origin: c.origin(), calls: calls{tools: req.Tools}}
	err = reader.read(exchange.events)
	answer, whole := reader.answer()
	if whole {
		err = reader.check()
	} else {
		err = c.explain(call, err)
	}
	if err != nil {
		answer.ToolCalls, answer.Opaque = nil, nil
	}
	return answer, err
}

// explain maps an error, those that the SDK invents before it sends anything included.
func (c *Client) explain(call *wire.Call, err error) error {
	if errors.Is(err, sdk.ErrReasoningToolsRequireResponses) {
		return fault.Errorf(fault.Invalid,
			"%s takes tools only through OpenAI's Responses API: choose the API responses for its subscription, or another model", c.model)
	}
	if errors.Is(err, sdk.ErrChatCompletionInvalidModel) {
		return fault.Errorf(fault.Invalid, "%s is no chat model; choose another model", c.model)
	}
	return call.Fail(err)
}
