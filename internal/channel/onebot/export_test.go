package onebot

import (
	"time"

	"xbot/internal/channel"
)

// Hasty dials again soon, however often it is cut off at once.
func Hasty(a channel.Account) {
	if f, dials := a.(*forward); dials {
		f.cool = 60 * time.Millisecond
	}
}

// Impatient lets an event fail for as long only.
func Impatient(a channel.Account, d time.Duration) { a.(*forward).patience = d }
