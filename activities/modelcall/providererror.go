package modelcall

import "xbot/internal/llm"

// ProviderError means that the provider did not answer, as opposed to a failure of our own.
type ProviderError struct{ Cause error }

func (e *ProviderError) Error() string { return e.Cause.Error() }

func (e *ProviderError) Unwrap() error { return e.Cause }

// Reason returns the cause in words for users.
func (e *ProviderError) Reason() string {
	if reason := llm.Reason(e.Cause); reason != "" {
		return reason
	}
	return e.Cause.Error()
}
