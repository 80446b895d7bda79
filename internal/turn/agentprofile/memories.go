package agentprofile

import (
	"context"
	"errors"
	"fmt"

	"xbot/internal/fault"
	"xbot/internal/memory"
)

// Memories routes each conversation to the memory of its agent, at the provider that the policy names. It is a memory.Provider itself.
type Memories struct {
	Profiles  *Resolver
	Providers map[string]memory.Provider // by name
}

var _ memory.Provider = Memories{}

// Recall implements memory.Recaller.
func (m Memories) Recall(ctx context.Context, q memory.Query) (string, error) {
	who, err := m.Profiles.Of(ctx, q.Session)
	if err != nil {
		return "", err
	}
	p, err := m.of(who)
	if err != nil {
		return "", err
	}
	q.Agent = who.Memory()
	return p.Recall(ctx, q)
}

// Memorize implements memory.Provider.
func (m Memories) Memorize(ctx context.Context, in memory.MemorizeInput) (memory.MemorizeResult, error) {
	who, err := m.Profiles.Of(ctx, in.Session)
	if err != nil {
		return memory.MemorizeResult{}, err
	}
	p, err := m.of(who)
	if err != nil {
		return memory.MemorizeResult{}, err
	}
	in.Agent = who.Memory()
	return p.Memorize(ctx, in)
}

func (m Memories) of(who Profile) (memory.Provider, error) {
	if p, ok := m.Providers[who.Provider]; ok {
		return p, nil
	}
	return nil, fault.Errorf(fault.Internal, "there is no memory provider %q", who.Provider)
}

// Close implements memory.Provider.
func (m Memories) Close() error {
	var all error
	for name, p := range m.Providers {
		if err := p.Close(); err != nil {
			all = errors.Join(all, fmt.Errorf("close the memory %s: %w", name, err))
		}
	}
	return all
}
