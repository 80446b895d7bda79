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

// memories have the parts of long-term memory.
type memories struct {
	provider string // of memory where the policy names none
	archive  *archive.Archive
	embedder embed.Embedder // nil: none
}

func newMemories(s settings, c *core) (*memories, error) {
	e, err := newEmbedder(s.Memory)
	if err != nil {
		return nil, err
	}
	return &memories{s.MemoryProvider, newArchive(c.stores, e, s.Memory, c.proc.log), e}, nil
}

// newEmbedder returns the embedder of the settings, or nil if no embedding model is set.
func newEmbedder(cfg config.Memory) (embed.Embedder, error) {
	if cfg.EmbeddingModel == "" {
		return nil, nil
	}
	return embed.New(embed.Config{
		Provider: cfg.EmbeddingProvider, BaseURL: cfg.EmbeddingBaseURL, APIKey: cfg.EmbeddingAPIKey, Model: cfg.EmbeddingModel, MaxTokens: cfg.EmbeddingMaxTokens,
	})
}

// newArchive makes the searchable memory, with embeddings where e is not nil.
func newArchive(s *store.Store, e embed.Embedder, cfg config.Memory, log *slog.Logger) *archive.Archive {
	a := archive.New(s.Memory, e, log)
	a.Compress = e != nil && cfg.EmbeddingOverlong == "compress"
	return a
}

// catchUp makes the embeddings of archives that are missing, until ctx ends.
func (a *agents) catchUp(ctx context.Context) error {
	if !a.core.memory.archive.Compress {
		return a.core.memory.archive.Run(ctx, nil)
	}
	return a.core.memory.archive.Run(ctx, digest.Digester{
		Memory: a.core.stores.Memory, Usage: a.core.stores.Usage, Models: a.choice, Limits: limits.Table{Others: a.core.models.catalogue},
	})
}

// indexWords indexes by words what an older xbot has stored.
func (c *core) indexWords(ctx context.Context) error {
	return c.stores.Search.IndexWords(ctx, c.proc.log)
}

// remembered reads the memories of users.
func (c *core) remembered() view.View {
	return view.View{Conversations: c.stores.Conversations, Memory: c.stores.Memory, Settings: c.stores.Settings, Policies: c.db.policies}
}

// agentProfiles returns the resolver of agent profiles.
func (c *core) agentProfiles() *agentprofile.Resolver {
	return &agentprofile.Resolver{
		Subagents: c.stores.Agents, Settings: c.stores.Settings, Policies: c.db.policies, Home: c.proc.home, Log: c.proc.log,
		Memory: c.memory.provider,
	}
}

// memories returns the memory providers of agents.
func (c *core) memories() agentprofile.Memories {
	return agentprofile.Memories{Profiles: c.agentProfiles(), Providers: map[string]memory.Provider{
		memory.Flat:  flat.Provider{Store: c.stores.Memory},
		memory.Letta: letta.Provider{Store: c.stores.Memory, Archive: c.memory.archive},
	}}
}

// notes returns the memories of each agent.
func (c *core) notes() agentprofile.Notes {
	return agentprofile.Notes{Store: c.stores.Memory, Profiles: c.agentProfiles()}
}

// lettaTools returns the tools of memories that letta keeps.
func (c *core) lettaTools() []tool.Tool {
	stores := c.stores
	who := c.agentProfiles()
	return []tool.Tool{
		toolletta.NewAppend(who, stores.Memory), toolletta.NewReplace(who, stores.Memory), toolletta.NewRethink(who, stores.Memory),
		toolletta.NewInsert(who, c.memory.archive, stores.Turns), toolletta.NewSearch(who, c.memory.archive, stores.Turns), toolletta.NewRecall(agentprofile.Past{Memory: stores.Memory, Search: stores.Search, Profiles: who}, stores.Turns),
	}
}

// soulTools returns the tools for soul files, for a user's other conversations, and for those of consumers. The policy decides who has them.
func (c *core) soulTools() []tool.Tool {
	stores := c.stores
	who := c.agentProfiles()
	past := agentprofile.Past{Memory: stores.Memory, Search: stores.Search, Profiles: who}
	return append(consumers.Tools(stores.Services, stores.Turns),
		toolsoul.NewList(who, stores.Memory, stores.Turns), toolsoul.NewRead(who, stores.Memory), toolsoul.NewWrite(who, stores.Memory), toolsoul.NewDelete(who, stores.Memory),
		conversation.NewList(past, stores.Turns), conversation.NewRead(past, stores.Turns),
	)
}

// noteTools returns the tools with which a model stores lasting facts, apart from the others.
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
