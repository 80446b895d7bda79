package s3_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/storage"
	"xbot/internal/storage/s3"
	"xbot/internal/storage/storagetest"
)

func open(t *testing.T, server *storagetest.Server) *s3.Store {
	s, err := s3.New(server.Config())
	require.NoError(t, err)
	return s
}

func TestS3_Conforms(t *testing.T) {
	storagetest.Run(t, open(t, storagetest.NewServer(t)))
}

func TestS3_RefusesAChangedObject(t *testing.T) {
	server := storagetest.NewServer(t)
	s := open(t, server)
	_, err := s.Put(t.Context(), "1/f", storage.Bytes([]byte("content")), storage.Condition{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(server.Folder, "files/xbot/1/f"), []byte("c0ntent"), 0o600))
	_, _, err = storage.Read(t.Context(), s, "1/f", "", 100)
	require.Equal(t, fault.Internal, fault.KindOf(err), "%v", err)
	_, err = server.Client().PutObject(t.Context(), storagetest.Bucket, "xbot/1/g", strings.NewReader("foreign"), 7, minio.PutObjectOptions{})
	require.NoError(t, err)
	_, _, err = storage.Read(t.Context(), s, "1/g", "", 100)
	require.Equal(t, fault.Internal, fault.KindOf(err), "it has no digest: %v", err)
}

func TestS3_AnAbsentServerOrBucketIsUnavailableNotMissing(t *testing.T) {
	server := storagetest.NewServer(t)
	for name, c := range map[string]func(*s3.Config){
		"bucket": func(c *s3.Config) { c.Bucket = "another" },
		"key":    func(c *s3.Config) { c.AccessKey = "stranger" },
		"secret": func(c *s3.Config) { c.SecretKey = "wrong" },
	} {
		config := server.Config()
		c(&config)
		s, err := s3.New(config)
		require.NoError(t, err)
		_, err = s.Put(t.Context(), "1/f", storage.Bytes(nil), storage.Condition{})
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "%s: %v", name, err)
		for operation, run := range map[string]func() error{
			"List":   func() error { _, err := s.List(t.Context(), "1/", "", 10); return err },
			"Stat":   func() error { _, err := s.Stat(t.Context(), "1/f"); return err },
			"Get":    func() error { _, _, err := s.Get(t.Context(), "1/f", 0, 0); return err },
			"range":  func() error { _, _, err := s.Get(t.Context(), "1/f", 1, 2); return err },
			"Delete": func() error { return s.Delete(t.Context(), "1/f") },
			"Abort":  func() error { _, err := s.AbortUploads(t.Context(), time.Now()); return err },
		} {
			require.Equal(t, fault.Unavailable, fault.KindOf(run()), "%s: %s", name, operation)
		}
	}
	s := open(t, server)
	server.Kill()
	_, err := s.Put(t.Context(), "1/f", storage.Bytes(nil), storage.Condition{})
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	require.NotContains(t, err.Error(), server.Address, "consumers may read it")
	require.ErrorContains(t, s3.Cause(err), server.Address)
	_, err = s.Stat(t.Context(), "1/f")
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	server.Start()
	_, err = s.Put(t.Context(), "1/f", storage.Bytes([]byte("late")), storage.Condition{})
	require.NoError(t, err)
}

