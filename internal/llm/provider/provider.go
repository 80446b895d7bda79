// Package provider makes the model client that a configuration asks for.
package provider

import (
	"context"
	"net/http"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/anthropic"
	"xbot/internal/llm/demo"
	"xbot/internal/llm/openai"
)

// The providers.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
	Demo      = "demo"
)

// Config selects the model that answers: LLM_PROVIDER, LLM_BASE_URL, LLM_API_KEY, LLM_MODEL and LLM_RETRY_TIMEOUT.
type Config struct {
	Provider    string        // empty: what Model names, else openai when a key or base URL is set, else demo
	BaseURL     string        // empty: the provider's own
	APIKey      string        // required for the providers' own addresses
	Model       string        // "gpt-5.2", "anthropic:claude-opus-4-8" or "anthropic/claude-opus-4-8"
	IdleTimeout time.Duration // how long a call may make no progress; zero means 120 s
	Transport   http.RoundTripper
	// Responses selects OpenAI's Responses API instead of chat completions.
	Responses bool
	// Verbatim means that Provider is set and that Model is the provider's own name of it, in any form.
	Verbatim bool
}

// Resolved returns a configuration with its provider decided and its model without the provider's name. One that is
// refused by FromConfig comes back as it is.
func Resolved(cfg Config) Config {
	if resolved, err := resolve(cfg); err == nil {
		return resolved
	}
	return cfg
}

// FromConfig makes a client. It makes no requests. Errors are fault.Invalid and name the variable to set.
func FromConfig(cfg Config) (llm.Client, error) {
	cfg, err := resolve(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Provider == Demo {
		return demo.Client{}, nil
	}
	if cfg.Model == "" {
		return nil, fault.Errorf(fault.Invalid, "LLM_MODEL is not set; name a model that %s offers", place(cfg))
	}
	if cfg.APIKey == "" && cfg.BaseURL == "" {
		return nil, fault.Errorf(fault.Invalid, "LLM_API_KEY is not set; %s needs a key (for a server of your own set LLM_BASE_URL)", place(cfg))
	}
	if cfg.Provider == Anthropic {
		return orNil(anthropic.New(anthropic.Config{
			BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, Model: cfg.Model, IdleTimeout: cfg.IdleTimeout, Transport: cfg.Transport,
		}))
	}
	return orNil(openai.New(openai.Config{
		BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, Model: cfg.Model, Responses: cfg.Responses, IdleTimeout: cfg.IdleTimeout, Transport: cfg.Transport,
	}))
}

// Models asks the provider of a configuration which models it offers. Errors are those of llm.Client.
func Models(ctx context.Context, cfg Config) ([]chat.SubscribedModel, error) {
	if cfg.Provider == Anthropic {
		return anthropic.Models(ctx, anthropic.Config{BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, IdleTimeout: cfg.IdleTimeout, Transport: cfg.Transport})
	}
	return openai.Models(ctx, openai.Config{BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, IdleTimeout: cfg.IdleTimeout, Transport: cfg.Transport})
}

// orNil keeps a nil pointer from becoming an interface that is not nil.
func orNil[C llm.Client](client C, err error) (llm.Client, error) {
	if err != nil {
		return nil, err
	}
	return client, nil
}

// resolve decides the provider and takes its name off the model's.
func resolve(cfg Config) (Config, error) {
	cfg.Provider = strings.ToLower(strings.TrimSpace(cfg.Provider))
	cfg.BaseURL, cfg.APIKey, cfg.Model = strings.TrimSpace(cfg.BaseURL), strings.TrimSpace(cfg.APIKey), strings.TrimSpace(cfg.Model)
	switch cfg.Provider {
	case "", OpenAI, Anthropic, Demo:
	default:
		return cfg, fault.Errorf(fault.Invalid, "LLM_PROVIDER is %q; it must be openai, anthropic or demo (openai also for compatible services, with LLM_BASE_URL)", cfg.Provider)
	}
	if cfg.Verbatim {
		return cfg, nil
	}
	named, rest := split(cfg)
	if named != "" {
		if cfg.Provider != "" && cfg.Provider != named {
			return cfg, fault.Errorf(fault.Invalid, "LLM_PROVIDER is %s, but LLM_MODEL names a model of %s; change one of them", cfg.Provider, named)
		}
		cfg.Provider, cfg.Model = named, rest
	}
	if cfg.Provider == "" && (cfg.APIKey != "" || cfg.BaseURL != "" || cfg.Model != "") {
		cfg.Provider = OpenAI
	}
	if cfg.Provider == "" {
		cfg.Provider = Demo
	}
	return cfg, nil
}

// split takes a provider's name off a model's. "provider:model" is always meant so. "provider/model" only at the
// providers' own addresses: gateways have slashes in the names of their models.
func split(cfg Config) (named, model string) {
	if name, rest, found := strings.Cut(cfg.Model, ":"); found && isProvider(name) {
		return strings.ToLower(name), rest
	}
	if name, rest, found := strings.Cut(cfg.Model, "/"); found && isProvider(name) && cfg.BaseURL == "" {
		return strings.ToLower(name), rest
	}
	if strings.EqualFold(cfg.Model, Demo) && cfg.Provider == "" && cfg.BaseURL == "" {
		return Demo, ""
	}
	return "", cfg.Model
}

func isProvider(name string) bool {
	switch strings.ToLower(name) {
	case OpenAI, Anthropic, Demo:
		return true
	default:
		return false
	}
}

// place names the provider that would be called.
func place(cfg Config) string {
	if cfg.BaseURL != "" {
		return "the service at LLM_BASE_URL"
	}
	return cfg.Provider
}
