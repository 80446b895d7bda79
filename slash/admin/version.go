package admin

import (
	"context"

	"xbot/internal/i18n"
	"xbot/internal/turn/slash"
)

// Version is /version: which build answers.
type Version struct{ Version string }

var _ slash.Runner = Version{}

// Spec describes the command.
func (Version) Spec() slash.Spec {
	return slash.Spec{Name: "version", Help: i18n.HelpVersion, Group: slash.GroupServer}
}

// Run returns the version.
func (v Version) Run(context.Context, slash.Request, string) (string, error) {
	return "xbot " + v.Version, nil
}
