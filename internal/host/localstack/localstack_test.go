package localstack_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/host/localstack"
	"xbot/internal/host/localstack/localstacktest"
	"xbot/internal/testing/dirtest"
)

// within is the time given to things that take a second on an idle machine.
const (
	within = 30 * time.Second
	tick   = 10 * time.Millisecond
)

func config(t *testing.T, home string) localstack.Config {
	t.Helper()
	return localstack.Config{
		Home:           home,
		TemporalBinary: localstacktest.TemporalBinary(t),
		Log:            slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

// steps are those of a start.
type steps []string

func (s *steps) Step(text string) { *s = append(*s, text) }

func (s *steps) Waiting(text string) { *s = append(*s, "waiting for "+text) }

func start(t *testing.T, cfg localstack.Config) *localstack.Stack {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	begin := time.Now()
	stack, err := localstack.Start(ctx, cfg)
	require.NoError(t, err)
	t.Logf("started in %s", time.Since(begin).Round(time.Millisecond))
	t.Cleanup(func() { require.NoError(t, stack.Stop(context.Background())) })
	return stack
}

func TestStart_MakesAStackAndComesBackOnTheSameData(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	var steps steps
	cfg.Progress = &steps

	first := start(t, cfg)
	require.Len(t, steps, 1)
	require.Contains(t, steps[0], "creating the Postgres data in "+cfg.Home)
	endpoints := first.Endpoints()
	query(t, endpoints, "CREATE TABLE kept (word text)")
	query(t, endpoints, "INSERT INTO kept VALUES ('still here')")
	postgres, temporal := first.PIDs()
	for _, pid := range []int{postgres, temporal} {
		session, err := syscall.Getpgid(pid)
		require.NoError(t, err)
		require.Equal(t, pid, session, "a Ctrl-C in our terminal would reach the server")
	}
	require.NoError(t, first.Stop(t.Context()))
	require.NoError(t, first.Wait(), "an orderly stop is no error")
	require.False(t, alive(postgres), "Stop left Postgres running")
	require.False(t, alive(temporal), "Stop left Temporal running")

	second := start(t, cfg)
	require.Equal(t, []string{"starting Postgres and Temporal"}, []string(steps[1:]))
	require.Equal(t, endpoints, second.Endpoints(), "clients would have to be told anew where to connect")
	require.Equal(t, "still here", query(t, endpoints, "SELECT word FROM kept"))
	read, err := localstack.Read(cfg.Home)
	require.NoError(t, err)
	require.Equal(t, endpoints, read)
}

func TestStart_RefusesASecondStackOnTheSameHome(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	start(t, cfg)
	_, err := localstack.Start(t.Context(), cfg)
	require.ErrorContains(t, err, fmt.Sprintf("already runs on %s (pid %d)", cfg.Home, os.Getpid()))
	require.ErrorContains(t, localstack.StopLeftovers(t.Context(), cfg.Home), "already runs on")
}

func TestStart_TakesOverWhatAKilledOwnerLeft(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	left := startOwner(t, cfg).kill(t)

	stack := start(t, cfg)
	postgres, temporal := stack.PIDs()
	require.Equal(t, ownerReport{Postgres: postgres, Temporal: temporal}, left, "the live servers were not taken over")
	query(t, stack.Endpoints(), "SELECT 1")
	require.NoError(t, stack.Stop(t.Context()))
	require.False(t, alive(left.Postgres), "Stop left the taken-over Postgres running")
	require.False(t, alive(left.Temporal), "Stop left the taken-over Temporal running")
}

func TestStart_WakesServersThatWereStoppedAndNotKilled(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	left := startOwner(t, cfg).kill(t)
	for _, pid := range []int{left.Temporal, left.Postgres} {
		require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // it has ended unless the test failed
	}
	endpoints := start(t, cfg).Endpoints()
	query(t, endpoints, "SELECT 1")
	require.Eventually(t, func() bool { return namespaceStatus(endpoints) == http.StatusOK }, within, tick, "a server that answers nobody was taken over")
}

func TestStart_RestartsWhatWasStartedOtherwise(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	left := startOwner(t, cfg).kill(t)

	cfg.Namespace = "another"
	stack := start(t, cfg)
	postgres, temporal := stack.PIDs()
	require.Equal(t, left.Postgres, postgres)
	require.NotEqual(t, left.Temporal, temporal, "the old Temporal does not know the namespace")
	require.False(t, alive(left.Temporal))
}

func TestParentDeath_EndsTheServersWithTheirOwner(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	cfg.ParentDeath = true
	left := startOwner(t, cfg).kill(t)
	require.Eventually(t, func() bool { return !alive(left.Postgres) && !alive(left.Temporal) }, within, tick,
		"the servers outlived their owner")

	stack := start(t, cfg)
	query(t, stack.Endpoints(), "SELECT 1")
}

func TestParentDeath_ReplacesServersOfAnotherOwner(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	left := startOwner(t, cfg).kill(t)
	cfg.ParentDeath = true
	start(t, cfg)
	require.False(t, alive(left.Postgres), "a server that is nobody's child would outlive us")
	require.False(t, alive(left.Temporal), "a server that is nobody's child would outlive us")
}

func TestStopLeftovers_EndsWhatAKilledOwnerLeft(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	left := startOwner(t, cfg).kill(t)
	require.NoError(t, localstack.StopLeftovers(t.Context(), cfg.Home))
	require.False(t, alive(left.Postgres))
	require.False(t, alive(left.Temporal))
	require.NoError(t, localstack.StopLeftovers(t.Context(), cfg.Home), "nothing left is no error")
}

func TestStack_BringsKilledServersBack(t *testing.T) {
	t.Parallel()
	stack := start(t, config(t, dirtest.New(t)))
	postgres, temporal := stack.PIDs()

	kill(t, temporal)
	killed := time.Now()
	require.Eventually(t, func() bool {
		_, now := stack.PIDs()
		return now != temporal && uiStatus(stack.Endpoints(), stack.Endpoints().Temporal.UIToken) == http.StatusOK
	}, within, tick, "Temporal did not come back on its address")
	t.Logf("Temporal back after %s", time.Since(killed).Round(time.Millisecond))

	_, temporal = stack.PIDs()
	kill(t, postgres)
	killed = time.Now()
	require.Eventually(t, func() bool { return ping(stack.Endpoints().DatabaseURL) == nil }, within, tick,
		"Postgres did not come back on its socket")
	t.Logf("Postgres back after %s", time.Since(killed).Round(time.Millisecond))
	require.Eventually(t, func() bool { return namespaceStatus(stack.Endpoints()) == http.StatusOK }, within, tick,
		"Temporal did not find Postgres again")
	t.Logf("Temporal answers from Postgres after %s", time.Since(killed).Round(time.Millisecond))
	_, now := stack.PIDs()
	require.Equal(t, temporal, now, "Temporal did not survive the restart of Postgres")
	require.NoError(t, stack.Err())
}

// A kill can come at any moment of the first start and of later ones, before there is data as well as between two steps.
func TestStart_SucceedsWhereverAnOwnerWasKilled(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	for moment := time.Duration(0); moment < 1200*time.Millisecond; moment += 60 * time.Millisecond {
		cfg.ParentDeath = moment%(240*time.Millisecond) == 0
		o := startOwner(t, cfg)
		<-time.After(moment) // what is tested, not a wait for something
		require.NoError(t, o.cmd.Process.Kill())
		_ = o.cmd.Wait() // reports the kill
		require.NotContains(t, o.stderr.String(), "did not", "after %s", moment)
	}
	cfg.ParentDeath = false
	query(t, start(t, cfg).Endpoints(), "SELECT 1")
}

func TestStart_IsNotFooledByAPidOfAnotherProcess(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	left := startOwner(t, cfg).kill(t)
	kill(t, left.Postgres)
	kill(t, left.Temporal)
	require.Eventually(t, func() bool { return !alive(left.Postgres) && !alive(left.Temporal) }, within, tick)

	// The dead server's number has gone to another process of the same user.
	foreign := exec.Command("sleep", "600")
	require.NoError(t, foreign.Start())
	t.Cleanup(func() {
		require.NoError(t, foreign.Process.Kill())
		_ = foreign.Wait() // reports the kill
	})
	pidFile := filepath.Join(cfg.Home, "postgres", "postmaster.pid")
	text, err := os.ReadFile(pidFile)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "\n")
	require.NoError(t, os.WriteFile(pidFile, []byte(strconv.Itoa(foreign.Process.Pid)+"\n"+rest), 0o600))

	stack := start(t, cfg)
	query(t, stack.Endpoints(), "SELECT 1")
	require.True(t, alive(foreign.Process.Pid), "a process that is not ours was ended")
}

func TestStart_SaysWhatToDoWithoutServerBinaries(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	cfg.PostgresBin = t.TempDir()
	_, err := localstack.Start(t.Context(), cfg)
	require.ErrorContains(t, err, "holds no PostgreSQL server; point it at the folder of initdb and postgres")

	cfg.PostgresBin, cfg.TemporalBinary = "", filepath.Join(t.TempDir(), "xbot-temporal")
	_, err = localstack.Start(t.Context(), cfg)
	require.ErrorContains(t, err, "xbot-temporal is not at "+cfg.TemporalBinary)
}

func TestStart_RefusesDataOfANewerPostgres(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	require.NoError(t, os.Mkdir(filepath.Join(cfg.Home, "postgres"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(cfg.Home, "postgres", "PG_VERSION"), []byte("99\n"), 0o600))
	_, err := localstack.Start(t.Context(), cfg)
	require.ErrorContains(t, err, "the data was made by PostgreSQL 99, but the newest server found is")
	require.ErrorContains(t, err, "install version 99")
}

func TestStart_NamesTheVariableWhenAPortIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, taken.Close()) })
	cfg := config(t, dirtest.New(t))
	cfg.UIPort = taken.Addr().(*net.TCPAddr).Port
	_, err = localstack.Start(t.Context(), cfg)
	require.ErrorContains(t, err, fmt.Sprintf("port %d on 127.0.0.1, which Temporal needs, is taken by another program; stop it, or set XBOT_TEMPORAL_UI_PORT", cfg.UIPort))

	cfg.UIPort = 0
	_, err = localstack.Start(t.Context(), cfg)
	require.ErrorContains(t, err, "XBOT_TEMPORAL_UI_PORT", "the port was not remembered")
}

