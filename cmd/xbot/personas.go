package main

import "xbot/internal/persona"

// personas knows who answers in a conversation.
func (p *parts) personas() *persona.Book {
	return &persona.Book{Ledger: p.store, Policies: p.policies, Home: p.home, Log: p.log}
}

// notes are what each agent remembers.
func (p *parts) notes() persona.Notes { return persona.Notes{Shelf: p.store, Book: p.personas()} }
