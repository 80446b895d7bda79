package media

import (
	"errors"
	"fmt"
)

// UncertainError reports that a request may have been paid for though its result is not known.
type UncertainError struct{ err error }

// Uncertain makes an UncertainError. The format works as in fmt.Errorf.
func Uncertain(format string, args ...any) error {
	return &UncertainError{fmt.Errorf(format, args...)}
}

// Error returns the text of the error.
func (e *UncertainError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *UncertainError) Unwrap() error { return e.err }

// isUncertain reports whether an error is an UncertainError.
func isUncertain(err error) bool {
	_, ok := errors.AsType[*UncertainError](err)
	return ok
}
