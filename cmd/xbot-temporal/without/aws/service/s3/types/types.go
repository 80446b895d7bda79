// Package types declares values of S3 that Temporal's archival names.
package types

// CommonPrefix is a folder of a listing.
type CommonPrefix struct{ Prefix *string }

// Object is an entry of a listing.
type Object struct{ Key *string }

// NoSuchBucket is an error that is never returned.
type NoSuchBucket struct{}

func (*NoSuchBucket) Error() string { return "S3 is not built in" }

// NoSuchKey is an error that is never returned.
type NoSuchKey struct{}

func (*NoSuchKey) Error() string { return "S3 is not built in" }