func TestStart_ChoosesAgainWhereAPortOfTheFirstStartIsLost(t *testing.T) {
	t.Parallel()
	cfg := config(t, dirtest.New(t))
	lost := make(chan net.Addr, 1)
	trying, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { // another program takes the port as soon as it is chosen
		defer close(lost)
		for trying.Err() == nil {
			var chosen struct {
				Port int `json:"temporal_ui_port"`
			}
			text, err := os.ReadFile(filepath.Join(cfg.Home, "localstack.json"))
			if err != nil || json.Unmarshal(text, &chosen) != nil {
				runtime.Gosched()
				continue
			}
			taken, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", chosen.Port))
			if err != nil { // the start tries it at this moment
				runtime.Gosched()
				continue
			}
			t.Cleanup(func() { _ = taken.Close() }) // it is of no more use
			lost <- taken.Addr()
			return
		}
	}()
	stack := start(t, cfg)
	stop()
	addr, ok := <-lost
	require.True(t, ok, "the port was not taken")
	require.NotEqual(t, addr.String(), stack.Endpoints().Temporal.UIAddress)
	read, err := localstack.Read(cfg.Home)
	require.NoError(t, err)
	require.Equal(t, stack.Endpoints(), read)
}

func TestStart_TriesAgainWhereTemporalLosesAnInnerPort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := config(t, dirtest.New(t))
	unlucky := filepath.Join(dir, "xbot-temporal")
	script := fmt.Sprintf(`#!/bin/sh
if mkdir %[1]s/once 2>/dev/null || mkdir %[1]s/twice 2>/dev/null; then
	echo 'level=ERROR msg="Failed to start gRPC listener" error="listen tcp 127.0.0.1:30390: bind: address already in use"' >&2
	exit 1
fi
exec %[2]s "$@"
`, dir, cfg.TemporalBinary)
	require.NoError(t, os.WriteFile(unlucky, []byte(script), 0o700))
	cfg.TemporalBinary = unlucky
	stack := start(t, cfg)
	require.DirExists(t, filepath.Join(dir, "twice"))
	require.NoError(t, stack.Stop(t.Context()))
}

