package prompt

import (
	"context"
	"strings"
)

// Profile adds the user's self-description.
type Profile struct{ Profiles Profiles }

var _ Middleware = Profile{}

// Order puts it behind the sender.
func (Profile) Order() int { return 131 }

// Name is used in errors.
func (Profile) Name() string { return "profile" }

// Process adds the current profile and timezone: a user who changes them expects it. Subagents without memory do not get them.
func (p Profile) Process(ctx context.Context, a *Assembly) error {
	if a.Scene.Profile == "" && a.Scene.Timezone == "" {
		return nil
	}
	if p.Profiles != nil {
		if who, err := a.agentProfile(ctx, p.Profiles); err != nil || !who.Remembers() {
			return err
		}
	}
	var lines []string
	if a.Scene.Profile != "" {
		lines = append(lines, "What they say of themselves:\n<profile>\n"+clean(a.Scene.Profile)+"\n</profile>")
	}
	if a.Scene.Timezone != "" {
		lines = append(lines, "Their timezone is "+a.Scene.Timezone+".")
	}
	a.Parts["31_profile"] = strings.Join(lines, "\n")
	return nil
}
