package files

import (
	"context"

	"xbot/internal/channel"
)

// Accounts are the bots that are configured. An account that there is not is NotFound; one that is switched off is Unavailable.
type Accounts interface {
	Account(ctx context.Context, channel, account string) (channel.Account, error)
}
