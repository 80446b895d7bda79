//go:build tools

// Package gateway pins the S3 server of the tests in a module of its own, so that its dependencies stay out of the server's.
package gateway

import _ "github.com/versity/versitygw/cmd/versitygw"
