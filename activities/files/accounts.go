package files

import (
	"context"

	"xbot/internal/channel"
)

// Accounts returns the configured accounts of bots. The error is NotFound for an account that does not exist, and Unavailable for one that is
// disabled.
type Accounts interface {
	Account(ctx context.Context, channel, account string) (channel.Account, error)
}
