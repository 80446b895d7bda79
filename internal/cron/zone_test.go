package cron_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/cron"
	"xbot/internal/fault"
)

func TestZones_TheProfileGoesBeforeThePolicyAndThatBeforeTheServer(t *testing.T) {
	t.Parallel()
	p := &set{}
	profile := ""
	zones := cron.Zones{Policies: p, Profile: func(context.Context, chat.UserID) (string, error) { return profile, nil }}
	for _, c := range []struct{ profile, policy, zone, from string }{
		{"Europe/Berlin", `{cron: {timezone: "Asia/Shanghai"}}`, "Europe/Berlin", cron.FromProfile},
		{"", `{cron: {timezone: "Asia/Shanghai"}}`, "Asia/Shanghai", cron.FromPolicy},
		{"Atlantis/Capital", `{cron: {timezone: "Asia/Shanghai"}}`, "Asia/Shanghai", cron.FromPolicy},
		{"", `{}`, cron.ServerZone(), cron.FromServer},
	} {
		profile = c.profile
		p.to(t, c.policy)
		zone, err := zones.Of(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, cron.Zone{Name: c.zone, From: c.from}, zone, "%+v", c)
	}
}

func TestZones_AProfileThatCannotBeReadIsNotGuessed(t *testing.T) {
	t.Parallel()
	away := fault.Errorf(fault.Unavailable, "away")
	zones := cron.Zones{Policies: &set{}, Profile: func(context.Context, chat.UserID) (string, error) { return "", away }}
	_, err := zones.Of(t.Context(), 1)
	require.ErrorIs(t, err, away)
}
