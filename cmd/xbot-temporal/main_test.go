package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

const (
	within = 60 * time.Second
	tick   = 5 * time.Millisecond
)

// TestMain lets the test binary be the program itself, so that the tests run a real process without a second build.
func TestMain(m *testing.M) {
	if os.Getenv("XBOT_TEMPORAL_TEST_PROGRAM") != "" {
		os.Exit(start(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	code := m.Run()
	if testServer.stop != nil {
		testServer.stop()
	}
	os.Exit(code)
}

// program is a running xbot-temporal.
type program struct {
	cmd            *exec.Cmd
	stdin          io.WriteCloser
	stdout, stderr *buffer
	exited         chan struct{}
}

// buffer is a bytes.Buffer that is written and read at once.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func launch(t *testing.T, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &program{cmd: exec.Command(self, args...), stdout: &buffer{}, stderr: &buffer{}, exited: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "XBOT_TEMPORAL_TEST_PROGRAM=1", passwordVariable+"=")
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait() // the exit code is read from ProcessState
		close(p.exited)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // mostly ended already
		<-p.exited
	})
	return p
}

// ready waits for the ready line.
func (p *program) ready(t *testing.T) endpoints {
	t.Helper()
	begin := time.Now()
	require.Eventually(t, func() bool { return p.hasExited() || strings.HasSuffix(p.stdout.String(), "\n") }, within, tick)
	var e endpoints
	require.NoError(t, json.Unmarshal([]byte(p.stdout.String()), &e), "stderr: %s", p.stderr)
	t.Logf("ready after %s", time.Since(begin).Round(time.Millisecond))
	return e
}

// fails waits for the end and returns the one sentence on stderr.
func (p *program) fails(t *testing.T) string {
	t.Helper()
	p.ends(t, 1)
	text := strings.TrimSuffix(p.stderr.String(), "\n")
	require.NotContains(t, text, "\n", "more than one sentence")
	require.Empty(t, p.stdout.String())
	return text
}

func (p *program) ends(t *testing.T, code int) {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(within):
		require.Fail(t, "the program is still running", "stderr: %s", p.stderr)
	}
	require.Equal(t, code, p.cmd.ProcessState.ExitCode(), "stderr: %s", p.stderr)
}

func (p *program) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// testServer is one Postgres for all tests, started by the first that needs it.
var testServer struct {
	once sync.Once
	err  error
	dir  string // of the socket
	stop func()
}

// password of every role; the server is reachable by its socket only.
const testPassword = "correct horse"

// setup returns flags for a program on databases and ports of its own, and the folder with its files.
func setup(t *testing.T) (flags []string, dir string) {
	t.Helper()
	testServer.once.Do(func() { testServer.err = startDatabase() })
	require.NoError(t, testServer.err)
	dir = t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	name := fmt.Sprintf("t%d", time.Now().UnixNano())
	return []string{
		"--postgres-host=" + testServer.dir,
		"--postgres-user=maker",
		"--postgres-password-file=" + write("password", testPassword+"\n"),
		"--postgres-database=" + name,
		"--postgres-visibility-database=" + name + "_v",
		"--grpc-addr=127.0.0.1:0",
		"--ui-addr=127.0.0.1:0",
		"--ui-token-file=" + write("token", "let me in\n"),
	}, dir
}

// open connects to a database of the test server as the role that owns it.
func open(t *testing.T, flags []string) *pgx.Conn {
	t.Helper()
	var name string
	for _, flag := range flags {
		if value, found := strings.CutPrefix(flag, "--postgres-database="); found {
			name = value
		}
	}
	conn, err := pgx.Connect(t.Context(), fmt.Sprintf("host=%s user=maker password='%s' dbname=%s", testServer.dir, testPassword, name))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })
	return conn
}

// startDatabase runs a Postgres on a socket in a short folder, as user postgres when the tests run as root.
func startDatabase() error {
	bin, err := postgresBin()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("/tmp", "xt-pg-")
	if err != nil {
		return err
	}
	testServer.dir = dir
	testServer.stop = func() { _ = os.RemoveAll(dir) }
	var credential *syscall.Credential
	if os.Geteuid() == 0 {
		if credential, err = postgresUser(); err != nil {
			return err
		}
		if err := os.Chown(dir, int(credential.Uid), int(credential.Gid)); err != nil {
			return err
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
		return cmd
	}
	if out, err := command("initdb", "-D", dir+"/data", "-U", "admin", "-A", "trust", "-E", "UTF8", "--no-sync").CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	server := command("postgres", "-D", dir+"/data", "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off")
	if err := server.Start(); err != nil {
		return err
	}
	testServer.stop = func() {
		_ = server.Process.Signal(syscall.SIGQUIT)
		_ = server.Wait()
		_ = os.RemoveAll(dir)
	}
	return prepareRoles(dir)
}

// prepareRoles waits for the server and makes the roles, one that may create databases and one that may not.
func prepareRoles(dir string) error {
	p := postgresOptions{Host: dir, Port: 5432, User: "admin", SSLMode: "disable", Wait: within}
	conn, err := p.awaitConnection(context.Background(), "postgres")
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	statements := fmt.Sprintf("CREATE ROLE maker LOGIN CREATEDB PASSWORD '%[1]s'; CREATE ROLE poor LOGIN PASSWORD '%[1]s'", testPassword)
	if _, err := conn.Exec(context.Background(), statements); err != nil {
		return err
	}
	hba := filepath.Join(dir, "data", "pg_hba.conf")
	if err := os.WriteFile(hba, []byte("local all all scram-sha-256\n"), 0o600); err != nil {
		return err
	}
	_, err = conn.Exec(context.Background(), "SELECT pg_reload_conf()")
	return err
}

func postgresBin() (string, error) {
	if dir := os.Getenv("XBOT_POSTGRES_BIN"); dir != "" {
		return dir, nil
	}
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	if len(dirs) == 0 {
		return "", fmt.Errorf("the tests need a PostgreSQL server; install one, or name the folder of initdb and postgres in XBOT_POSTGRES_BIN")
	}
	return dirs[len(dirs)-1], nil
}

func postgresUser() (*syscall.Credential, error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// makeCertificates fills a folder for --tls-dir.
func makeCertificates(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	authority, authorityKey := issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, nil)
	server, serverKey := issue(t, &x509.Certificate{
		DNSNames: []string{serverName}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority, authorityKey)
	client, clientKey := issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "client"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, authority, authorityKey)
	for name, certificate := range map[string]*x509.Certificate{"ca": authority, "server": server, "client": client} {
		writePEM(t, filepath.Join(dir, name+".pem"), "CERTIFICATE", certificate.Raw)
	}
	for name, key := range map[string]*ecdsa.PrivateKey{"server": serverKey, "client": clientKey} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		writePEM(t, filepath.Join(dir, name+"-key.pem"), "PRIVATE KEY", der)
	}
	return dir
}

func issue(t *testing.T, template, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	if parent == nil {
		parent, parentKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return certificate, key
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}
