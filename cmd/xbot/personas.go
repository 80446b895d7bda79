package main

import "xbot/internal/persona"

// personas knows who answers in a conversation.
func (p *parts) personas() *persona.Book {
	return &persona.Book{Ledger: p.store, Policies: p.policies, Home: p.home, Log: p.log, Memory: p.memory}
}
