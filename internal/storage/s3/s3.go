// Package s3 stores objects in a bucket of a server that speaks Amazon's S3 protocol, by minio-go. A body above a part size is uploaded in parts.
// Requests that fail for reasons that pass are repeated with back-off; then the error is Unavailable.
package s3

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // see sendParts
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"xbot/internal/fault"
	"xbot/internal/storage"
)

const (
	// partSize is the size of the parts of an upload, in bytes. One is held in memory.
	partSize = 8 << 20
	// abortTime bounds how long a failed upload takes to remove its parts.
	abortTime = 5 * time.Second
	// attempts is how often a request is made before the bucket counts as unavailable: about three seconds.
	attempts = 5
)

// Names of the metadata of an object, as HTTP headers have them after X-Amz-Meta-.
const (
	metaDigest   = "Sha256"
	metaTag      = "Xbot-Tag"
	metaWrite    = "Xbot-Write" // differs for each write
	metaModified = "Xbot-Modified"
)

// DefaultRegion is the region where none is configured. Servers other than Amazon's mostly ignore it.
const DefaultRegion = "us-east-1"

// NoLinks as public endpoint means that browsers cannot reach the bucket.
const NoLinks = "none"

// Config names a bucket.
type Config struct {
	Endpoint  string // URL of the server; empty: Amazon's of the region
	Public    string // URL by which browsers reach the server; empty: Endpoint; NoLinks: they do not
	Bucket    string
	Region    string // empty: DefaultRegion
	AccessKey string
	SecretKey string
	Prefix    string // before all keys, without slashes at its ends
}

// Store is a bucket. Make it with New.
type Store struct {
	core   minio.Core
	public *minio.Client // nil: browsers cannot reach the bucket
	bucket string
	prefix string // empty, or ends in a slash

	unconditional atomic.Bool // the server does not implement conditional writes
}

var _ storage.Store = (*Store)(nil)

// New returns a store. It sends no request. Invalid: the configuration.
func New(c Config) (*Store, error) {
	if c.Bucket == "" || c.AccessKey == "" || c.SecretKey == "" {
		return nil, fault.Errorf(fault.Invalid, "storage in S3 needs S3_BUCKET, S3_ACCESS_KEY and S3_SECRET")
	}
	prefix := strings.Trim(c.Prefix, "/")
	if err := storage.CheckPrefix(prefix); err != nil {
		return nil, fault.Errorf(fault.Invalid, "S3_PREFIX: %w", err)
	}
	if prefix != "" {
		prefix += "/"
	}
	client, err := newClient(c, c.Endpoint)
	if err != nil {
		return nil, err
	}
	s := &Store{core: minio.Core{Client: client}, public: client, bucket: c.Bucket, prefix: prefix}
	switch c.Public {
	case "":
	case NoLinks:
		s.public = nil
	default:
		s.public, err = newClient(c, c.Public)
	}
	return s, err
}

func newClient(c Config, endpoint string) (*minio.Client, error) {
	region := c.Region
	if region == "" {
		region = DefaultRegion
	}
	if endpoint == "" {
		endpoint = "https://s3." + region + ".amazonaws.com"
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, fault.Errorf(fault.Invalid, "the endpoint of S3 is an address such as https://s3.example.com, without a path")
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""), Secure: u.Scheme == "https", Region: region, MaxRetries: attempts,
	})
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the configuration of S3: %w", err)
	}
	return client, nil
}

// Name is storage.S3.
func (*Store) Name() string { return storage.S3 }

// Put stores an object, in parts where it is large.
func (s *Store) Put(ctx context.Context, key string, c storage.Content, when storage.Condition) (storage.Object, error) {
	if err := s.check(key); err != nil {
		return storage.Object{}, err
	}
	if c.Size > storage.MaxObject {
		return storage.Object{}, fault.Errorf(fault.TooLarge, "a file has at most %d MB", int64(storage.MaxObject)>>20)
	}
	write, modified := rand.Text(), time.Now().UTC()
	o := storage.Object{Key: key, Size: c.Size, Modified: modified, Digest: c.Digest, Tag: c.Tag}
	etag, err := s.put(ctx, key, c, when, map[string]string{
		metaDigest: c.Digest, metaTag: c.Tag, metaWrite: write, metaModified: modified.Format(time.RFC3339Nano),
	})
	if fault.Is(err, fault.Conflict) { // it may be the answer to a repetition of a request that was carried out
		if found, statErr := s.stat(ctx, key); statErr == nil && found.UserMetadata[metaWrite] == write {
			etag, err = found.ETag, nil
		}
	}
	o.ETag = etag
	return o, err
}

