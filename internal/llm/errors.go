package llm

import (
	"errors"
	"fmt"

	"xbot/internal/fault"
)

// The causes of call failures that are worth a retry. Adapters wrap one of these, so that the caller can show the cause
// (chat.Retry.Reason) and count equal causes together. Each is fault.Unavailable.
var (
	// ErrTruncated: the stream ended without a finish reason or a mark of its end, so what came is not an answer.
	ErrTruncated error = fault.Errorf(fault.Unavailable, "truncated stream")
	// ErrTimeout: no progress for the idle limit.
	ErrTimeout error = fault.Errorf(fault.Unavailable, "timeout")
	// ErrNetwork: the provider could not be reached, or the connection broke.
	ErrNetwork error = fault.Errorf(fault.Unavailable, "network")
	// ErrEmpty: the provider answered without an answer.
	ErrEmpty error = fault.Errorf(fault.Unavailable, "empty answer")
	// ErrServer: the provider reported a failure, or sent an unreadable response.
	ErrServer error = fault.Errorf(fault.Unavailable, "server error")
)

// refusal is an error with the HTTP status of a provider's refusal. HTTPStatus returns 0 if it has none.
type refusal interface {
	error
	HTTPStatus() int
}

// worded is a refusal with all the words of the provider.
type worded interface {
	refusal
	Words() string
}

// RefusalOf returns the status and the words of the refusal that err came from; ok is false if no provider refused. The words may be longer than
// the text of err, and have no keys in them.
func RefusalOf(err error) (status int, words string, ok bool) {
	r, ok := errors.AsType[worded](err)
	if !ok {
		return 0, "", false
	}
	return r.HTTPStatus(), r.Words(), true
}

// Reason describes in a few words why err makes a call worth repeating: rate limit, timeout, network, truncated stream, empty
// answer or server error, with its status if it has one, or in the words given by Because. It is "" for an error that is not worth repeating.
func Reason(err error) string {
	if b, ok := errors.AsType[*because](err); ok {
		return b.reason
	}
	switch fault.KindOf(err) {
	case fault.RateLimited:
		return "rate limit"
	case fault.Unavailable:
		for _, cause := range []error{ErrTruncated, ErrTimeout, ErrNetwork, ErrEmpty} {
			if errors.Is(err, cause) {
				return cause.Error()
			}
		}
		if r, ok := errors.AsType[refusal](err); ok && r.HTTPStatus() != 0 {
			return fmt.Sprintf("%s, HTTP %d", ErrServer, r.HTTPStatus())
		}
		return ErrServer.Error()
	default:
		return ""
	}
}

// Because gives the reason of an error that is worth repeating in other words, such as where to look.
func Because(reason string, err error) error { return &because{reason, err} }

type because struct {
	reason string
	err    error
}

func (b *because) Error() string { return b.err.Error() }
func (b *because) Unwrap() error { return b.err }

// Discard is a Sink that ignores the stream.
var Discard Sink = discard{}

type discard struct{}

func (discard) Text(string)           {}
func (discard) Reasoning(string)      {}
func (discard) ToolCall(int, string)  {}
func (discard) Arguments(int, string) {}
func (discard) Progress()             {}

// OfOwnAccount wraps an error of a model of a user's own subscription: only they can do something about it.
type OfOwnAccount struct{ Why error }

// Error returns the text of Why.
func (o OfOwnAccount) Error() string { return o.Why.Error() }

// Unwrap returns Why, with its kind.
func (o OfOwnAccount) Unwrap() error { return o.Why }

// NotCalled wraps why no model was called at all: the settings or the policy name one that cannot be.
type NotCalled struct{ Why error }

// Error returns the text of Why.
func (n NotCalled) Error() string { return n.Why.Error() }

// Unwrap returns Why, with its kind.
func (n NotCalled) Unwrap() error { return n.Why }
