package activities

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/prompt"
)

// Prompts makes the system prompts of turns.
type Prompts interface {
	// System returns the system prompt of a step: that of its turn, rendered at the turn's first step and the same bytes
	// in all steps and attempts that follow.
	System(ctx context.Context, step chat.Step) (string, error)
}

// BasePrompt answers with the prompt that comes with the program and nothing more.
type BasePrompt struct{}

var _ Prompts = BasePrompt{}

// System returns prompt.Base.
func (BasePrompt) System(context.Context, chat.Step) (string, error) { return prompt.Base(), nil }
