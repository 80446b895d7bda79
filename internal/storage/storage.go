// Package storage is the port to object storage: a folder on a disk (package disk) or a bucket of an S3 server (package s3). An object has a key,
// a body and a digest of the body. A write is atomic: after a crash the key has the old object or the new one. Errors have kinds: NotFound,
// Conflict (a condition of a write does not hold), Invalid (a key), TooLarge, and Unavailable for everything that may succeed later, also where
// credentials or the name of the bucket are wrong: an object is never reported as missing because its storage cannot be reached.
package storage

import (
	"context"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"xbot/internal/fault"
)

// Names of the back ends, as STORAGE_BACKEND and rows have them.
const (
	Local = "local" // rows of Postgres and folders of runners: no object storage
	Disk  = "disk"
	S3    = "s3"
)

// MaxObject bounds an object, in bytes.
const MaxObject = 512 << 20

// maxKey and maxName bound a key and one name of it, in bytes: the limits of S3 and of file systems.
const (
	maxKey  = 1024
	maxName = 255
)

// Object describes a stored object.
type Object struct {
	Key      string
	Size     int64     // bytes
	Modified time.Time // of List with the precision of the back end
	ETag     string    // changes with each write
	Digest   string    // SHA-256 of the body, in hexadecimal digits; empty from List, and for an object that xbot did not write
	Tag      string    // from Content; empty from List
}

// Content is the body of a new object. The reader is read from its start for each attempt, and stays open.
type Content struct {
	Body   io.ReadSeeker
	Size   int64
	Digest string // SHA-256, in hexadecimal digits
	Tag    string // stored with the object: at most 256 printable ASCII characters
}

// Condition limits a write. The zero value allows every write.
type Condition struct {
	Absent bool   // the key has no object
	ETag   string // the key has the object with this ETag
}

// Link describes a presigned address.
type Link struct {
	For         time.Duration // from a second to seven days
	Type        string        // media type of the response
	Disposition string        // Content-Disposition of the response
}

// Store stores objects. It is safe for concurrent use.
type Store interface {
	// Name is the name of the back end.
	Name() string
	// Put stores an object. Conflict: the condition does not hold. An unavailable store may have stored it all the same.
	Put(ctx context.Context, key string, c Content, when Condition) (Object, error)
	// Get opens a body from an offset; a length of 0 means up to the end. An offset at or after the end is an empty body. The caller closes it.
	Get(ctx context.Context, key string, offset, length int64) (io.ReadCloser, Object, error)
	Stat(ctx context.Context, key string) (Object, error)
	// Delete deletes an object. One that does not exist is no error.
	Delete(ctx context.Context, key string) error
	// List returns objects whose keys begin with the prefix and are greater than after, in the order of their keys, at most limit (1 to 1000).
	List(ctx context.Context, prefix, after string, limit int) ([]Object, error)
	// URL returns an address that opens an object without credentials; empty: the back end has none, and the server sends the body.
	URL(ctx context.Context, key string, l Link) (string, error)
	// AbortUploads removes the parts of uploads that began before a time and have not ended, and returns their number.
	AbortUploads(ctx context.Context, before time.Time) (int, error)
}

// CheckKey is Invalid for a key that a back end could read as another one, or cannot store.
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey || !utf8.ValidString(key) {
		return fault.Errorf(fault.Invalid, "the name of a stored file has 1 to %d bytes of UTF-8, with the folders before it", maxKey)
	}
	for name := range strings.SplitSeq(key, "/") {
		if name == "" || name == "." || name == ".." || len(name) > maxName {
			return fault.Errorf(fault.Invalid, "the name of a stored file has no empty, . or .. part, and no part of more than %d bytes", maxName)
		}
	}
	if strings.ContainsFunc(key, func(r rune) bool { return unicode.IsControl(r) || r == '\\' }) {
		return fault.Errorf(fault.Invalid, "the name of a stored file has no control character and no backslash")
	}
	return nil
}

// CheckPrefix is CheckKey for a prefix, which may end in a slash or be empty.
func CheckPrefix(prefix string) error {
	if prefix = strings.TrimSuffix(prefix, "/"); prefix == "" {
		return nil
	}
	return CheckKey(prefix)
}

// pageSize is how many objects All and DeleteAll list at once.
const pageSize = 1000

// All lists the objects below a prefix. TooLarge: there are more than most.
func All(ctx context.Context, s Store, prefix string, most int) ([]Object, error) {
	var out []Object
	for after := ""; ; {
		page, err := s.List(ctx, prefix, after, pageSize)
		if err != nil {
			return nil, err
		}
		if out = append(out, page...); len(out) > most {
			return nil, fault.Errorf(fault.TooLarge, "there are more than %d files", most)
		}
		if len(page) < pageSize {
			return out, nil
		}
		after = page[len(page)-1].Key
	}
}

// DeleteAll deletes the objects below a prefix, which ends in a slash, and returns their number.
func DeleteAll(ctx context.Context, s Store, prefix string) (n int, err error) {
	if !strings.HasSuffix(prefix, "/") || CheckKey(strings.TrimSuffix(prefix, "/")) != nil {
		return 0, fault.Errorf(fault.Invalid, "%q is no folder of objects", prefix)
	}
	for after := ""; ; {
		page, err := s.List(ctx, prefix, after, pageSize)
		if err != nil {
			return n, err
		}
		for _, o := range page {
			if err := s.Delete(ctx, o.Key); err != nil {
				return n, err
			}
			n++
			after = o.Key
		}
		if len(page) < pageSize {
			return n, nil
		}
	}
}
