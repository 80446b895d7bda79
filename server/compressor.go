package server

import (
	"xbot/activities"
	"xbot/internal/chat"
)

// compressor makes the activity that summarizes conversations.
func (p *parts) compressor(models activities.Models, prompts activities.Prompts, assembler *activities.Assembler, c think) *activities.Compressor {
	out := &activities.Compressor{
		Models: models, Store: p.store, Prompts: prompts, Tools: p.policy.tools, Context: assembler, Rules: p.policy.rules,
		Personas: p.personas(),
		Retry:    activities.Retry{Attempts: c.RetryAttempts, Delay: c.RetryDelay, MaxDelay: c.RetryMaxDelay},
		Doing: func(step chat.Step, what string) {
			p.bus.PublishDelta(step.Session, chat.Delta{Turn: step.Turn, Step: step.N, Doing: what})
		},
	}
	if c.Flush == "on" {
		out.Notes, out.Memory = noteTools(p.policy.tools), p.memories()
	}
	return out
}
