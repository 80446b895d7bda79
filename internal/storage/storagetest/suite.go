package storagetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/storage"
)

// Run runs the conformance suite against an empty store.
func Run(t *testing.T, s storage.Store) {
	for name, test := range map[string]func(*testing.T, storage.Store, string){
		"an object comes back as it was":                       wholeObject,
		"a part of an object can be read":                      partOfObject,
		"an object of many parts comes back as it was":         largeObject,
		"a write replaces body, digest and tag at once":        replaces,
		"of concurrent creations one succeeds":                 oneCreation,
		"a conditional write needs the object that was seen":   conditionalWrite,
		"what is missing is not found, and deletion is silent": missing,
		"a list has the keys in order, page by page":           lists,
		"a prefix is deleted, and its neighbours stay":         deletesPrefix,
		"names may be in any script":                           unicodeNames,
		"names that could lead elsewhere are refused":          hostileNames,
		"a copy has the digest and tag":                        copies,
		"a cancelled write leaves the old object":              cancelledWrite,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s, fmt.Sprintf("case-%d/", lastCase.Add(1)))
		})
	}
}

var lastCase atomic.Int64

func random(n int) []byte {
	data := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(n)}).Read(data) // never fails
	return data
}

func put(t *testing.T, s storage.Store, key string, data []byte) storage.Object {
	t.Helper()
	o, err := s.Put(t.Context(), key, storage.Bytes(data), storage.Condition{})
	require.NoError(t, err)
	return o
}

func read(t *testing.T, s storage.Store, key string) []byte {
	t.Helper()
	data, _, err := storage.Read(t.Context(), s, key, "", storage.MaxObject)
	require.NoError(t, err)
	return data
}

func kind(t *testing.T, want fault.Kind, err error) {
	t.Helper()
	require.Equal(t, want, fault.KindOf(err), "%v", err)
}

func wholeObject(t *testing.T, s storage.Store, at string) {
	for name, data := range map[string][]byte{"none": {}, "zero": {0}, "text": []byte("a\r\nb\n"), "random": random(100_000)} {
		c := storage.Bytes(data)
		c.Tag = "turn.1.0"
		before := time.Now().Add(-time.Minute)
		o, err := s.Put(t.Context(), at+name, c, storage.Condition{})
		require.NoError(t, err)
		found, err := s.Stat(t.Context(), at+name)
		require.NoError(t, err)
		require.True(t, o.Modified.Equal(found.Modified) && found.Modified.After(before))
		found.Modified, o.Modified = time.Time{}, time.Time{}
		require.Equal(t, o, found)
		require.Equal(t, storage.Object{Key: at + name, Size: int64(len(data)), ETag: o.ETag, Digest: c.Digest, Tag: c.Tag}, found)
		require.NotEmpty(t, o.ETag)
		require.True(t, bytes.Equal(data, read(t, s, at+name)), name)
	}
}

func partOfObject(t *testing.T, s storage.Store, at string) {
	data := random(50_000)
	put(t, s, at+"f", data)
	for _, part := range [][2]int64{{0, 1}, {1, 10}, {49_999, 1}, {49_990, 100}, {50_000, 5}, {60_000, 5}, {10, 0}, {0, 50_000}} {
		body, o, err := s.Get(t.Context(), at+"f", part[0], part[1])
		require.NoError(t, err)
		got, err := io.ReadAll(body)
		require.NoError(t, err)
		require.NoError(t, body.Close())
		from := min(part[0], 50_000)
		to := int64(50_000)
		if part[1] > 0 {
			to = min(from+part[1], to)
		}
		require.True(t, bytes.Equal(data[from:to], got), "%v", part)
		require.EqualValues(t, 50_000, o.Size)
	}
}

