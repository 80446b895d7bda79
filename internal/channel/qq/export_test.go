package qq

import (
	"time"

	"xbot/internal/channel"
)

// Hasten makes an account connect and try again without the pauses that the platform deserves.
func Hasten(a channel.Account) {
	q := a.(*Account)
	q.pace = pace{
		first: 5 * time.Millisecond, most: 50 * time.Millisecond, quick: 20 * time.Millisecond, cool: 60 * time.Millisecond,
		retry: 5 * time.Millisecond, patience: 10 * time.Second, save: 5 * time.Millisecond,
	}
}

// Impatient lets an event fail for as long only.
func Impatient(a channel.Account, d time.Duration) { a.(*Account).pace.patience = d }

// Saves lets the place in the stream be saved so seldom.
func Saves(a channel.Account, every time.Duration) { a.(*Account).pace.save = every }