func (s *Store) put(ctx context.Context, key string, c storage.Content, when storage.Condition, meta map[string]string) (etag string, err error) {
	if when != (storage.Condition{}) && s.unconditional.Load() {
		if err := s.checkBefore(ctx, key, when); err != nil {
			return "", err
		}
		when = storage.Condition{}
	}
	if _, err := c.Body.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	if c.Tag == "" {
		delete(meta, metaTag)
	}
	etag, err = s.send(ctx, s.prefix+key, c, when, meta)
	if when != (storage.Condition{}) && minio.ToErrorResponse(err).Code == "NotImplemented" {
		s.unconditional.Store(true)
		return s.put(ctx, key, c, when, meta)
	}
	return etag, classify(err)
}

// send uploads a body at once, or in parts. The condition is checked by the server at the end.
func (s *Store) send(ctx context.Context, name string, c storage.Content, when storage.Condition, meta map[string]string) (etag string, err error) {
	options := minio.PutObjectOptions{UserMetadata: meta, ContentType: "application/octet-stream", SendContentMd5: true, DisableMultipart: true}
	var end minio.PutObjectOptions
	for _, o := range []*minio.PutObjectOptions{&options, &end} {
		switch {
		case o == &options && c.Size > partSize:
		case when.Absent:
			o.SetMatchETagExcept("*")
		case when.ETag != "":
			o.SetMatchETag(when.ETag)
		}
	}
	if c.Size <= partSize {
		info, err := s.core.Client.PutObject(ctx, s.bucket, name, c.Body, c.Size, options)
		return info.ETag, err
	}
	upload, err := s.core.NewMultipartUpload(ctx, s.bucket, name, options)
	if err != nil {
		return "", err
	}
	parts, err := s.sendParts(ctx, name, upload, c)
	if err == nil {
		var info minio.UploadInfo
		if info, err = s.core.CompleteMultipartUpload(ctx, s.bucket, name, upload, parts, end); err == nil {
			return info.ETag, nil
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer cancel()
	_ = s.core.AbortMultipartUpload(ctx, s.bucket, name, upload) // AbortUploads removes what stays
	return "", err
}

func (s *Store) sendParts(ctx context.Context, name, upload string, c storage.Content) ([]minio.CompletePart, error) {
	buf := make([]byte, partSize)
	var parts []minio.CompletePart
	for left := c.Size; left > 0; {
		piece := buf[:min(left, partSize)]
		if _, err := io.ReadFull(c.Body, piece); err != nil {
			return nil, fmt.Errorf("read the body of an upload: %w", err)
		}
		sum := md5.Sum(piece) //nolint:gosec // the protocol's checksum of a part; the digest of the object is SHA-256
		part, err := s.core.PutObjectPart(ctx, s.bucket, name, upload, len(parts)+1, bytes.NewReader(piece), int64(len(piece)),
			minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(sum[:])})
		if err != nil {
			return nil, err
		}
		parts = append(parts, minio.CompletePart{PartNumber: part.PartNumber, ETag: part.ETag})
		left -= int64(len(piece))
	}
	return parts, nil
}

// checkBefore checks a condition in place of a server that does not: of two writes at the same moment, both may succeed.
func (s *Store) checkBefore(ctx context.Context, key string, when storage.Condition) error {
	found, err := s.Stat(ctx, key)
	switch {
	case fault.Is(err, fault.NotFound) && when.Absent:
		return nil
	case err != nil && !fault.Is(err, fault.NotFound):
		return err
	case err != nil || when.Absent || found.ETag != when.ETag:
		return errCondition
	}
	return nil
}

// Get opens a body.
func (s *Store) Get(ctx context.Context, key string, offset, length int64) (io.ReadCloser, storage.Object, error) {
	if err := s.check(key); err != nil {
		return nil, storage.Object{}, err
	}
	if offset > 0 || length > 0 {
		return s.getRange(ctx, key, offset, length)
	}
	body, info, _, err := s.core.GetObject(ctx, s.bucket, s.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, storage.Object{}, classify(err)
	}
	return reader{body}, s.object(key, info), nil
}

// getRange opens a part of a body. It asks for the size first: some servers do not send it with a range.
func (s *Store) getRange(ctx context.Context, key string, offset, length int64) (io.ReadCloser, storage.Object, error) {
	o, err := s.Stat(ctx, key)
	if err != nil {
		return nil, o, err
	}
	end := o.Size
	if length > 0 {
		end = min(offset+length, o.Size)
	}
	if offset >= end {
		return http.NoBody, o, nil
	}
	var options minio.GetObjectOptions
	if err := errors.Join(options.SetRange(offset, end-1), options.SetMatchETag(o.ETag)); err != nil {
		return nil, o, fault.Errorf(fault.Invalid, "read a part of a stored file: %w", err)
	}
	body, _, _, err := s.core.GetObject(ctx, s.bucket, s.prefix+key, options)
	if err != nil {
		return nil, o, classify(err)
	}
	return reader{body}, o, nil
}

// Stat describes an object.
func (s *Store) Stat(ctx context.Context, key string) (storage.Object, error) {
	if err := s.check(key); err != nil {
		return storage.Object{}, err
	}
	info, err := s.stat(ctx, key)
	return s.object(key, info), err
}

func (s *Store) stat(ctx context.Context, key string) (minio.ObjectInfo, error) {
	info, err := s.core.Client.StatObject(ctx, s.bucket, s.prefix+key, minio.StatObjectOptions{})
	if err = classify(err); fault.Is(err, fault.NotFound) {
		if absent := s.checkBucket(ctx); absent != nil {
			return info, absent
		}
	}
	return info, err
}

// checkBucket returns Unavailable if the bucket does not exist: the response to HEAD has no body, so it does not tell an absent bucket from an
// absent object.
func (s *Store) checkBucket(ctx context.Context) error {
	exists, err := s.core.Client.BucketExists(ctx, s.bucket)
	if err == nil && !exists {
		err = minio.ErrorResponse{Code: minio.NoSuchBucket}
	}
	return classify(err)
}

func (s *Store) object(key string, info minio.ObjectInfo) storage.Object {
	o := storage.Object{Key: key, Size: info.Size, Modified: info.LastModified, ETag: info.ETag, Digest: info.UserMetadata[metaDigest], Tag: info.UserMetadata[metaTag]}
	if at, err := time.Parse(time.RFC3339Nano, info.UserMetadata[metaModified]); err == nil {
		o.Modified = at
	}
	return o
}

// Delete deletes an object.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.check(key); err != nil {
		return err
	}
	err := classify(s.core.Client.RemoveObject(ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{}))
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// List lists objects.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]storage.Object, error) {
	if err := storage.CheckPrefix(prefix); err != nil {
		return nil, err
	}
	if limit < 1 || limit > 1000 {
		return nil, fault.Errorf(fault.Invalid, "a list of stored files has 1 to 1000 entries")
	}
	options := minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true, MaxKeys: limit}
	if after != "" {
		options.StartAfter = s.prefix + after
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var out []storage.Object
	for info := range s.core.Client.ListObjectsIter(ctx, s.bucket, options) {
		if info.Err != nil {
			return nil, classify(info.Err)
		}
		key := strings.TrimPrefix(info.Key, s.prefix)
		if storage.CheckKey(key) != nil {
			continue // a marker of a folder, or another program's
		}
		if out = append(out, storage.Object{Key: key, Size: info.Size, Modified: info.LastModified, ETag: info.ETag}); len(out) == limit {
			break
		}
	}
	return out, nil
}

