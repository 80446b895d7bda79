package server

import (
	"cmp"
	"context"
	"path/filepath"

	"xbot/activities/modelcall"
	"xbot/internal/extension/mcp"
	"xbot/internal/host/config"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/prompt/serviceprompt"
)

// TemplatePath returns where the operator's template of the system prompt would be.
func TemplatePath(home string, cfg config.Prompt) string {
	return cmp.Or(cfg.File, filepath.Join(home, "prompt.md"))
}

// pipeline returns the middlewares that make system prompts.
func (a *agents) pipeline() *prompt.Pipeline {
	stores := a.core.stores
	return prompt.Standard(prompt.Parts{
		Template: a.core.template, Home: a.core.proc.home, Sandboxes: a.boxes, Authorizers: a.authorizers(), Memory: a.core.memories(), Profiles: a.core.agentProfiles(), Souls: stores.Memory, Past: stores.Search, Own: stores.Prompts, Roles: stores.Roles,
		Installed: a.core.installed(), Disabled: disabledSkills{a.core.db.policies}, Consents: a.core.consents(),
		Enrichers: []prompt.Enricher{serverInstructions{a.core.mcp.offered, stores.Settings}, pluginTexts{a.added}},
		Outside:   prompt.NewPipeline(serviceprompt.Prompt{Quota: stores.Quota, Services: stores.Services, Template: a.core.template}),
	})
}

// serverInstructions gives models the instructions that the owners of MCP servers wrote for them.
type serverInstructions struct {
	offered *mcp.Source
	store   toolset.Settings
}

// Name is for the log.
func (serverInstructions) Name() string { return "MCP servers" }

// Enrich implements prompt.Enricher. It adds nothing for a user who may use none of the tools.
func (s serverInstructions) Enrich(ctx context.Context, a *prompt.Assembly) (string, error) {
	if len(a.Tools.Optional()) == 0 {
		return "", nil
	}
	at, err := toolset.PlaceOf(ctx, s.store, a.Scene.Session)
	if err != nil {
		return "", err
	}
	return s.offered.Instructions(ctx, at)
}

// systemPrompts returns the prompts of turns.
func (a *agents) systemPrompts() *modelcall.SystemPrompts {
	return &modelcall.SystemPrompts{Scenes: a.core.stores.Turns, Pipeline: a.pipeline(), Tools: a.tools, Log: a.core.proc.log}
}

// promptViewer shows prompts without a call of a model.
func (a *agents) promptViewer() prompt.Viewer {
	return prompt.Viewer{Scenes: a.core.stores.Turns, Pipeline: a.pipeline(), Tools: a.tools}
}
