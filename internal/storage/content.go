package storage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"xbot/internal/fault"
)

// spoolMemory is how much of a body Spool holds in memory before it uses a temporary file, in bytes.
const spoolMemory = 1 << 20

// errDigest is the error of a body that is not the one that was stored.
var errDigest = fault.Errorf(fault.Internal, "a stored file was changed outside of xbot, or damaged, and is not used: restore it from a backup of the storage")

// CheckDigest is an error for an object without a digest: xbot did not write it.
func CheckDigest(o Object) error {
	if o.Digest == "" {
		return errDigest
	}
	return nil
}

// Bytes returns the content of a body in memory.
func Bytes(data []byte) Content {
	sum := sha256.Sum256(data)
	return Content{Body: bytes.NewReader(data), Size: int64(len(data)), Digest: hex.EncodeToString(sum[:])}
}

// Spool reads a body of unknown length, at most limit bytes, so that its size and digest are known before it is stored. The caller calls done
// when the content is no longer used. TooLarge: there is more.
func Spool(from io.Reader, limit int64) (c Content, done func(), err error) {
	sum := sha256.New()
	in := io.TeeReader(io.LimitReader(from, limit+1), sum)
	var head bytes.Buffer
	n, err := io.CopyN(&head, in, spoolMemory)
	if err != nil && !errors.Is(err, io.EOF) {
		return Content{}, nil, err
	}
	done = func() {}
	c.Body, c.Size = bytes.NewReader(head.Bytes()), n
	if err == nil {
		var file *os.File
		if file, c.Size, err = spoolFile(io.MultiReader(&head, in)); err != nil {
			return Content{}, nil, err
		}
		c.Body, done = file, func() { _ = file.Close() } // it has no name any more
	}
	if c.Size > limit {
		done()
		return Content{}, nil, fault.Errorf(fault.TooLarge, "a file has at most %d MB", limit>>20)
	}
	c.Digest = hex.EncodeToString(sum.Sum(nil))
	return c, done, nil
}

// spoolFile copies a body to a temporary file without a name, which goes when it is closed or the process dies.
func spoolFile(from io.Reader) (_ *os.File, size int64, err error) {
	file, err := os.CreateTemp("", "xbot-upload-*")
	if err != nil {
		return nil, 0, fault.Errorf(fault.Unavailable, "make a temporary file for an upload: %w", err)
	}
	defer func() {
		if err != nil {
			_ = file.Close() // of no use
		}
	}()
	if err := os.Remove(file.Name()); err != nil {
		return nil, 0, fault.Errorf(fault.Unavailable, "make a temporary file for an upload: %w", err)
	}
	if size, err = io.Copy(file, from); err != nil {
		return nil, 0, fmt.Errorf("read the content of an upload: %w", err)
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, size, err
}

// Read returns a whole body of at most limit bytes. Its digest is checked against the wanted one; an empty one means that of the object.
func Read(ctx context.Context, s Store, key, digest string, limit int64) ([]byte, Object, error) {
	body, o, err := s.Get(ctx, key, 0, 0)
	if err != nil {
		return nil, Object{}, err
	}
	defer body.Close()
	if o.Size > limit {
		return nil, o, fault.Errorf(fault.TooLarge, "the file has %d bytes, and at most %d are read at once: read a part of it", o.Size, limit)
	}
	var data bytes.Buffer
	data.Grow(int(o.Size))
	if _, err := io.Copy(&data, Verify(body, o, digest)); err != nil {
		return nil, o, err
	}
	return data.Bytes(), o, nil
}

// Verify returns a reader of a whole body whose end is an error where size or digest are not those of the object. An empty digest means that of
// the object.
func Verify(body io.Reader, o Object, digest string) io.Reader {
	if digest == "" {
		digest = o.Digest
	}
	return &verifier{from: body, sum: sha256.New(), left: o.Size, want: digest}
}

type verifier struct {
	from io.Reader
	sum  hash.Hash
	left int64
	want string
}

// Read reads a part of the body.
func (v *verifier) Read(p []byte) (int, error) {
	n, err := v.from.Read(p)
	v.sum.Write(p[:n])
	v.left -= int64(n)
	switch {
	case errors.Is(err, io.EOF) && v.left > 0:
		return n, fault.Errorf(fault.Unavailable, "the storage ended a file %d bytes early: try again", v.left)
	case errors.Is(err, io.EOF) && (v.left < 0 || hex.EncodeToString(v.sum.Sum(nil)) != v.want):
		return n, errDigest
	case err != nil && !errors.Is(err, io.EOF) && !fault.Is(err, fault.Unavailable) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		err = fault.Errorf(fault.Unavailable, "the storage broke off a file: %w", err)
	}
	return n, err
}

// Copy copies an object, with its tag, to a key of the same store or another one. The body is checked against the digest of the object before it
// is stored. Conflict: the object changed, or the condition does not hold.
func Copy(ctx context.Context, from Store, o Object, to Store, key string, when Condition) (Object, error) {
	body, now, err := from.Get(ctx, o.Key, 0, 0)
	if err != nil {
		return Object{}, err
	}
	defer body.Close()
	if now.ETag != o.ETag {
		return Object{}, fault.Errorf(fault.Conflict, "the file changed while it was copied: try again")
	}
	c, done, err := Spool(Verify(body, now, ""), MaxObject)
	if err != nil {
		return Object{}, err
	}
	defer done()
	c.Tag = now.Tag
	return to.Put(ctx, key, c, when)
}