// URL returns a presigned address.
func (s *Store) URL(ctx context.Context, key string, l storage.Link) (string, error) {
	if s.public == nil {
		return "", nil
	}
	if err := s.check(key); err != nil {
		return "", err
	}
	query := url.Values{"response-cache-control": {"private, no-store"}}
	if l.Type != "" {
		query.Set("response-content-type", l.Type)
	}
	if l.Disposition != "" {
		query.Set("response-content-disposition", l.Disposition)
	}
	u, err := s.public.PresignedGetObject(ctx, s.bucket, s.prefix+key, l.For, query)
	if err != nil {
		return "", fault.Errorf(fault.Invalid, "sign the address of a stored file: %w", err)
	}
	return u.String(), nil
}

// Origin returns the origin of presigned addresses, such as https://bucket.s3.example.com; empty: there are none.
func (s *Store) Origin(ctx context.Context) (string, error) {
	address, err := s.URL(ctx, "origin", storage.Link{For: time.Minute})
	if address == "" || err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return u.Scheme + "://" + u.Host, nil
}

// abortPage is how many uploads are listed at once.
const abortPage = 1000

// AbortUploads aborts multipart uploads below the prefix.
func (s *Store) AbortUploads(ctx context.Context, before time.Time) (n int, err error) {
	var key, upload string
	for {
		page, err := s.core.ListMultipartUploads(ctx, s.bucket, s.prefix, key, upload, "", abortPage)
		if err != nil {
			return n, classify(err)
		}
		for _, u := range page.Uploads {
			if !u.Initiated.Before(before) {
				continue
			}
			err := classify(s.core.AbortMultipartUpload(ctx, s.bucket, u.Key, u.UploadID))
			if err != nil && !fault.Is(err, fault.NotFound) {
				return n, err
			}
			n++
		}
		if !page.IsTruncated {
			return n, nil
		}
		key, upload = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

func (s *Store) check(key string) error {
	if err := storage.CheckKey(key); err != nil {
		return err
	}
	return storage.CheckKey(s.prefix + key) // the length counts with the prefix
}

var errCondition = fault.Errorf(fault.Conflict, "the file exists already, or was changed meanwhile")

// classify gives an error of the server a kind. Neither the key nor the address of the server is part of the text: consumers may read it.
func classify(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch response := minio.ToErrorResponse(err); {
	case response.Code == "NoSuchKey", response.Code == "NoSuchUpload":
		return fault.Errorf(fault.NotFound, "there is no stored file of this name")
	case response.Code == "PreconditionFailed", response.Code == "ConditionalRequestConflict", response.StatusCode == http.StatusPreconditionFailed:
		return errCondition
	case response.Code == "EntityTooLarge":
		return fault.Errorf(fault.TooLarge, "the file is larger than the storage accepts")
	case response.Code == "NoSuchBucket":
		return fault.Errorf(fault.Unavailable, "the bucket of S3_BUCKET does not exist at S3_ENDPOINT: create it, or correct the settings")
	case response.Code == "AccessDenied", response.Code == "InvalidAccessKeyId", response.Code == "SignatureDoesNotMatch", response.StatusCode == http.StatusForbidden:
		return fault.Errorf(fault.Unavailable, "the S3 server refused S3_ACCESS_KEY and S3_SECRET for the bucket (%s): correct them, or the permissions of the key", response.Code)
	case response.Code != "":
		return fault.Errorf(fault.Unavailable, "the S3 server answered %s (%d): files wait until it answers again", response.Code, response.StatusCode)
	}
	return &unreachableError{err: err}
}

// unreachableError is the error of a server that cannot be reached. Its text has no address; the cause is for logs.
type unreachableError struct{ err error }

func (e *unreachableError) Error() string {
	return "the S3 server cannot be reached: files wait until it answers again"
}
func (e *unreachableError) Unwrap() []error {
	return []error{fault.Errorf(fault.Unavailable, "%s", e.Error()), e.err}
}

// Cause returns the reason why the server cannot be reached, for operators; nil for other errors.
func Cause(err error) error {
	if e, ok := errors.AsType[*unreachableError](err); ok {
		return e.err
	}
	return nil
}

// reader gives the errors of a body a kind.
type reader struct{ io.ReadCloser }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		err = &unreachableError{err: err}
	}
	return n, err
}
