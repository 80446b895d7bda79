package server

import (
	"xbot/activities"
	"xbot/activities/compress"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
)

// compressor makes the activity that summarizes conversations.
func (p *parts) compressor(models activities.Models, prompts modelcall.Prompts, assembler *modelcall.Assembler, c think) *compress.Compressor {
	out := &compress.Compressor{
		Models: models, Store: p.store, Prompts: prompts, Tools: p.policy.tools, Context: assembler, Rules: p.policy.rules,
		Personas: p.personas(),
		Retry:    modelcall.Retry{Attempts: c.RetryAttempts, Delay: c.RetryDelay, MaxDelay: c.RetryMaxDelay},
		Doing: func(step chat.Step, what string) {
			p.bus.PublishDelta(step.Session, chat.Delta{Turn: step.Turn, Step: step.N, Doing: what})
		},
	}
	if c.Flush == "on" {
		out.Notes, out.Memory = noteTools(p.policy.tools), p.memories()
	}
	return out
}
