package tooltest

import (
	"context"
	"time"

	"xbot/internal/chat"
)

// Zone is the time zone of all users, by its IANA name.
type Zone string

// Zone loads it.
func (z Zone) Zone(context.Context, chat.UserID) (*time.Location, error) {
	return time.LoadLocation(string(z))
}
