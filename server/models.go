package server

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/host/safehttp"
	"xbot/internal/llm"
	"xbot/internal/llm/callmetrics"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/provider"
	"xbot/internal/llm/subscription"
	"xbot/internal/secret"
	"xbot/internal/store"
	policies "xbot/internal/turn/policy"
	"xbot/internal/user/preference"
)

// models are what conversations can choose among.
type models struct {
	model     llm.Client // the one that the settings name
	llm       config.LLM
	catalogue *catalogue.Live
	// subscriptions are accounts at providers that users entered.
	subscriptions *subscription.Store
	// toolKeys are the keys of the services that tools use.
	toolKeys *toolkey.Store
}

func newModels(s settings, p *process, db *database) (*models, error) {
	allow, err := safehttp.ParseAllow(s.HTTPAllow)
	if err != nil {
		return nil, err
	}
	m := &models{model: s.model, llm: s.LLM}
	m.subscriptions = &subscription.Store{Rows: db.rows.Subscriptions, Key: db.key, Public: safehttp.NewTransport(allow), Idle: s.RetryTimeout}
	m.toolKeys = &toolkey.Store{Rows: db.rows.ToolKeys, Key: db.key, Public: m.subscriptions.Public, Env: p.env}
	m.catalogue = &catalogue.Live{
		Server: s.model, Config: modelConfig(s.LLM), Limits: limitsOf(s), Price: priceOf(s.LLM), Policies: db.policies, Subscriptions: m.subscriptions, Idle: s.RetryTimeout,
	}
	if s.modelKeys {
		m.catalogue.Env = p.env
	}
	if p.tele != nil { // a command of the operator has none
		calls, err := callmetrics.New(p.tele.Meter())
		if err != nil {
			return nil, err
		}
		m.catalogue.Calls = calls
	}
	return m, nil
}

// preferences returns the settings of users.
func (c *core) preferences() preference.Service {
	return preference.Service{Memory: c.stores.Memory, Notices: c.stores.Notices, Settings: c.stores.Settings, Models: c.models.catalogue}
}

// usual returns the choice of the default model.
func (c *core) usual() choice.Usual {
	return choice.Usual{Models: c.models.catalogue, Settings: c.stores.Settings}
}

// UsualModel makes the default model, as a worker with these settings and this environment would.
func UsualModel(ctx context.Context, cfg config.Serve, rows *store.Store, key *secret.Keyring, env map[string]string) (llm.Client, error) {
	model, err := NewModel(cfg.LLM)
	if err != nil {
		return nil, err
	}
	s := settings{LLM: cfg.LLM, Permissions: cfg.Permissions, model: model, modelKeys: true}
	m, err := newModels(s, &process{env: env}, &database{rows: rows, key: key, policies: &policies.Live{Services: rows.Services, Settings: rows.Settings}})
	if err != nil {
		return nil, err
	}
	id, err := choice.Usual{Models: m.catalogue, Settings: rows.Settings}.Of(ctx, 0)
	if err != nil {
		return nil, err
	}
	known, err := m.catalogue.Get(ctx, 0)
	if err != nil {
		return nil, err
	}
	e, ok := known.Find(id)
	if !ok {
		return nil, fault.Errorf(fault.Invalid, "the policy names the model %s in defaultModel, which is not there", id)
	}
	return m.catalogue.Client(e), nil
}

// priceOf returns the price of the model of the settings; nil: unknown.
func priceOf(cfg config.LLM) *chat.Price {
	input, cached, output, known := cfg.Prices()
	if !known {
		return nil
	}
	return &chat.Price{Input: input, Cached: cached, Output: output}
}

// NewModel makes the model that the settings name.
func NewModel(cfg config.LLM) (llm.Client, error) { return provider.FromConfig(modelConfig(cfg)) }

func modelConfig(cfg config.LLM) provider.Config {
	return provider.Config{
		Provider: cfg.Provider, BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, Model: cfg.Model, IdleTimeout: cfg.RetryTimeout,
	}
}
