package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
)

func daily(hour int, zone string, idle int) policy.Reset {
	return policy.Reset{Mode: policy.ResetDaily, AtHour: &hour, Timezone: zone, IdleMinutes: idle}
}

func TestExpired_FollowsTheClockOnTheWall(t *testing.T) {
	for name, c := range map[string]struct {
		r         policy.Reset
		last, now string // UTC
		want      string
	}{
		"before the hour, same night":                {daily(4, "Europe/Berlin", 0), "2026-01-10T23:00", "2026-01-11T02:59", ""},
		"at the hour":                                {daily(4, "Europe/Berlin", 0), "2026-01-10T23:00", "2026-01-11T03:00", "daily"},
		"written at the hour: the next day's":        {daily(4, "Europe/Berlin", 0), "2026-01-11T03:00", "2026-01-12T02:59", ""},
		"summer is an hour earlier":                  {daily(4, "Europe/Berlin", 0), "2026-07-10T23:00", "2026-07-11T02:00", "daily"},
		"Berlin, the night that is short":            {daily(4, "Europe/Berlin", 0), "2026-03-28T22:00", "2026-03-29T01:59", ""},
		"Berlin, the short night is over":            {daily(4, "Europe/Berlin", 0), "2026-03-28T22:00", "2026-03-29T02:00", "daily"},
		"Berlin, two o'clock is skipped":             {daily(2, "Europe/Berlin", 0), "2026-03-28T22:00", "2026-03-29T00:59", ""},
		"Berlin, the day ends when it is skipped":    {daily(2, "Europe/Berlin", 0), "2026-03-28T22:00", "2026-03-29T01:00", "daily"},
		"Berlin, two o'clock comes twice":            {daily(2, "Europe/Berlin", 0), "2026-10-24T22:00", "2026-10-25T00:00", "daily"},
		"Berlin, the second one ends nothing":        {daily(2, "Europe/Berlin", 0), "2026-10-25T00:00", "2026-10-25T23:00", ""},
		"Berlin, before the first":                   {daily(2, "Europe/Berlin", 0), "2026-10-24T22:00", "2026-10-24T23:59", ""},
		"Shanghai has no summer time":                {daily(4, "Asia/Shanghai", 0), "2026-03-28T19:00", "2026-03-28T20:00", "daily"},
		"Shanghai, a minute before":                  {daily(4, "Asia/Shanghai", 0), "2026-03-28T19:00", "2026-03-28T19:59", ""},
		"New York, the night that is short":          {daily(4, "America/New_York", 0), "2026-03-08T03:00", "2026-03-08T07:59", ""},
		"New York, the short night is over":          {daily(4, "America/New_York", 0), "2026-03-08T03:00", "2026-03-08T08:00", "daily"},
		"New York, two o'clock is skipped":           {daily(2, "America/New_York", 0), "2026-03-08T03:00", "2026-03-08T07:00", "daily"},
		"New York, the night that is long":           {daily(4, "America/New_York", 0), "2026-11-01T03:00", "2026-11-01T08:59", ""},
		"New York, the long night is over":           {daily(4, "America/New_York", 0), "2026-11-01T03:00", "2026-11-01T09:00", "daily"},
		"New York, one o'clock comes twice":          {daily(1, "America/New_York", 0), "2026-11-01T03:00", "2026-11-01T05:00", "daily"},
		"São Paulo, midnight was skipped":            {daily(0, "America/Sao_Paulo", 0), "2018-11-03T12:00", "2018-11-04T03:00", "daily"},
		"São Paulo, a minute before":                 {daily(0, "America/Sao_Paulo", 0), "2018-11-03T12:00", "2018-11-04T02:59", ""},
		"weeks later":                                {daily(4, "Asia/Shanghai", 0), "2026-01-01T00:00", "2026-02-01T00:00", "daily"},
		"idle, not yet":                              {policy.Reset{Mode: "idle", IdleMinutes: 30}, "2026-01-01T00:00", "2026-01-01T00:29", ""},
		"idle":                                       {policy.Reset{Mode: "idle", IdleMinutes: 30}, "2026-01-01T00:00", "2026-01-01T00:30", "idle"},
		"both, idleness came first":                  {daily(4, "UTC", 60), "2026-01-01T00:00", "2026-01-01T09:00", "idle"},
		"both, the day came first":                   {daily(4, "UTC", 60), "2026-01-01T03:30", "2026-01-01T09:00", "daily"},
		"both, only idleness":                        {daily(4, "UTC", 60), "2026-01-01T05:00", "2026-01-01T06:00", "idle"},
		"both, neither":                              {daily(4, "UTC", 60), "2026-01-01T05:00", "2026-01-01T05:59", ""},
		"none":                                       {policy.Reset{Mode: "none", IdleMinutes: 1}, "2026-01-01T00:00", "2027-01-01T00:00", ""},
		"nothing set":                                {policy.Reset{}, "2026-01-01T00:00", "2027-01-01T00:00", ""},
		"a clock that went back":                     {daily(4, "UTC", 60), "2026-01-02T00:00", "2026-01-01T00:00", ""},
		"a timezone that this machine does not know": {daily(4, "Nowhere/Land", 60), "2026-01-01T00:00", "2026-01-01T00:30", ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, session.Expired(c.r, at(t, c.last), at(t, c.now)))
		})
	}
	require.Empty(t, session.Expired(daily(4, "", 1), time.Time{}, time.Now()), "nobody wrote yet")
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	got, err := time.Parse("2006-01-02T15:04", text)
	require.NoError(t, err)
	return got
}
