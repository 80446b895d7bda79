package channel

import (
	"context"
)

// Signs counts the signs of life of accounts, over all processes.
type Signs interface {
	// SpendSign reports whether one more may be shown, where budget of them may be in an hour.
	SpendSign(ctx context.Context, channel, account string, budget int) (bool, error)
}

// MaySign reports whether an account may show one more sign of life (Traits.Signs), and counts it where they are bounded. A count
// that cannot be kept permits none.
func MaySign(ctx context.Context, signs Signs, channel, account string, t Traits) bool {
	switch {
	case t.Signs == 0:
		return true
	case t.Signs < 0 || signs == nil:
		return false
	}
	may, err := signs.SpendSign(ctx, channel, account, t.Signs)
	return err == nil && may
}
