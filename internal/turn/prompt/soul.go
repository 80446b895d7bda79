package prompt

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/user/persona"
)

// SoulStore reads the soul files of memories.
type SoulStore interface {
	SoulFiles(ctx context.Context, w chat.MemoryOwner) ([]chat.SoulFile, error)
}

// Soul adds the agent's soul files about the user, if the policy lets it read them.
type Soul struct {
	Store    SoulStore
	Profiles Profiles // nil: there are none
}

var _ Middleware = Soul{}

// Order puts it behind memory.
func (Soul) Order() int { return 125 }

// Name is used in errors.
func (Soul) Name() string { return "soul" }

// Process adds the part, as of the conversation's beginning or last compression. Subagents have none.
func (s Soul) Process(ctx context.Context, a *Assembly) error {
	if s.Profiles == nil {
		return nil
	}
	who, err := a.agentProfile(ctx, s.Profiles)
	if err != nil || !who.Remember.SoulRead || who.Role != nil {
		return err
	}
	var failed error
	a.hold("21_soul", everywhere(a.Scene), func() (string, error) {
		files, err := s.Store.SoulFiles(ctx, chat.MemoryOwner{User: a.Scene.User, Agent: who.Memory()})
		if failed = err; err != nil || len(files) == 0 {
			return "", err
		}
		return soulHead + "\n\n" + persona.Render(files), nil
	})
	if failed != nil {
		return fmt.Errorf("read soul files: %w", failed) // a prompt without them would be used for the whole turn
	}
	return nil
}
