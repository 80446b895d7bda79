package server

import (
	"xbot/activities/compress"
	"xbot/activities/memorize"
	"xbot/activities/modelcall"
	"xbot/server/livefeed"
)

// compressor makes the activity that summarizes conversations.
func (w *workerPart) compressor(prompts modelcall.Prompts, assembler *modelcall.Assembler) *compress.Compressor {
	out := &compress.Compressor{
		Models: w.choice, Store: w.store, Prompts: prompts, Tools: w.tools, Context: assembler, Authorizers: w.authorizers(),
		Profiles: w.agentProfiles(),
		Retry:    modelcall.Retry{Attempts: w.llm.RetryAttempts, Delay: w.llm.RetryDelay, MaxDelay: w.llm.RetryMaxDelay},
		Progress: livefeed.Feed{Bus: w.bus},
	}
	if w.context.Flush == "on" {
		out.Notes, out.Memory = noteTools(w.tools.Builtin), w.memories()
	}
	return out
}

// memorizer makes the activity that puts conversations into memory.
func (w *workerPart) memorizer(assembler *modelcall.Assembler) *memorize.Memorizer {
	return &memorize.Memorizer{
		Jobs: w.store, Models: w.choice, Memory: w.memories(), Budget: assembler.Budget,
		Retry: modelcall.Retry{Attempts: w.llm.RetryAttempts, Delay: w.llm.RetryDelay, MaxDelay: w.llm.RetryMaxDelay},
	}
}