func TestStart_PutsTheSocketElsewhereWhenThePathIsTooLong(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	stack := start(t, config(t, home))
	query(t, stack.Endpoints(), "SELECT 1")
	dir := socketDir(t, stack.Endpoints())
	require.NotContains(t, dir, home)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "others can enter the socket's folder")
	require.NoError(t, stack.Stop(t.Context()))
	require.NoDirExists(t, dir)
}

func TestStack_IsClosedToOthers(t *testing.T) {
	t.Parallel()
	stack := start(t, config(t, dirtest.New(t)))
	endpoints := stack.Endpoints()

	t.Run("Postgres wants the password", func(t *testing.T) {
		u, err := url.Parse(endpoints.DatabaseURL)
		require.NoError(t, err)
		for _, user := range []*url.Userinfo{url.User("xbot"), url.UserPassword("xbot", "guess"), url.User("xbot_admin"), url.User("postgres")} {
			u.User = user
			require.ErrorContains(t, ping(u.String()), "password authentication failed", "role %s", user.Username())
		}
	})
	t.Run("Postgres listens on its socket only", func(t *testing.T) {
		require.Equal(t, "", query(t, endpoints, "SHOW listen_addresses"))
	})
	t.Run("the product's role is no superuser", func(t *testing.T) {
		require.Equal(t, "off", query(t, endpoints, "SHOW is_superuser"))
	})
	t.Run("another user of the machine cannot reach the socket", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Log("not checked: only root can act as another user")
			return
		}
		err := asNobody(t, "stranger", "LOCALSTACK_TEST_DSN="+endpoints.DatabaseURL).Run()
		require.Error(t, err, "with the password in hand, another user got in")
	})
	t.Run("Temporal wants a certificate of its authority", func(t *testing.T) {
		require.NoError(t, handshake(t, endpoints, true))
		require.ErrorContains(t, handshake(t, endpoints, false), "certificate required")
	})
	t.Run("the UI wants the token", func(t *testing.T) {
		require.Equal(t, http.StatusOK, uiStatus(endpoints, endpoints.Temporal.UIToken))
		require.Equal(t, http.StatusUnauthorized, uiStatus(endpoints, ""))
		require.Equal(t, http.StatusUnauthorized, uiStatus(endpoints, "guess"))
	})
	t.Run("logs show no secret", func(t *testing.T) {
		var out bytes.Buffer
		slog.New(slog.NewTextHandler(&out, nil)).Info("stack ready", "endpoints", endpoints)
		fmt.Fprintf(&out, "%v %+v %#v %s", endpoints, endpoints, endpoints, &endpoints)
		require.NotContains(t, out.String(), endpoints.Temporal.UIToken)
		require.NotContains(t, out.String(), "postgres://")
	})
}

