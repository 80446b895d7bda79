// Package smithy declares the errors of AWS that Temporal's archival to S3 names.
package smithy

// APIError is an error of a service of AWS.
type APIError interface {
	error
	ErrorCode() string
}
