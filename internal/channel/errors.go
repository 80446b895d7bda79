package channel

import "errors"

// uncertain is an error that leaves the outcome open.
type uncertain struct{ error }

func (u uncertain) Unwrap() error { return u.error }

// Uncertain marks an error after which nobody knows whether the platform has accepted the message: the connection broke
// after the request was written, or the answer did not come in time.
func Uncertain(err error) error { return uncertain{err} }

// Unknown reports whether an error leaves it open if the message was sent.
func Unknown(err error) bool {
	_, ok := errors.AsType[uncertain](err)
	return ok
}
