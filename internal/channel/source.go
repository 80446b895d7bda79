package channel

import (
	"context"
	"errors"

	"xbot/internal/fault"
)

// DriverSource knows platforms that come and go while the server runs, such as those of plugins.
type DriverSource interface {
	Drivers(ctx context.Context) ([]Driver, error)
}

// absent is the error of a platform that is not there.
type absent struct{ error }

func (a absent) Unwrap() error { return a.error }

// Absent says that no driver has the name of a channel. It may come back at any time: what is to be sent waits.
func Absent(name string) error {
	return absent{fault.Errorf(fault.Unavailable, "nothing here knows the channel %s: the plugin that adds it is not installed, or is switched off", name)}
}

// IsAbsent reports whether an error says that a platform is not there.
func IsAbsent(err error) bool {
	_, ok := errors.AsType[absent](err)
	return ok
}
