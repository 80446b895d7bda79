// Package aws declares what Temporal's archival to S3 and its client of Elasticsearch name. Nothing reaches AWS.
package aws

import (
	"context"
	"errors"
)

// ErrNotBuiltIn is the error of everything that would reach AWS.
var ErrNotBuiltIn = errors.New("this build of Temporal cannot reach AWS: archival to S3 and signed requests to Elasticsearch are not built in")

// Config is the configuration of a client.
type Config struct {
	Credentials CredentialsProvider
}

// ClientLogMode is a set of the kinds of events that a client logs.
type ClientLogMode uint64

// Credentials belong to an account.
type Credentials struct {
	AccessKeyID, SecretAccessKey, SessionToken string
}

// CredentialsProvider finds credentials.
type CredentialsProvider interface {
	Retrieve(ctx context.Context) (Credentials, error)
}

// Retryer decides which errors are worth another attempt.
type Retryer interface {
	IsErrorRetryable(err error) bool
}

// String returns a pointer to v.
func String(v string) *string { return &v }

// Int32 returns a pointer to v.
func Int32(v int32) *int32 { return &v }