func TestStart_ServesAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Log("the other tests are this one")
		return
	}
	shared := publicDir(t)
	binary := filepath.Join(shared, "xbot-temporal")
	copyProgram(t, localstacktest.TemporalBinary(t), binary)
	home := filepath.Join(shared, "home")
	require.NoError(t, os.Mkdir(home, 0o700))
	require.NoError(t, os.Chown(home, nobody, nobody))
	cfg := localstack.Config{Home: home, TemporalBinary: binary}

	owner := asOwner(t, cfg, asNobody(t, "owner"))
	report := owner.wait(t)
	for _, pid := range []int{report.Postgres, report.Temporal} {
		info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
		require.NoError(t, err)
		require.EqualValues(t, nobody, info.Sys().(*syscall.Stat_t).Uid)
	}
	owner.stop(t)
	require.False(t, alive(report.Postgres))

	stack := start(t, config(t, home))
	postgres, _ := stack.PIDs()
	info, err := os.Stat(fmt.Sprintf("/proc/%d", postgres))
	require.NoError(t, err)
	require.EqualValues(t, nobody, info.Sys().(*syscall.Stat_t).Uid, "root has to serve the data as its owner")
}

// query runs one statement on the product's database and returns the first column of the first row, if any.
func query(t *testing.T, e localstack.Endpoints, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), e.DatabaseURL)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	rows, err := conn.Query(t.Context(), sql)
	require.NoError(t, err)
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(values, "\n")
}

