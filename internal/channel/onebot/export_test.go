package onebot

import (
	"time"

	"xbot/internal/channel"
)

// Impatient lets an event fail for as long only.
func Impatient(a channel.Account, d time.Duration) { a.(*forward).patience = d }
