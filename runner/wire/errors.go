package wire

import (
	"errors"
	"fmt"
)

// The kinds of error that travel: the fault kinds as strings.
const (
	Invalid     = "invalid"
	Denied      = "denied"
	NotFound    = "not_found"
	Conflict    = "conflict"
	RateLimited = "rate_limited"
	TooLarge    = "too_large"
	Unavailable = "unavailable"
	Internal    = "internal"
)

// Error is a failure as it travels: a kind to decide by and a sentence to read.
type Error struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Message }

// Errorf builds an Error.
func Errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// AsError returns the Error in err's chain, or an Internal one with err's text.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: Internal, Message: err.Error()}
}

// IsKind reports whether err is an Error of the kind.
func IsKind(err error, kind string) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == kind
}
