package tool

import (
	"context"
	"time"

	"xbot/internal/chat"
)

// Zones knows in which timezone people read times: the one of their profile, else that of the installation.
type Zones interface {
	Zone(ctx context.Context, user chat.UserID) (*time.Location, error)
}
