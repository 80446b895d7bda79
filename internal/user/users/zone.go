package users

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"xbot/internal/user/dbsqlc"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/pg"
)

// ZoneOf returns the timezone in which a user reads times: that of their profile, else the first of zones that is known. For a consumer of a service it
// is its administrator's.
func ZoneOf(ctx context.Context, t *pg.Tx, user chat.UserID, zones []string) (*time.Location, error) {
	said, err := dbsqlc.Q.ProfileZone(ctx, t, int64(user))
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read the timezone of user %d: %w", user, err)
	}
	return Zone(said, zones), nil
}

// Zone returns the timezone of a name, else the first of zones that is known, else UTC.
func Zone(said string, zones []string) *time.Location {
	for _, name := range append([]string{said}, zones...) {
		if name == "" {
			continue
		}
		zone, err := schedule.Zone(name)
		switch {
		case err != nil: // it is not known here
		case strings.HasSuffix(name, "UTC"):
			return time.UTC
		default:
			return zone
		}
	}
	return time.UTC
}
