package server

import (
	"xbot/activities"
	"xbot/activities/memorize"
	"xbot/activities/modelcall"
)

// memorizer makes the activity that puts conversations into memory.
func (p *parts) memorizer(models activities.Models, assembler *modelcall.Assembler, c think) *memorize.Memorizer {
	return &memorize.Memorizer{
		Jobs: p.store, Models: models, Memory: p.memories(), Budget: assembler.Budget,
		Retry: modelcall.Retry{Attempts: c.RetryAttempts, Delay: c.RetryDelay, MaxDelay: c.RetryMaxDelay},
	}
}
