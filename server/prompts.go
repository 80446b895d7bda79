package server

import (
	"cmp"
	"path/filepath"

	"xbot/activities/modelcall"
	"xbot/internal/config"
	"xbot/internal/prompt"
)

// TemplatePath is where the operator's template of the system prompt would be.
func TemplatePath(home string, cfg config.Prompt) string {
	return cmp.Or(cfg.File, filepath.Join(home, "prompt.md"))
}

// pipeline is the middlewares that make system prompts.
func (a *agents) pipeline() *prompt.Pipeline {
	return prompt.Standard(prompt.Parts{
		Template: a.template, Home: a.home, Sandboxes: a.boxes, Authorizers: a.authorizers(), Memory: a.memories(), Profiles: a.agentProfiles(), Souls: a.store, Past: a.store, Own: a.store, Roles: a.store,
	})
}

// systemPrompts are the prompts of turns.
func (a *agents) systemPrompts() *modelcall.SystemPrompts {
	return &modelcall.SystemPrompts{Scenes: a.store, Pipeline: a.pipeline(), Tools: a.tools, Log: a.log}
}

// promptViewer shows prompts without a call of a model.
func (a *agents) promptViewer() prompt.Viewer {
	return prompt.Viewer{Scenes: a.store, Pipeline: a.pipeline(), Tools: a.tools}
}
