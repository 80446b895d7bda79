package cron

import (
	"os"
	"strings"

	"xbot/internal/schedule"
)

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
