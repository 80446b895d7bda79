package modelcall

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/tool/toolset"
)

// Tools returns the tools of conversations.
type Tools interface {
	Of(ctx context.Context, key chat.SessionKey) (*toolset.Set, error)
}
