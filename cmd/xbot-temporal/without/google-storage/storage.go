// Package storage declares the client of Google Cloud Storage that Temporal's archival names. None can be made.
package storage

import (
	"context"
	"errors"

	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
)

var errNotBuiltIn = errors.New("this build of Temporal cannot reach Google Cloud: archival to its storage is not built in")

// ScopeFullControl is a permission.
const ScopeFullControl = "https://www.googleapis.com/auth/devstorage.full_control"

type (
	// Client reaches the service.
	Client struct{}
	// BucketHandle names a bucket.
	BucketHandle struct{}
	// ObjectHandle names an object.
	ObjectHandle struct{}
	// ObjectIterator lists no object.
	ObjectIterator struct{}
	// Reader reads an object.
	Reader struct{}
	// Writer writes an object.
	Writer struct{}
	// BucketAttrs describe a bucket.
	BucketAttrs struct{}
	// ObjectAttrs describe an object.
	ObjectAttrs struct{ Name string }
	// Query selects objects.
	Query struct{ Prefix string }
)

// NewClient returns an error.
func NewClient(context.Context, ...option.ClientOption) (*Client, error) { return nil, errNotBuiltIn }

// Bucket returns a handle.
func (*Client) Bucket(string) *BucketHandle { return &BucketHandle{} }

// Object returns a handle.
func (*BucketHandle) Object(string) *ObjectHandle { return &ObjectHandle{} }

// Objects lists nothing.
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator { return &ObjectIterator{} }

// Attrs returns an error.
func (*BucketHandle) Attrs(context.Context) (*BucketAttrs, error) { return nil, errNotBuiltIn }

// Next ends the listing.
func (*ObjectIterator) Next() (*ObjectAttrs, error) { return nil, iterator.Done }

// NewWriter returns a writer.
func (*ObjectHandle) NewWriter(context.Context) *Writer { return &Writer{} }

// NewReader returns an error.
func (*ObjectHandle) NewReader(context.Context) (*Reader, error) { return nil, errNotBuiltIn }

// Attrs returns an error.
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error) { return nil, errNotBuiltIn }

// Write returns an error.
func (*Writer) Write([]byte) (int, error) { return 0, errNotBuiltIn }

// Close returns an error.
func (*Writer) Close() error { return errNotBuiltIn }

// CloseWithError returns an error.
func (*Writer) CloseWithError(error) error { return errNotBuiltIn }

// Read returns an error.
func (*Reader) Read([]byte) (int, error) { return 0, errNotBuiltIn }

// Close returns an error.
func (*Reader) Close() error { return errNotBuiltIn }
