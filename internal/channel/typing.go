package channel

import (
	"context"
)

// Signs counts the progress calls of accounts, over all processes.
type Signs interface {
	// SpendSign reports whether one more may be made, where budget of them may be made in an hour.
	SpendSign(ctx context.Context, channel, account string, budget int) (bool, error)
}

// MaySign reports whether an account may make one more progress call (Traits.Signs), and counts it if they are bounded. If the
// count cannot be stored, it returns false.
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
