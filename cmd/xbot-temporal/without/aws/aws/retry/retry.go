// Package retry declares the retryer that Temporal's archival to S3 names.
package retry

// Standard retries nothing.
type Standard struct{}

// NewStandard returns the retryer.
func NewStandard() *Standard { return &Standard{} }

// IsErrorRetryable returns false.
func (*Standard) IsErrorRetryable(error) bool { return false }
