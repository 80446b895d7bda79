package admin

import (
	"context"

	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Version is /version: which build answers.
type Version struct{ Version string }

var _ slashcommand.Runner = Version{}

// Spec describes the command.
func (Version) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "version", Help: i18n.HelpVersion, Group: slashcommand.GroupServer}
}

// Run returns the version.
func (v Version) Run(context.Context, slashcommand.Request, string) (string, error) {
	return "xbot " + v.Version, nil
}
