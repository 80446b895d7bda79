package cron

import (
	"context"
	"fmt"
	"os"
	"strings"

	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

// The source of the timezone of a job that names none.
const (
	FromProfile = "profile" // the user's profile
	FromPolicy  = "policy"  // cron.timezone
	FromServer  = "server"
)

// Zone is a timezone and its source.
type Zone struct {
	Name string // IANA
	From string // profile, policy or server
}

// Zones finds the timezone of jobs that name none.
type Zones struct {
	Profiles Profiles // nil: no user has a profile
	Policies Policies
}

// Profiles reads the profiles of users.
type Profiles interface {
	Profile(ctx context.Context, user chat.UserID) (chat.UserProfile, error)
}

// Policies returns the policy in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// ZoneOf returns the timezone of a user: that of the profile, else that of the policy, else that of this machine. An unknown name
// is ignored.
func (z Zones) ZoneOf(ctx context.Context, user chat.UserID) (Zone, error) {
	if z.Profiles != nil {
		said, err := z.Profiles.Profile(ctx, user)
		if err != nil {
			return Zone{}, fmt.Errorf("read the timezone of a profile: %w", err)
		}
		if _, err := schedule.Zone(said.Timezone); err == nil {
			return Zone{said.Timezone, FromProfile}, nil
		}
	}
	p, err := z.Policies.Get(ctx)
	if err != nil {
		return Zone{}, err
	}
	if _, err := schedule.Zone(p.Cron.Timezone); err == nil {
		return Zone{p.Cron.Timezone, FromPolicy}, nil
	}
	return Zone{ServerZone(), FromServer}, nil
}

// ServerZone returns the timezone of this machine, UTC if it has none.
func ServerZone() string {
	link, err := os.Readlink("/etc/localtime")
	if err != nil {
		link = ""
	}
	_, named, _ := strings.Cut(link, "zoneinfo/")
	for _, name := range []string{strings.TrimPrefix(os.Getenv("TZ"), ":"), named} {
		if _, err := schedule.Zone(name); err == nil {
			return name
		}
	}
	return "UTC"
}
