// Package memory is the port of what is remembered of a person beyond one conversation (spec/001 §4.2).
package memory

import (
	"context"

	"xbot/internal/chat"
)

// Query says for whom, and what for, memory is asked.
type Query struct {
	User    chat.UserID
	Session chat.SessionKey
	Text    string // what the person wrote, where it is known; a provider may rank by it
}

// Provider keeps memory. What it says of one person never reaches another.
type Provider interface {
	// Recall returns what a prompt should hold, bounded; empty: nothing is remembered.
	Recall(ctx context.Context, q Query) (string, error)
}
