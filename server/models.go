package server

import (
	"xbot/internal/config"
	"xbot/internal/llm"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/provider"
	"xbot/internal/usage"
)

// models are what conversations can choose among.
type models struct {
	model     llm.Client // the one that the settings name
	llm       config.LLM
	catalogue *catalogue.Live
}

func newModels(s settings, p *process, db *database) *models {
	live := &catalogue.Live{Server: s.model, Config: modelConfig(s.LLM), Limits: limitsOf(s), Policies: db.policies, Idle: s.RetryTimeout}
	if s.modelKeys {
		live.Env = p.env
	}
	return &models{model: s.model, llm: s.LLM, catalogue: live}
}

// prices are what the model of the settings costs.
func (m *models) prices() usage.Prices {
	input, cached, output, known := m.llm.Prices()
	return usage.Prices{Model: m.model.Model(), Known: known, Input: input, Cached: cached, Output: output}
}

// NewModel makes the model that the settings name.
func NewModel(cfg config.LLM) (llm.Client, error) { return provider.FromConfig(modelConfig(cfg)) }

func modelConfig(cfg config.LLM) provider.Config {
	return provider.Config{
		Provider: cfg.Provider, BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, Model: cfg.Model, IdleTimeout: cfg.RetryTimeout,
	}
}
