package agentprofile

import (
	"context"

	"xbot/internal/chat"
)

// NotesStore is the store of the notes of agents about users.
type NotesStore interface {
	Memories(ctx context.Context, user chat.UserID, agent string) ([]chat.Note, error)
	SetMemory(ctx context.Context, user chat.UserID, agent, path, content string) error
}

// Notes routes each conversation to the notes of its agent.
type Notes struct {
	Store    NotesStore
	Profiles *Resolver
}

// Memories returns the notes of a session's agent about a user.
func (n Notes) Memories(ctx context.Context, user chat.UserID, session chat.SessionKey) ([]chat.Note, error) {
	p, err := n.Profiles.Of(ctx, session)
	if err != nil {
		return nil, err
	}
	return n.Store.Memories(ctx, user, p.Memory())
}

// SetMemory writes a note of a session's agent about a user, or deletes it if the content is empty.
func (n Notes) SetMemory(ctx context.Context, user chat.UserID, session chat.SessionKey, path, content string) error {
	p, err := n.Profiles.Of(ctx, session)
	if err != nil {
		return err
	}
	return n.Store.SetMemory(ctx, user, p.Memory(), path, content)
}