func ping(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func socketDir(t *testing.T, e localstack.Endpoints) string {
	t.Helper()
	u, err := url.Parse(e.DatabaseURL)
	require.NoError(t, err)
	return u.Query().Get("host")
}

// uiStatus asks for the UI's first page; 0 when nobody answers.
func uiStatus(e localstack.Endpoints, token string) int {
	return get(e, "/", token)
}

// namespaceStatus asks the UI for the namespace, which Temporal reads from Postgres.
func namespaceStatus(e localstack.Endpoints) int {
	return get(e, "/api/v1/namespaces/"+e.Temporal.Namespace+"/workflows", e.Temporal.UIToken)
}

func get(e localstack.Endpoints, path, token string) int {
	request, err := http.NewRequest(http.MethodGet, "http://"+e.Temporal.UIAddress+e.Temporal.UIPath+path, nil)
	if err != nil {
		return 0
	}
	request.Header.Set(localstack.UITokenHeader, token)
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body) // the status is what counts
	return response.StatusCode
}

// handshake opens a TLS connection to Temporal and waits for the server's verdict on our certificate.
func handshake(t *testing.T, e localstack.Endpoints, withCertificate bool) error {
	t.Helper()
	authority, err := os.ReadFile(e.Temporal.CAFile)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(authority))
	cfg := &tls.Config{RootCAs: roots, ServerName: e.Temporal.ServerName, NextProtos: []string{"h2"}}
	if withCertificate {
		pair, err := tls.LoadX509KeyPair(e.Temporal.CertFile, e.Temporal.KeyFile)
		require.NoError(t, err)
		cfg.Certificates = []tls.Certificate{pair}
	}
	conn, err := tls.Dial("tcp", e.Temporal.Address, cfg)
	if err != nil {
		return err
	}
	defer conn.Close()
	// In TLS 1.3 the client is done before the server has looked at its certificate. HTTP/2 servers speak first.
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(within)))
	_, err = conn.Read(make([]byte, 1))
	return err
}

// owner is another process with a stack.
type owner struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *bytes.Buffer
}

func startOwner(t *testing.T, cfg localstack.Config) *owner {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVariable+"=owner")
	return asOwner(t, cfg, cmd)
}

func asOwner(t *testing.T, cfg localstack.Config, cmd *exec.Cmd) *owner {
	t.Helper()
	cfg.Log = nil
	text, err := json.Marshal(cfg)
	require.NoError(t, err)
	o := &owner{cmd: cmd, stderr: &bytes.Buffer{}}
	cmd.Env = append(cmd.Env, "LOCALSTACK_TEST_CONFIG="+string(text))
	cmd.Stderr = o.stderr
	o.stdin, err = cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	o.stdout = bufio.NewReader(stdout)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // mostly ended already
		_ = cmd.Wait()
		_ = localstack.StopLeftovers(context.Background(), cfg.Home) // a running stack refuses, and stops by itself
	})
	return o
}

// wait returns the pids of the owner's servers once they are up.
func (o *owner) wait(t *testing.T) ownerReport {
	t.Helper()
	line, err := o.stdout.ReadBytes('\n')
	if err != nil {
		_ = o.cmd.Wait()
		require.NoError(t, err, "the owner says: %s", o.stderr)
	}
	var report ownerReport
	require.NoError(t, json.Unmarshal(line, &report))
	return report
}

// kill ends the owner with SIGKILL once its servers are up.
func (o *owner) kill(t *testing.T) ownerReport {
	t.Helper()
	report := o.wait(t)
	require.NoError(t, o.cmd.Process.Kill())
	_ = o.cmd.Wait() // reports the kill
	return report
}

// stop lets the owner stop its stack.
func (o *owner) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, o.stdin.Close())
	require.NoError(t, o.cmd.Wait(), "the owner says: %s", o.stderr)
}

// nobody is the number of the user and group of that name wherever the tests run as root.
const nobody = 65534

// asNobody prepares this test binary to play a role as an unprivileged user.
func asNobody(t *testing.T, role string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(publicDir(t), "program")
	copyProgram(t, self, program)
	cmd := exec.Command(program)
	cmd.Dir = "/"
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), roleVariable + "=" + role}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

// publicDir is a folder that every user may enter.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(dirtest.Fast(), "localstack-test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	source, err := os.Open(from)
	require.NoError(t, err)
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(target, source)
	require.NoError(t, err)
	require.NoError(t, target.Close())
}

func kill(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

// alive tells whether a process runs; a zombie, which only its parent can clear away, does not.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !os.IsNotExist(err)
	}
	_, state, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(state, "Z")
}
