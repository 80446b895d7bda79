package tool

import (
	"context"
	"time"

	"xbot/internal/chat"
)

// Zones returns the timezone in which a user reads times: the one of their profile, else that of the installation.
type Zones interface {
	Zone(ctx context.Context, user chat.UserID) (*time.Location, error)
}
