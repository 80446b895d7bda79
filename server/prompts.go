package server

import (
	"cmp"
	"path/filepath"

	"xbot/activities/modelcall"
	"xbot/ingress"
	"xbot/internal/config"
	"xbot/internal/prompt"
	"xbot/internal/sandbox/resolver"
)

// TemplatePath is where the operator's template of the system prompt would be.
func TemplatePath(home string, cfg config.Prompt) string {
	return cmp.Or(cfg.File, filepath.Join(home, "prompt.md"))
}

// pipeline is the middlewares that make system prompts.
func (p *parts) pipeline(boxes *resolver.Resolver) *prompt.Pipeline {
	return prompt.Standard(prompt.Parts{
		Template: p.template, Home: p.home, Places: boxes, Rules: p.policy.rules, Memory: p.memories(), Personas: p.personas(), Souls: p.store, Past: p.store,
	})
}

// systemPrompts are the prompts of turns.
func (p *parts) systemPrompts(boxes *resolver.Resolver) *modelcall.SystemPrompts {
	return &modelcall.SystemPrompts{Scenes: p.store, Pipeline: p.pipeline(boxes), Tools: p.policy.tools, Personas: p.personas(), Log: p.log}
}

// promptCommands are the commands about prompts.
func (in *ingressPart) promptCommands() []ingress.Command {
	return ingress.PromptCommands(prompt.Viewer{Scenes: in.store, Pipeline: in.pipeline(in.boxes), Tools: in.policy.tools.Specs(), Personas: in.personas()}, in.store)
}
