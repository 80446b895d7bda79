package server

import "xbot/activities"

// memorizer makes the activity that puts conversations into memory.
func (p *parts) memorizer(models activities.Models, assembler *activities.Assembler, c think) *activities.Memorizer {
	return &activities.Memorizer{
		Jobs: p.store, Models: models, Memory: p.memories(), Budget: assembler.Budget,
		Retry: activities.Retry{Attempts: c.RetryAttempts, Delay: c.RetryDelay, MaxDelay: c.RetryMaxDelay},
	}
}
