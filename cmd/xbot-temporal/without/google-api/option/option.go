// Package option declares the options of clients that Temporal's archival to Google Cloud names.
package option

import "golang.org/x/oauth2"

// ClientOption is of a client.
type ClientOption struct{}

// WithTokenSource has no effect.
func WithTokenSource(oauth2.TokenSource) ClientOption { return ClientOption{} }
