package main

import (
	"cmp"
	"context"
	"path/filepath"

	"xbot/activities"
	"xbot/ingress"
	"xbot/internal/config"
	"xbot/internal/prompt"
	"xbot/internal/sandbox/resolver"
)

// templatePath is where the operator's template of the system prompt would be.
func templatePath(home string, cfg config.Prompt) string {
	return cmp.Or(cfg.File, filepath.Join(home, "prompt.md"))
}

// pipeline is the middlewares that make system prompts.
func (p *parts) pipeline(boxes *resolver.Resolver) *prompt.Pipeline {
	return prompt.Standard(prompt.Parts{
		Template: p.template, Home: p.home, Places: boxes, Rules: p.policy.rules, Memory: p.memories(), Personas: p.personas(), Souls: p.store, Past: p.store,
	})
}

// systemPrompts are the prompts of turns.
func (p *parts) systemPrompts(boxes *resolver.Resolver) *activities.SystemPrompts {
	return &activities.SystemPrompts{Scenes: p.store, Pipeline: p.pipeline(boxes), Tools: p.policy.tools, Personas: p.personas(), Log: p.log}
}

// promptCommands are the commands about prompts.
func (in *ingressPart) promptCommands() []ingress.Command {
	return ingress.PromptCommands(prompt.Viewer{Scenes: in.store, Pipeline: in.pipeline(in.boxes), Tools: in.policy.tools.Specs(), Personas: in.personas()}, in.store)
}

// lookPrompt tries the template of the system prompt.
func lookPrompt(_ context.Context, d *patient) (string, error) {
	return prompt.NewTemplate(templatePath(d.cfg.Dir, d.cfg.Prompt), discardLog()).Check()
}
