package server

import (
	"context"
	"log/slog"

	"xbot/internal/host/config"
	"xbot/internal/llm/limits"
	"xbot/internal/memory"
	"xbot/internal/memory/archive"
	"xbot/internal/memory/digest"
	"xbot/internal/memory/embed"
	"xbot/internal/memory/flat"
	"xbot/internal/memory/letta"
	"xbot/internal/memory/view"
	"xbot/internal/store"
	"xbot/internal/tool"
	"xbot/internal/tool/consumers"
	"xbot/internal/tool/conversation"
	toolletta "xbot/internal/tool/letta"
	toolsoul "xbot/internal/tool/soul"
	"xbot/internal/turn/agentprofile"
)

// newEmbedder makes embeddings; nil: no model is set for them.
func newEmbedder(cfg config.Memory) (embed.Embedder, error) {
	if cfg.EmbeddingModel == "" {
		return nil, nil
	}
	return embed.New(embed.Config{
		Provider: cfg.EmbeddingProvider, BaseURL: cfg.EmbeddingBaseURL, APIKey: cfg.EmbeddingAPIKey, Model: cfg.EmbeddingModel, MaxTokens: cfg.EmbeddingMaxTokens,
	})
}

// newArchive makes what is searched of memory, with embeddings where e is not nil.
func newArchive(s *store.Store, e embed.Embedder, cfg config.Memory, log *slog.Logger) *archive.Archive {
	a := archive.New(s.Memory, e, log)
	a.Compress = e != nil && cfg.EmbeddingOverlong == "compress"
	return a
}

// catchUp makes the embeddings of archives that are missing, until ctx ends.
func (a *agents) catchUp(ctx context.Context) error {
	if !a.core.storage.archive.Compress {
		return a.core.storage.archive.Run(ctx, nil)
	}
	return a.core.storage.archive.Run(ctx, digest.Digester{Memory: a.core.storage.store.Memory, Usage: a.core.storage.store.Usage, Models: a.choice, Limits: limits.Table{Others: a.core.models.catalogue}})
}

// indexWords indexes by words what an older xbot has stored.
func (c *core) indexWords(ctx context.Context) error {
	return c.storage.store.Search.IndexWords(ctx, c.proc.log)
}

// remembered is what is remembered of people.
func (c *core) remembered() view.View {
	return view.View{Conversations: c.storage.store.Conversations, Memory: c.storage.store.Memory, Settings: c.storage.store.Settings, Policies: c.db.policies}
}

// agentProfiles knows who answers in a conversation.
func (c *core) agentProfiles() *agentprofile.Resolver {
	return &agentprofile.Resolver{Subagents: c.storage.store.Agents, Settings: c.storage.store.Settings, Policies: c.db.policies, Home: c.proc.home, Log: c.proc.log, Memory: c.memory}
}

// memories are how people are remembered, by the provider of each agent.
func (c *core) memories() agentprofile.Memories {
	return agentprofile.Memories{Profiles: c.agentProfiles(), Providers: map[string]memory.Provider{
		memory.Flat:  flat.Provider{Store: c.storage.store.Memory},
		memory.Letta: letta.Provider{Store: c.storage.store.Memory, Archive: c.storage.archive},
	}}
}

// notes are what each agent remembers.
func (c *core) notes() agentprofile.Notes {
	return agentprofile.Notes{Store: c.storage.store.Memory, Profiles: c.agentProfiles()}
}

// lettaTools are the tools of memories that letta keeps.
func (c *core) lettaTools() []tool.Tool {
	who := c.agentProfiles()
	return []tool.Tool{
		toolletta.NewAppend(who, c.storage.store.Memory), toolletta.NewReplace(who, c.storage.store.Memory), toolletta.NewRethink(who, c.storage.store.Memory),
		toolletta.NewInsert(who, c.storage.archive, c.storage.store.Turns), toolletta.NewSearch(who, c.storage.archive, c.storage.store.Turns), toolletta.NewRecall(agentprofile.Past{Memory: c.storage.store.Memory, Search: c.storage.store.Search, Profiles: who}, c.storage.store.Turns),
	}
}

// soulTools are the tools for soul files, for a person's other conversations, and for those of consumers. Who has them the policy says.
func (c *core) soulTools() []tool.Tool {
	who := c.agentProfiles()
	past := agentprofile.Past{Memory: c.storage.store.Memory, Search: c.storage.store.Search, Profiles: who}
	return append(consumers.Tools(c.storage.store.Services, c.storage.store.Turns),
		toolsoul.NewList(who, c.storage.store.Memory, c.storage.store.Turns), toolsoul.NewRead(who, c.storage.store.Memory), toolsoul.NewWrite(who, c.storage.store.Memory), toolsoul.NewDelete(who, c.storage.store.Memory),
		conversation.NewList(past, c.storage.store.Turns), conversation.NewRead(past, c.storage.store.Turns),
	)
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
