package prompt

import (
	"context"
	"strings"
)

// Profile says what the person says of themselves.
type Profile struct{ Profiles Profiles }

var _ Middleware = Profile{}

// Order puts it behind the sender.
func (Profile) Order() int { return 131 }

// Name is for errors.
func (Profile) Name() string { return "profile" }

// Process adds the profile and the timezone as they are now: who changes them expects it. Subagents that remember nothing are
// not told.
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
