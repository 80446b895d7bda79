// Package v4 declares the signer of requests to Elasticsearch.
package v4

import (
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Signer signs nothing.
type Signer struct{}

// NewSigner returns the signer.
func NewSigner() *Signer { return &Signer{} }

// SignHTTP refuses each request.
func (*Signer) SignHTTP(context.Context, aws.Credentials, *http.Request, string, string, string, time.Time) error {
	return aws.ErrNotBuiltIn
}
