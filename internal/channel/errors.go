package channel

import (
	"errors"

	"xbot/internal/fault"
)

// uncertain is an error that leaves the outcome open.
type uncertain struct{ error }

func (u uncertain) Unwrap() error { return u.error }

// Uncertain marks an error after which it is unknown whether the platform has accepted the message: the connection broke
// after the request was written, or the answer did not come in time.
func Uncertain(err error) error { return uncertain{err} }

// Unknown reports whether an error leaves it open if the message was sent.
func Unknown(err error) bool {
	_, ok := errors.AsType[uncertain](err)
	return ok
}

// Certain removes the mark of an uncertain outcome from an error, for calls that send nothing.
func Certain(err error) error {
	for {
		u, ok := errors.AsType[uncertain](err)
		if !ok {
			return err
		}
		err = u.error
	}
}

// lateRefusal is a refusal because of the message that is answered.
type lateRefusal struct{ error }

func (l lateRefusal) Unwrap() error { return l.error }

// Belated marks a refusal because the user's message is too old for an answer, or was answered too often. Nothing was sent;
// the same text can be sent in answer to a newer message, or unprompted.
func Belated(err error) error { return lateRefusal{err} }

// TooLate reports whether a platform takes no more answers to the message that was answered.
func TooLate(err error) bool {
	_, ok := errors.AsType[lateRefusal](err)
	return ok
}

// Final reports whether a platform that refused something would refuse it at any later time, too.
func Final(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Denied, fault.NotFound, fault.TooLarge:
		return true
	}
	return false
}
