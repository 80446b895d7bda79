package agentprofile

import (
	"context"

	"xbot/internal/chat"
)

// MemoryOwner returns the memory that a session of a user reads and writes.
func (b *Resolver) MemoryOwner(ctx context.Context, user chat.UserID, session chat.SessionKey) (chat.MemoryOwner, error) {
	p, err := b.Of(ctx, session)
	if err != nil {
		return chat.MemoryOwner{}, err
	}
	return chat.MemoryOwner{User: user, Agent: p.Memory()}, nil
}

// Agents returns the agents that share a memory. Conversations whose agent is gone are the default agent's.
func (b *Resolver) Agents(ctx context.Context, memory string) (chat.Agents, error) {
	p, err := b.Policies.Get(ctx)
	if err != nil {
		return chat.Agents{}, err
	}
	var out chat.Agents
	for _, a := range p.Agents.List {
		if (Profile{Agent: a}).Memory() == memory {
			out.Only = append(out.Only, a.ID)
		} else {
			out.Except = append(out.Except, a.ID)
		}
	}
	if (Profile{Agent: p.Agent("")}).Memory() == memory {
		out.Only = nil // also the agents that no policy names any more
		return out, nil
	}
	out.Except = nil
	return out, nil
}

// Past searches the other conversations that share a conversation's memory.
type Past struct {
	Memory   Memory
	Search   Search
	Profiles *Resolver
}

// SearchPast returns the best matches for a question: entries of the log, then messages.
func (p Past) SearchPast(ctx context.Context, user chat.UserID, session chat.SessionKey, q chat.PastQuery) ([]chat.PastEntry, error) {
	w, err := p.Profiles.MemoryOwner(ctx, user, session)
	if err != nil {
		return nil, err
	}
	if q.Agents, err = p.Profiles.Agents(ctx, w.Agent); err != nil {
		return nil, err
	}
	return p.Memory.SearchPast(ctx, w, session, q)
}

// Conversations lists the last used ones.
func (p Past) Conversations(ctx context.Context, user chat.UserID, session chat.SessionKey, n int) ([]chat.Conversation, error) {
	with, err := p.with(ctx, user, session)
	if err != nil {
		return nil, err
	}
	return p.Search.Conversations(ctx, user, with, n)
}

// Conversation reads one of them, from its end or before a message. The result is empty for a conversation that is not among them.
func (p Past) Conversation(ctx context.Context, user chat.UserID, session, key chat.SessionKey, before chat.MessageID, n int) ([]chat.PastEntry, error) {
	with, err := p.with(ctx, user, session)
	if err != nil {
		return nil, err
	}
	return p.Search.Conversation(ctx, user, with, key, before, n)
}

// with returns the agents that share the memory of a session.
func (p Past) with(ctx context.Context, user chat.UserID, session chat.SessionKey) (chat.Agents, error) {
	w, err := p.Profiles.MemoryOwner(ctx, user, session)
	if err != nil {
		return chat.Agents{}, err
	}
	return p.Profiles.Agents(ctx, w.Agent)
}
