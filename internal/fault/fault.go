// Package fault defines the kinds of failure that the product distinguishes. A kind decides behaviour; the text explains it to a user. Kinds
// are mapped in two places only: activities/errors.go and the ingress.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind is a class of failure.
type Kind string

// The kinds.
const (
	Invalid     Kind = "invalid"      // the caller's input is wrong; repeating it cannot help
	Denied      Kind = "denied"       // not allowed
	NotFound    Kind = "not_found"    // no such thing
	Conflict    Kind = "conflict"     // the state has changed, or the same id came with another body
	RateLimited Kind = "rate_limited" // ask again later; After is when, if known
	TooLarge    Kind = "too_large"    // over a limit: a context window, a body, a file
	Unavailable Kind = "unavailable"  // an external dependency is down; repeating may help
	Internal    Kind = "internal"     // our bug
)

// Error is an error with a kind.
type Error struct {
	Kind  Kind
	After time.Duration // for RateLimited: how long to wait, zero if unknown
	part  string        // for Unavailable: the part of xbot that cannot be reached
	err   error
}

// Errorf builds an error of a kind. The format works as in fmt.Errorf, %w included.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, err: fmt.Errorf(format, args...)}
}

// Limited builds a RateLimited error with the time after which to ask again.
func Limited(after time.Duration, format string, args ...any) *Error {
	return &Error{Kind: RateLimited, After: after, err: fmt.Errorf(format, args...)}
}

// Later builds an error of a kind with the time after which to try again.
func Later(kind Kind, after time.Duration, format string, args ...any) *Error {
	return &Error{Kind: kind, After: after, err: fmt.Errorf(format, args...)}
}

// Away builds an Unavailable error that names the part of xbot which cannot be reached, such as Postgres: its callers are not at fault.
func Away(part, format string, args ...any) *Error {
	return &Error{Kind: Unavailable, part: part, err: fmt.Errorf(format, args...)}
}

// PartOf returns the part of xbot that an error in the chain names as away, "" if none does.
func PartOf(err error) string {
	for {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			return ""
		}
		if e.part != "" {
			return e.part
		}
		err = e.err
	}
}

// Error returns the text of the error.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the formatted error, which leads to every cause that the format had a %w for.
func (e *Error) Unwrap() error { return e.err }

// KindOf returns the kind of the outermost Error in the chain, Internal when there is none, and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// After returns how long to wait before asking again, zero if the error has no time.
func After(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.After
	}
	return 0
}

// Is reports whether err is of the kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }
