package agentprofile

import (
	"context"

	"xbot/internal/chat"
)

// Whose returns the memory that a session of a user reads and writes.
func (b *Resolver) Whose(ctx context.Context, user chat.UserID, session chat.SessionKey) (chat.Whose, error) {
	p, err := b.Of(ctx, session)
	if err != nil {
		return chat.Whose{}, err
	}
	return chat.Whose{User: user, Agent: p.Memory()}, nil
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
		out.Only = nil // also those that no policy names any more
		return out, nil
	}
	out.Except = nil
	return out, nil
}

// Said keeps what was said in conversations.
type Said interface {
	Recollect(ctx context.Context, w chat.Whose, here chat.SessionKey, q chat.Recollect) ([]chat.Recollected, error)
	Conversations(ctx context.Context, owner chat.UserID, with chat.Agents, n int) ([]chat.Conversation, error)
	Conversation(ctx context.Context, owner chat.UserID, with chat.Agents, key chat.SessionKey, before chat.MessageID, n int) ([]chat.Recollected, error)
}

// Past gives each conversation what was said in others with the same memory.
type Past struct {
	Said     Said
	Profiles *Resolver
}

// Recollect returns what meets a question best: entries of the log, then messages.
func (p Past) Recollect(ctx context.Context, user chat.UserID, session chat.SessionKey, q chat.Recollect) ([]chat.Recollected, error) {
	w, err := p.Profiles.Whose(ctx, user, session)
	if err != nil {
		return nil, err
	}
	if q.Agents, err = p.Profiles.Agents(ctx, w.Agent); err != nil {
		return nil, err
	}
	return p.Said.Recollect(ctx, w, session, q)
}

// Conversations lists those that were used last.
func (p Past) Conversations(ctx context.Context, user chat.UserID, session chat.SessionKey, n int) ([]chat.Conversation, error) {
	with, err := p.with(ctx, user, session)
	if err != nil {
		return nil, err
	}
	return p.Said.Conversations(ctx, user, with, n)
}

// Conversation reads one of them, from its end or before a message. There is nothing in one that is not among them.
func (p Past) Conversation(ctx context.Context, user chat.UserID, session, key chat.SessionKey, before chat.MessageID, n int) ([]chat.Recollected, error) {
	with, err := p.with(ctx, user, session)
	if err != nil {
		return nil, err
	}
	return p.Said.Conversation(ctx, user, with, key, before, n)
}

// with are the agents whose memory a session has.
func (p Past) with(ctx context.Context, user chat.UserID, session chat.SessionKey) (chat.Agents, error) {
	w, err := p.Profiles.Whose(ctx, user, session)
	if err != nil {
		return chat.Agents{}, err
	}
	return p.Profiles.Agents(ctx, w.Agent)
}
