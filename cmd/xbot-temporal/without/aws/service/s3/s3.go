// Package s3 declares the client of S3 that Temporal's archival names. No configuration for it can be loaded, so none is made.
package s3

import (
	"context"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Inputs and outputs of the methods of Client.
type (
	HeadBucketInput    struct{ Bucket *string }
	HeadBucketOutput   struct{}
	HeadObjectInput    struct{ Bucket, Key *string }
	HeadObjectOutput   struct{}
	GetObjectInput     struct{ Bucket, Key *string }
	GetObjectOutput    struct{ Body io.ReadCloser }
	PutObjectOutput    struct{}
	ListObjectsV2Input struct {
		Bucket, Prefix, Delimiter, ContinuationToken, StartAfter *string
		MaxKeys                                                  *int32
	}
	PutObjectInput struct {
		Bucket, Key *string
		Body        io.Reader
	}
	ListObjectsV2Output struct {
		CommonPrefixes        []types.CommonPrefix
		Contents              []types.Object
		IsTruncated           *bool
		NextContinuationToken *string
	}
)

// Options are of a client.
type Options struct {
	BaseEndpoint *string
	UsePathStyle bool
}

// Client refuses each request.
type Client struct{}

// NewFromConfig returns the client.
func NewFromConfig(aws.Config, ...func(*Options)) *Client { return &Client{} }

// HeadBucket returns an error.
func (*Client) HeadBucket(context.Context, *HeadBucketInput, ...func(*Options)) (*HeadBucketOutput, error) {
	return nil, aws.ErrNotBuiltIn
}

// HeadObject returns an error.
func (*Client) HeadObject(context.Context, *HeadObjectInput, ...func(*Options)) (*HeadObjectOutput, error) {
	return nil, aws.ErrNotBuiltIn
}

// GetObject returns an error.
func (*Client) GetObject(context.Context, *GetObjectInput, ...func(*Options)) (*GetObjectOutput, error) {
	return nil, aws.ErrNotBuiltIn
}

// PutObject returns an error.
func (*Client) PutObject(context.Context, *PutObjectInput, ...func(*Options)) (*PutObjectOutput, error) {
	return nil, aws.ErrNotBuiltIn
}

// ListObjectsV2 returns an error.
func (*Client) ListObjectsV2(context.Context, *ListObjectsV2Input, ...func(*Options)) (*ListObjectsV2Output, error) {
	return nil, aws.ErrNotBuiltIn
}
