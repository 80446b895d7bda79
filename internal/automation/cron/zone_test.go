package cron_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/cron"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// profile is what everybody says of themselves, unless it cannot be read.
type profile struct {
	chat.UserProfile
	err error
}

func (p *profile) Profile(context.Context, chat.UserID) (chat.UserProfile, error) {
	return p.UserProfile, p.err
}

func TestZones_TheProfileGoesBeforeThePolicyAndThatBeforeTheServer(t *testing.T) {
	t.Parallel()
	p := &set{}
	said := &profile{}
	zones := cron.Zones{Policies: p, Profiles: said}
	for _, c := range []struct{ profile, policy, zone, from string }{
		{"Europe/Berlin", `{cron: {timezone: "Asia/Shanghai"}}`, "Europe/Berlin", cron.FromProfile},
		{"", `{cron: {timezone: "Asia/Shanghai"}}`, "Asia/Shanghai", cron.FromPolicy},
		{"Atlantis/Capital", `{cron: {timezone: "Asia/Shanghai"}}`, "Asia/Shanghai", cron.FromPolicy},
		{"", `{}`, cron.ServerZone(), cron.FromServer},
	} {
		said.Timezone = c.profile
		p.to(t, c.policy)
		zone, err := zones.ZoneOf(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, cron.Zone{Name: c.zone, From: c.from}, zone, "%+v", c)
	}
}

func TestZones_AProfileThatCannotBeReadIsNotGuessed(t *testing.T) {
	t.Parallel()
	away := fault.Errorf(fault.Unavailable, "away")
	zones := cron.Zones{Policies: &set{}, Profiles: &profile{err: away}}
	_, err := zones.ZoneOf(t.Context(), 1)
	require.ErrorIs(t, err, away)
}
