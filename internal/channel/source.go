package channel

import (
	"context"
	"errors"

	"xbot/internal/fault"
)

// DriverSource returns the platforms that may change while the server runs, such as those of plugins.
type DriverSource interface {
	Drivers(ctx context.Context) ([]Driver, error)
}

// absent is the error of an absent platform.
type absent struct{ error }

func (a absent) Unwrap() error { return a.error }

// Absent returns the error for a channel without a driver. The driver may come back at any time: outgoing messages wait.
func Absent(name string) error {
	return absent{fault.Errorf(fault.Unavailable, "nothing here knows the channel %s: the plugin that adds it is not installed, or is switched off", name)}
}

// IsAbsent reports whether an error means that a platform is absent.
func IsAbsent(err error) bool {
	_, ok := errors.AsType[absent](err)
	return ok
}
