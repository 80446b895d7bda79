package main

import (
	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/tool"
)

// compressor makes the activity that summarizes conversations.
func (p *parts) compressor(models activities.Models, prompts activities.Prompts, assembler *activities.Assembler, c think) *activities.Compressor {
	out := &activities.Compressor{
		Models: models, Ledger: p.store, Prompts: prompts, Tools: p.policy.tools, Context: assembler, Rules: p.policy.rules,
		Retry: activities.Retry{Attempts: c.RetryAttempts, Delay: c.RetryDelay, MaxDelay: c.RetryMaxDelay},
		Doing: func(step chat.Step, what string) {
			p.bus.PublishDelta(step.Session, chat.Delta{Turn: step.Turn, Step: step.N, Doing: what})
		},
	}
	if c.Flush == "on" {
		out.Notes = noteTools(p.policy.tools)
	}
	return out
}

// noteTools are the tools with which a model keeps lasting notes, apart from the others.
func noteTools(all *tool.Registry) *tool.Registry {
	var notes []tool.Tool
	for _, name := range []string{"memory_list", "memory_write"} {
		if t, ok := all.Get(name); ok {
			notes = append(notes, t)
		}
	}
	return tool.New(notes...)
}