func get(t *testing.T, address string) (*http.Response, string) {
	t.Helper()
	response, err := http.Get(address)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

func TestS3_APresignedAddressOpensOneObjectUntilItExpires(t *testing.T) {
	s := open(t, storagetest.NewServer(t))
	for _, key := range []string{"1/ü &?.txt", "1/other"} {
		_, err := s.Put(t.Context(), key, storage.Bytes([]byte(key)), storage.Condition{})
		require.NoError(t, err)
	}
	address, err := s.URL(t.Context(), "1/ü &?.txt", storage.Link{For: 2 * time.Second, Type: "image/png", Disposition: `attachment; filename="x.png"`})
	require.NoError(t, err)
	response, body := get(t, address)
	require.Equal(t, http.StatusOK, response.StatusCode, body)
	require.Equal(t, "1/ü &?.txt", body)
	require.Equal(t, "image/png", response.Header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="x.png"`, response.Header.Get("Content-Disposition"))
	require.NotContains(t, address, storagetest.SecretKey)
	response, _ = get(t, strings.Replace(address, "1/%C3%BC%20%26%3F.txt", "1/other", 1))
	require.Equal(t, http.StatusForbidden, response.StatusCode)
	require.Eventually(t, func() bool {
		response, err := http.Get(address)
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusForbidden
	}, 20*time.Second, 200*time.Millisecond, "it does not expire")
	origin, err := s.Origin(t.Context())
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(address, origin+"/"))
}

func TestS3_WithoutLinksForBrowsersHasNoAddresses(t *testing.T) {
	s, err := s3.New(s3.Config{Bucket: "b", AccessKey: "a", SecretKey: "s", Public: s3.NoLinks})
	require.NoError(t, err)
	address, err := s.URL(t.Context(), "1/f", storage.Link{For: time.Minute})
	require.NoError(t, err)
	require.Empty(t, address)
}

func TestS3_AmazonBucketsAreHostNames(t *testing.T) {
	s, err := s3.New(s3.Config{Bucket: "my-files", AccessKey: "a", SecretKey: "s", Region: "eu-central-1"})
	require.NoError(t, err)
	origin, err := s.Origin(t.Context())
	require.NoError(t, err)
	require.Regexp(t, `^https://my-files\.s3\.(dualstack\.)?eu-central-1\.amazonaws\.com$`, origin)
}

func TestS3_ConfigurationErrorsNameTheSetting(t *testing.T) {
	good := s3.Config{Bucket: "b", AccessKey: "a", SecretKey: "s"}
	for want, change := range map[string]func(*s3.Config){
		"S3_BUCKET": func(c *s3.Config) { c.Bucket = "" },
		"S3_SECRET": func(c *s3.Config) { c.SecretKey = "" },
		"S3_PREFIX": func(c *s3.Config) { c.Prefix = "a/../b" },
		"endpoint":  func(c *s3.Config) { c.Endpoint = "s3.example.com/path" },
	} {
		c := good
		change(&c)
		_, err := s3.New(c)
		require.ErrorContains(t, err, want)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

// blockingReader is a body that stops in the middle for ever.
type blockingReader struct {
	*bytes.Reader
}

func (b blockingReader) Read(p []byte) (int, error) {
	if b.Len() < 9<<20 {
		fmt.Println("in the middle")
		select {}
	}
	return b.Reader.Read(p)
}

// TestMain is also the process that TestS3_AKilledUploadLeavesNothing kills.
func TestMain(m *testing.M) {
	endpoint := os.Getenv("XBOT_TEST_UPLOAD_TO")
	if endpoint == "" {
		os.Exit(m.Run())
	}
	s, err := s3.New(s3.Config{Endpoint: endpoint, Bucket: storagetest.Bucket, AccessKey: storagetest.AccessKey, SecretKey: storagetest.SecretKey, Prefix: "xbot"})
	if err != nil {
		panic(err)
	}
	c := storage.Bytes(make([]byte, 20<<20))
	c.Body = blockingReader{bytes.NewReader(make([]byte, 20<<20))}
	_, err = s.Put(context.Background(), "1/f", c, storage.Condition{})
	panic(err)
}

func TestS3_AKilledUploadLeavesNothing(t *testing.T) {
	server := storagetest.NewServer(t)
	s := open(t, server)
	_, err := s.Put(t.Context(), "1/f", storage.Bytes([]byte("old")), storage.Condition{})
	require.NoError(t, err)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "XBOT_TEST_UPLOAD_TO="+server.URL())
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "in the middle\n", line)
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	data, _, err := storage.Read(t.Context(), s, "1/f", "", 100)
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
	n, err := s.AbortUploads(t.Context(), time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Zero(t, n, "another server may go on with it")
	n, err = s.AbortUploads(t.Context(), time.Now().Add(time.Minute))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	n, err = s.AbortUploads(t.Context(), time.Now().Add(time.Minute))
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestS3_AServerThatIsKilledInTheMiddleLosesNoObject(t *testing.T) {
	server := storagetest.NewServer(t)
	s := open(t, server)
	_, err := s.Put(t.Context(), "1/f", storage.Bytes([]byte("old")), storage.Condition{})
	require.NoError(t, err)
	c := storage.Bytes(make([]byte, 20<<20))
	c.Body = &killReader{Reader: bytes.NewReader(make([]byte, 20<<20)), server: server}
	_, err = s.Put(t.Context(), "1/f", c, storage.Condition{})
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	server.Start()
	data, _, err := storage.Read(t.Context(), s, "1/f", "", 100)
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
	c = storage.Bytes(make([]byte, 20<<20))
	_, err = s.Put(t.Context(), "1/f", c, storage.Condition{})
	require.NoError(t, err)
}

// killReader kills the server in the middle of a body.
type killReader struct {
	*bytes.Reader
	server *storagetest.Server
}

func (k *killReader) Read(p []byte) (int, error) {
	if k.Len() < 9<<20 {
		k.server.Kill()
	}
	return k.Reader.Read(p)
}
