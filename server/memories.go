package server

import (
	"context"
	"log/slog"

	"xbot/internal/agentprofile"
	"xbot/internal/config"
	"xbot/internal/memory"
	"xbot/internal/memory/archive"
	"xbot/internal/memory/digest"
	"xbot/internal/memory/embed"
	"xbot/internal/memory/flat"
	"xbot/internal/memory/letta"
	"xbot/internal/store"
	"xbot/internal/tool"
	"xbot/internal/tool/conversation"
	toolletta "xbot/internal/tool/letta"
	toolsoul "xbot/internal/tool/soul"
)

// newArchive makes what is searched of memory, with embeddings where a model is set.
func newArchive(s *store.Store, cfg config.Memory, log *slog.Logger) (*archive.Archive, error) {
	if cfg.EmbeddingModel == "" {
		return archive.New(s, nil, log), nil
	}
	e, err := embed.New(embed.Config{
		Provider: cfg.EmbeddingProvider, BaseURL: cfg.EmbeddingBaseURL, APIKey: cfg.EmbeddingAPIKey, Model: cfg.EmbeddingModel, MaxTokens: cfg.EmbeddingMaxTokens,
	})
	if err != nil {
		return nil, err
	}
	a := archive.New(s, e, log)
	a.Compress = cfg.EmbeddingOverlong == "compress"
	return a, nil
}

// catchUp makes the embeddings of archives that are missing, until ctx ends.
func (p *parts) catchUp(ctx context.Context, models digest.Models) error {
	if !p.archive.Compress {
		return p.archive.Run(ctx, nil)
	}
	return p.archive.Run(ctx, digest.Digester{Store: p.store, Models: models, Limits: p.models})
}

// memories are how people are remembered, by the provider of each agent.
func (p *parts) memories() agentprofile.Memories {
	return agentprofile.Memories{Profiles: p.personas(), Providers: map[string]memory.Provider{
		memory.Flat:  flat.Provider{Store: p.store},
		memory.Letta: letta.Provider{Store: p.store, Archive: p.archive},
	}}
}

// notes are what each agent remembers.
func (p *parts) notes() agentprofile.Notes {
	return agentprofile.Notes{Store: p.store, Profiles: p.personas()}
}

// lettaTools are the tools of memories that letta keeps.
func (p *parts) lettaTools() []tool.Tool {
	who := p.personas()
	return []tool.Tool{
		toolletta.NewAppend(who, p.store), toolletta.NewReplace(who, p.store), toolletta.NewRethink(who, p.store),
		toolletta.NewInsert(who, p.archive), toolletta.NewSearch(who, p.archive), toolletta.NewRecall(agentprofile.Past{Said: p.store, Profiles: who}),
	}
}

// soulTools are the tools for soul files and for a person's other conversations. Who has them the policy says.
func (p *parts) soulTools() []tool.Tool {
	who := p.personas()
	past := agentprofile.Past{Said: p.store, Profiles: who}
	return []tool.Tool{
		toolsoul.NewList(who, p.store), toolsoul.NewRead(who, p.store), toolsoul.NewWrite(who, p.store), toolsoul.NewDelete(who, p.store),
		conversation.NewList(past), conversation.NewRead(past),
	}
}

// noteTools are the tools with which a model keeps what is lasting, apart from the others.
func noteTools(all *tool.Registry) *tool.Registry {
	var notes []tool.Tool
	for _, spec := range all.Specs() {
		if _, ok := memory.ProviderOf(spec.Name); !ok {
			continue
		}
		if t, ok := all.Get(spec.Name); ok {
			notes = append(notes, t)
		}
	}
	return tool.New(notes...)
}
