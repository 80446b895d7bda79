// Package storagetest has the conformance suite of storage back ends, and an S3 server to test against: versitygw on a temporary folder.
package storagetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"xbot/internal/storage/s3"
)

// The credentials and the bucket of every Server.
const (
	AccessKey = "xbot-test"
	SecretKey = "not-a-secret-0123456789"
	Bucket    = "files"
)

// serverVersion is the version in gateway/go.mod. It names the cached program.
const serverVersion = "v1.8.0"

// startTimeout bounds how long a server may take to start.
const startTimeout = 30 * time.Second

// Server is an S3 server that a test starts, stops and kills.
type Server struct {
	Address string // host:port
	Folder  string // with the objects of the bucket in files/

	t       testing.TB
	program string
	running *exec.Cmd
}

// NewServer starts a server with the bucket. The test ends it.
func NewServer(t testing.TB) *Server {
	t.Helper()
	program, err := serverProgram()
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &Server{Address: listener.Addr().String(), Folder: t.TempDir(), t: t, program: program}
	require.NoError(t, listener.Close())
	s.Start()
	t.Cleanup(s.Kill)
	require.NoError(t, s.Client().MakeBucket(t.Context(), Bucket, minio.MakeBucketOptions{}))
	return s
}

// URL is the endpoint of the server.
func (s *Server) URL() string { return "http://" + s.Address }

// Config is the configuration of the bucket.
func (s *Server) Config() s3.Config {
	return s3.Config{Endpoint: s.URL(), Bucket: Bucket, AccessKey: AccessKey, SecretKey: SecretKey, Prefix: "xbot"}
}

// Client returns a plain client of the server.
func (s *Server) Client() *minio.Client {
	client, err := minio.New(s.Address, &minio.Options{Creds: credentials.NewStaticV4(AccessKey, SecretKey, ""), Region: s3.DefaultRegion})
	require.NoError(s.t, err)
	return client
}

// Start starts the server again, on the same address and folder.
func (s *Server) Start() {
	s.t.Helper()
	s.running = exec.Command(s.program, "--quiet", "--access", AccessKey, "--secret", SecretKey, "--port", s.Address, "posix", s.Folder)
	s.running.Stderr = os.Stderr
	s.running.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(s.t, s.running.Start())
	require.Eventually(s.t, func() bool {
		conn, err := net.Dial("tcp", s.Address)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}, startTimeout, 20*time.Millisecond, "versitygw does not listen")
}

// Kill kills the server with SIGKILL.
func (s *Server) Kill() {
	if s.running == nil {
		return
	}
	_ = s.running.Process.Kill() // it may have ended
	_ = s.running.Wait()         // as above
	s.running = nil
}

// Freeze stops the server without an end of its connections, until Thaw.
func (s *Server) Freeze() { require.NoError(s.t, s.running.Process.Signal(syscall.SIGSTOP)) }

// Thaw continues the server.
func (s *Server) Thaw() { require.NoError(s.t, s.running.Process.Signal(syscall.SIGCONT)) }

// serverProgram returns the program of versitygw. The first caller on a machine builds it, which takes minutes.
func serverProgram() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "xbot", "tests")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(folder, "versitygw-"+serverVersion)
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return path, err
	}
	_, here, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(here) {
		if here, err = sourceFolder(); err != nil {
			return "", err
		}
	} else {
		here = filepath.Dir(here)
	}
	build := exec.CommandContext(context.Background(), "go", "build", "-C", filepath.Join(here, "gateway"), "-ldflags", "-s -w", "-o", path+".new", "github.com/versity/versitygw/cmd/versitygw")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false -trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build versitygw: %w: %s", err, out)
	}
	return path, os.Rename(path+".new", path)
}

// sourceFolder finds this folder where programs are built without the paths of their sources (-trimpath).
func sourceFolder() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "xbot/internal/storage/storagetest").Output()
	if err != nil {
		return "", fmt.Errorf("find the module of versitygw: %w", err)
	}
	return string(out[:len(out)-1]), nil
}
