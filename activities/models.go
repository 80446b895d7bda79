package activities

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/llm"
)

// Models finds the model that answers in a session. It does not call it.
type Models interface {
	For(ctx context.Context, key chat.SessionKey) (llm.Client, error)
}