func largeObject(t *testing.T, s storage.Store, at string) {
	data := random(20<<20 + 17)
	c, done, err := storage.Spool(bytes.NewReader(data), storage.MaxObject)
	require.NoError(t, err)
	defer done()
	for range 2 {
		o, err := s.Put(t.Context(), at+"large", c, storage.Condition{})
		require.NoError(t, err)
		require.Equal(t, storage.Bytes(data).Digest, o.Digest)
		require.True(t, bytes.Equal(data, read(t, s, at+"large")))
	}
	_, err = s.Put(t.Context(), at+"large", c, storage.Condition{Absent: true})
	kind(t, fault.Conflict, err)
	o, err := s.Put(t.Context(), at+"larger", c, storage.Condition{Absent: true})
	require.NoError(t, err)
	_, err = s.Put(t.Context(), at+"larger", c, storage.Condition{ETag: o.ETag})
	require.NoError(t, err)
	_, _, err = storage.Read(t.Context(), s, at+"large", "", 1<<20)
	kind(t, fault.TooLarge, err)
}

func replaces(t *testing.T, s storage.Store, at string) {
	first := put(t, s, at+"f", []byte("one"))
	c := storage.Bytes([]byte("three"))
	c.Tag = "second"
	second, err := s.Put(t.Context(), at+"f", c, storage.Condition{})
	require.NoError(t, err)
	require.NotEqual(t, first.ETag, second.ETag)
	o, err := s.Stat(t.Context(), at+"f")
	require.NoError(t, err)
	require.Equal(t, "second", o.Tag)
	require.Equal(t, c.Digest, o.Digest)
	require.Equal(t, "three", string(read(t, s, at+"f")))
}

func oneCreation(t *testing.T, s storage.Store, at string) {
	var won atomic.Int64
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			_, err := s.Put(t.Context(), at+"f", storage.Bytes([]byte{byte(i)}), storage.Condition{Absent: true})
			if err == nil {
				won.Add(1)
			} else if !fault.Is(err, fault.Conflict) {
				t.Errorf("unexpected: %v", err)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 1, won.Load())
}

func conditionalWrite(t *testing.T, s storage.Store, at string) {
	first := put(t, s, at+"f", []byte("one"))
	second, err := s.Put(t.Context(), at+"f", storage.Bytes([]byte("two")), storage.Condition{ETag: first.ETag})
	require.NoError(t, err)
	_, err = s.Put(t.Context(), at+"f", storage.Bytes([]byte("lost")), storage.Condition{ETag: first.ETag})
	kind(t, fault.Conflict, err)
	require.Equal(t, "two", string(read(t, s, at+"f")))
	require.NoError(t, s.Delete(t.Context(), at+"f"))
	_, err = s.Put(t.Context(), at+"f", storage.Bytes([]byte("lost")), storage.Condition{ETag: second.ETag})
	require.Contains(t, []fault.Kind{fault.Conflict, fault.NotFound}, fault.KindOf(err), "%v", err)
}

func missing(t *testing.T, s storage.Store, at string) {
	_, err := s.Stat(t.Context(), at+"none")
	kind(t, fault.NotFound, err)
	_, _, err = s.Get(t.Context(), at+"none", 0, 0)
	kind(t, fault.NotFound, err)
	_, _, err = s.Get(t.Context(), at+"none", 5, 5)
	kind(t, fault.NotFound, err)
	require.NoError(t, s.Delete(t.Context(), at+"none"))
	put(t, s, at+"folder/f", nil)
	_, err = s.Stat(t.Context(), at+"folder")
	kind(t, fault.NotFound, err)
	require.NoError(t, s.Delete(t.Context(), at+"folder"))
	require.Empty(t, read(t, s, at+"folder/f"))
	found, err := s.List(t.Context(), at+"nowhere/", "", 10)
	require.NoError(t, err)
	require.Empty(t, found)
}

func lists(t *testing.T, s storage.Store, at string) {
	want := []string{"a.txt", "a/b", "a/c/d", "a/e", "b", "ä"}
	for _, name := range want {
		put(t, s, at+name, []byte(name))
	}
	var got []string
	for after := ""; ; {
		page, err := s.List(t.Context(), at, after, 2)
		require.NoError(t, err)
		for _, o := range page {
			require.EqualValues(t, len(strings.TrimPrefix(o.Key, at)), o.Size)
			got = append(got, strings.TrimPrefix(o.Key, at))
			after = o.Key
		}
		if len(page) < 2 {
			break
		}
	}
	require.Equal(t, want, got)
	page, err := s.List(t.Context(), at+"a/", "", 10)
	require.NoError(t, err)
	require.Len(t, page, 3)
	page, err = s.List(t.Context(), at+"a", "", 10)
	require.NoError(t, err)
	require.Len(t, page, 4)
	_, err = storage.All(t.Context(), s, at, 5)
	kind(t, fault.TooLarge, err)
}

