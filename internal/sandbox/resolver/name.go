package resolver

import (
	"fmt"
	"regexp"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// The names that users cannot give to their runners.
const (
	Local     = "local"      // the server's own host
	Container = "__docker__" // the container that the server runs for a user
	Default   = "default"    // the users' word for the absence of a choice
)

// named matches the names of runners; a container of the name is possible, too.
var named = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,127}$`)

// CheckName returns what is wrong with the name of a new runner: Invalid.
func CheckName(name string) error {
	switch {
	case name == Local || name == Container || name == Default:
		return fault.Errorf(fault.Invalid, "the name %q has a meaning of its own: choose another one", name)
	case !named.MatchString(name):
		return fault.Errorf(fault.Invalid, "%q cannot be a runner's name: it takes 1 to 128 lower-case letters, digits, dots, dashes and underscores, and begins with a letter or digit", name)
	}
	return nil
}

// ID names a runner uniquely on the server: a user's name for a runner is unique among theirs only. The server's host
// is one for all.
func ID(user chat.UserID, name string) sandbox.RunnerID {
	if name == Local {
		return Local
	}
	return sandbox.RunnerID(fmt.Sprintf("%d/%s", user, name))
}
