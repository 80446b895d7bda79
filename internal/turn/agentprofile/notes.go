package agentprofile

import (
	"context"

	"xbot/internal/chat"
)

// NotesStore keeps the notes of agents about people.
type NotesStore interface {
	Memories(ctx context.Context, user chat.UserID, agent string) ([]chat.Note, error)
	SetMemory(ctx context.Context, user chat.UserID, agent, path, content string) error
}

// Notes gives each conversation the notes of its agent.
type Notes struct {
	Store    NotesStore
	Profiles *Resolver
}

// Memories returns the notes about a person that the agent of a session has.
func (n Notes) Memories(ctx context.Context, user chat.UserID, session chat.SessionKey) ([]chat.Note, error) {
	p, err := n.Profiles.Of(ctx, session)
	if err != nil {
		return nil, err
	}
	return n.Store.Memories(ctx, user, p.Memory())
}

// SetMemory writes a note about a person for the agent of a session, or deletes it if the content is empty.
func (n Notes) SetMemory(ctx context.Context, user chat.UserID, session chat.SessionKey, path, content string) error {
	p, err := n.Profiles.Of(ctx, session)
	if err != nil {
		return err
	}
	return n.Store.SetMemory(ctx, user, p.Memory(), path, content)
}
