package prompt

import (
	"context"

	"xbot/internal/memory"
)

// Memory adds the memory about the user, if the agent has any.
type Memory struct {
	Provider memory.Recaller
	Profiles Profiles // nil: all have memory
}

var _ Middleware = Memory{}

// Order returns the position of the section.
func (Memory) Order() int { return 120 }

// Name is used in errors.
func (Memory) Name() string { return "memory" }

// Process adds the part. Memory is as of the conversation's beginning or last compression: later entries are in the conversation itself.
func (m Memory) Process(ctx context.Context, a *Assembly) error {
	if m.Profiles != nil {
		if who, err := a.agentProfile(ctx, m.Profiles); err != nil || !who.Remembers() {
			return err
		}
	}
	var failed error
	a.hold("20_memory", everywhere(a.Scene), func() (string, error) {
		text, err := m.Provider.Recall(ctx, memory.Query{User: a.Scene.User, Session: a.Scene.Session, Text: a.Text})
		failed = err
		if text == "" || err != nil {
			return "", err
		}
		return memoryHead + "\n\n" + text, nil
	})
	return failed // a prompt without its memory would be used for the whole turn
}