func deletesPrefix(t *testing.T, s storage.Store, at string) {
	for _, name := range []string{"a/1", "a/2/3", "ab/1", "b"} {
		put(t, s, at+name, nil)
	}
	n, err := storage.DeleteAll(t.Context(), s, at+"a/")
	require.NoError(t, err)
	require.Equal(t, 2, n)
	left, err := storage.All(t.Context(), s, at, 10)
	require.NoError(t, err)
	require.Len(t, left, 2)
	for _, prefix := range []string{"", "/", at + "a", "../", at + "../"} {
		_, err := storage.DeleteAll(t.Context(), s, prefix)
		kind(t, fault.Invalid, err)
	}
}

func unicodeNames(t *testing.T, s storage.Store, at string) {
	for _, name := range []string{"日本語.txt", "äöü ß.md", "🦀", "with space", "-dash", `quote"'`, "a+b&c=d?e#f%41", strings.Repeat("n", 200), "50%2e", "%2e%2e"} {
		put(t, s, at+name, []byte(name))
		require.Equal(t, name, string(read(t, s, at+name)))
		page, err := s.List(t.Context(), at+name, "", 1)
		require.NoError(t, err)
		require.Equal(t, at+name, page[0].Key)
	}
}

func hostileNames(t *testing.T, s storage.Store, at string) {
	for _, key := range []string{"", "/", "/" + at + "f", at + "../f", at + "a/../../f", at + "./f", at + "a//f", at + "a/", at + "a\x00", at + "a\nb", at + `a\b`, at + "\xff", at + strings.Repeat("n", 300), strings.Repeat(at+"x", 200)} {
		_, err := s.Put(t.Context(), key, storage.Bytes(nil), storage.Condition{})
		kind(t, fault.Invalid, err)
		_, _, err = s.Get(t.Context(), key, 0, 0)
		kind(t, fault.Invalid, err)
		_, err = s.Stat(t.Context(), key)
		kind(t, fault.Invalid, err)
		kind(t, fault.Invalid, s.Delete(t.Context(), key))
	}
}

func copies(t *testing.T, s storage.Store, at string) {
	c := storage.Bytes([]byte("content"))
	c.Tag = "tag"
	o, err := s.Put(t.Context(), at+"from", c, storage.Condition{})
	require.NoError(t, err)
	to, err := storage.Copy(t.Context(), s, o, s, at+"to", storage.Condition{Absent: true})
	require.NoError(t, err)
	require.Equal(t, o.Digest, to.Digest)
	require.Equal(t, "tag", to.Tag)
	_, err = storage.Copy(t.Context(), s, o, s, at+"to", storage.Condition{Absent: true})
	kind(t, fault.Conflict, err)
	put(t, s, at+"from", []byte("changed"))
	_, err = storage.Copy(t.Context(), s, o, s, at+"other", storage.Condition{})
	kind(t, fault.Conflict, err)
}

func cancelledWrite(t *testing.T, s storage.Store, at string) {
	put(t, s, at+"f", []byte("old"))
	ctx, cancel := context.WithCancel(t.Context())
	c := storage.Bytes(random(17 << 20))
	c.Body = &cancelReader{ReadSeeker: c.Body, cancel: cancel}
	_, err := s.Put(ctx, at+"f", c, storage.Condition{})
	require.Error(t, err)
	require.Equal(t, "old", string(read(t, s, at+"f")))
}

// cancelReader cancels a context in the middle of a body.
type cancelReader struct {
	io.ReadSeeker
	cancel func()
	done   int
}

func (c *cancelReader) Read(p []byte) (int, error) {
	n, err := c.ReadSeeker.Read(p)
	if c.done += n; c.done > 9<<20 {
		c.cancel()
	}
	return n, err
}
