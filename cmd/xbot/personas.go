package main

import (
	"xbot/internal/memory"
	"xbot/internal/memory/flat"
	"xbot/internal/persona"
)

// personas knows who answers in a conversation.
func (p *parts) personas() *persona.Book {
	return &persona.Book{Ledger: p.store, Policies: p.policies, Home: p.home, Log: p.log, Memory: p.memory}
}

// memories are how people are remembered, by the provider of each agent.
func (p *parts) memories() persona.Memories {
	return persona.Memories{Book: p.personas(), Providers: map[string]memory.Provider{memory.Flat: flat.Provider{Shelf: p.store}}}
}

// notes are what each agent remembers.
func (p *parts) notes() persona.Notes { return persona.Notes{Shelf: p.store, Book: p.personas()} }
