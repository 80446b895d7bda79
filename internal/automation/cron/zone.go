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

// Who says the timezone of a job that names none.
const (
	FromProfile = "profile" // that of the person
	FromPolicy  = "policy"  // cron.timezone
	FromServer  = "server"
)

// Zone is a timezone and who says so.
type Zone struct {
	Name string // IANA
	From string // profile, policy or server
}

// Zones say in which timezone people mean the times of jobs that name none.
type Zones struct {
	Profiles Profiles // nil: nobody says anything of themselves
	Policies Policies
}

// Profiles are what people say of themselves.
type Profiles interface {
	Profile(ctx context.Context, user chat.UserID) (chat.UserProfile, error)
}

// Policies are the policy in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// ZoneOf is the timezone of a user: that of the profile, else that of the policy, else that of this machine. A name that is not known here
// counts for none.
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

// ServerZone is the timezone of this machine, UTC where it says none.
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
