// Package credentials declares the credentials that Temporal's client of Elasticsearch names.
package credentials

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// StaticCredentialsProvider has none.
type StaticCredentialsProvider struct{}

// NewStaticCredentialsProvider returns a provider without credentials.
func NewStaticCredentialsProvider(string, string, string) StaticCredentialsProvider {
	return StaticCredentialsProvider{}
}

// Retrieve returns an error.
func (StaticCredentialsProvider) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{}, aws.ErrNotBuiltIn
}
