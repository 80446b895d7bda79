package main

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// connect opens a client, with the certificates of tlsDir unless that is empty.
func connect(t *testing.T, e endpoints, tlsDir string) (client.Client, error) {
	t.Helper()
	opts := client.Options{HostPort: e.GRPC, Namespace: e.Namespace, Logger: silent{}}
	if tlsDir != "" {
		certs, err := loadCertificates(tlsDir)
		require.NoError(t, err)
		opts.ConnectionOptions.TLS, err = certs.provider().GetFrontendClientConfig()
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	c, err := client.DialContext(ctx, opts)
	if err == nil {
		t.Cleanup(c.Close)
	}
	return c, err
}

// silent is a logger for clients whose failures are expected.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}

func greet(ctx workflow.Context, name string) (string, error) {
	return "hello " + name, workflow.Sleep(ctx, time.Millisecond)
}

// greeting runs a workflow with a search attribute and waits until it is found by it.
func greeting(t *testing.T, c client.Client) {
	t.Helper()
	w := worker.New(c, "queue", worker.Options{})
	w.RegisterWorkflow(greet)
	require.NoError(t, w.Start())
	defer w.Stop()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		TaskQueue:             "queue",
		TypedSearchAttributes: temporal.NewSearchAttributes(temporal.NewSearchAttributeKeyKeyword("XbotSession").ValueSet("s1")),
	}, greet, "world")
	require.NoError(t, err)
	var answer string
	require.NoError(t, run.Get(t.Context(), &answer))
	require.Equal(t, "hello world", answer)
	requireFound(t, c)
}

func requireFound(t *testing.T, c client.Client) {
	t.Helper()
	require.Eventually(t, func() bool {
		found, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Query: `XbotSession = "s1" AND ExecutionStatus = "Completed"`,
		})
		return err == nil && len(found.GetExecutions()) == 1
	}, within, tick)
}

func TestServe_RunsWorkflowsAndKeepsThem(t *testing.T) {
	t.Parallel()
	flags, dir := setup(t)
	tlsDir := makeCertificates(t)
	flags = append(flags, "--tls-dir="+tlsDir, "--lock-file="+filepath.Join(dir, "lock"))

	first := launch(t, flags...)
	c, err := connect(t, first.ready(t), tlsDir)
	require.NoError(t, err)
	greeting(t, c)
	c.Close()
	require.NoError(t, first.cmd.Process.Signal(syscall.SIGTERM))
	stopped := time.Now()
	first.ends(t, 0)
	require.Less(t, time.Since(stopped), 10*time.Second)
	require.Empty(t, first.stderr.String(), "a quiet run says something")

	second := launch(t, flags...)
	c, err = connect(t, second.ready(t), tlsDir)
	require.NoError(t, err)
	requireFound(t, c)
	described, err := c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
	require.NoError(t, err)
	require.Equal(t, 30*24*time.Hour, described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())
	for _, name := range searchAttributes {
		require.Contains(t, mapValues(described.GetConfig().GetCustomSearchAttributeAliases()), name)
	}
}

func mapValues(m map[string]string) []string {
	var values []string
	for _, value := range m {
		values = append(values, value)
	}
	return values
}

func TestServe_UpdatesRetention(t *testing.T) {
	t.Parallel()
	flags, _ := setup(t)
	p := launch(t, flags...)
	p.ready(t)
	require.NoError(t, p.cmd.Process.Kill())
	<-p.exited

	c, err := connect(t, launch(t, append(flags, "--retention=48h")...).ready(t), "")
	require.NoError(t, err)
	described, err := c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
	require.NoError(t, err)
	require.Equal(t, 48*time.Hour, described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())
}

func TestServe_WantsACertificateOfItsAuthority(t *testing.T) {
	t.Parallel()
	flags, dir := setup(t)
	tlsDir := makeCertificates(t)
	p := launch(t, append(flags, "--tls-dir="+tlsDir, "--lock-file="+filepath.Join(dir, "lock"))...)
	e := p.ready(t)

	_, err := connect(t, e, tlsDir)
	require.NoError(t, err)
	_, err = connect(t, e, "")
	require.Error(t, err, "a plain connection got in")
	for _, addr := range listeners(t, p.cmd.Process.Pid) {
		if addr == e.UI {
			continue
		}
		conn, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		require.NoError(t, err, "%s does not speak TLS", addr)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(within)))
		_, err = conn.Read(make([]byte, 1))
		require.ErrorContains(t, err, "certificate required", "%s lets everybody in", addr)
		require.NoError(t, conn.Close())
	}
}

// listeners returns the TCP addresses on which the process listens, which have to be loopback addresses.
func listeners(t *testing.T, pid int) []string {
	t.Helper()
	inodes := map[string]bool{}
	links, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fd", "*"))
	require.NoError(t, err)
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil {
			if inode, found := strings.CutPrefix(target, "socket:["); found {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	var addrs []string
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "net", table))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			const listening = "0A"
			if len(fields) < 10 || fields[3] != listening || !inodes[fields[9]] {
				continue
			}
			host, port, _ := strings.Cut(fields[1], ":")
			require.Equal(t, "0100007F", host, "listens on more than loopback")
			number, err := strconv.ParseUint(port, 16, 16)
			require.NoError(t, err)
			addrs = append(addrs, net.JoinHostPort("127.0.0.1", strconv.FormatUint(number, 10)))
		}
	}
	require.GreaterOrEqual(t, len(addrs), 5, "frontend, history, matching, worker and UI")
	return addrs
}

func TestServe_ShowsTheUIToWhoHasTheToken(t *testing.T) {
	t.Parallel()
	flags, _ := setup(t)
	tlsDir := makeCertificates(t)
	e := launch(t, append(flags, "--tls-dir="+tlsDir)...).ready(t)
	get := func(path, token string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+e.UI+path, nil)
		require.NoError(t, err)
		if token != "" {
			request.Header.Set(tokenHeader, token)
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, response.Body.Close()) })
		return response
	}
	for _, path := range []string{"/temporal/", "/temporal/api/v1/namespaces", "/healthz"} {
		require.Equal(t, http.StatusUnauthorized, get(path, "").StatusCode, path)
		require.Equal(t, http.StatusUnauthorized, get(path, "guess").StatusCode, path)
	}
	page := get("/temporal/namespaces/default/workflows", "let me in")
	require.Equal(t, http.StatusOK, page.StatusCode)
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "script-src 'strict-dynamic' 'sha256-")
	require.Equal(t, http.StatusOK, get("/temporal/api/v1/namespaces/default", "let me in").StatusCode, "the UI does not reach the server")
}

func TestServe_OffersMetricsAndProfiles(t *testing.T) {
	t.Parallel()
	flags, _ := setup(t)
	metrics, err := addresses{}.free("127.0.0.1")
	require.NoError(t, err)
	pprof, err := addresses{"metrics": metrics}.free("127.0.0.1")
	require.NoError(t, err)
	launch(t, append(flags, "--metrics-addr="+metrics, "--pprof-addr="+pprof, "--ui-addr=off")...).ready(t)
	for url, want := range map[string]string{
		"http://" + metrics + "/metrics":           "service_requests",
		"http://" + pprof + "/debug/pprof/cmdline": "--pprof-addr",
	} {
		response, err := http.Get(url)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Contains(t, string(text), want)
	}
}

func TestServe_EndsWithItsParent(t *testing.T) {
	t.Parallel()
	flags, _ := setup(t)
	p := launch(t, append(flags, "--die-with-parent")...)
	p.ready(t)
	require.NoError(t, p.stdin.Close())
	p.ends(t, 0)
}

func TestServe_StopsWhileItWaitsForPostgres(t *testing.T) {
	t.Parallel()
	flags, dir := setup(t)
	lock := filepath.Join(dir, "lock")
	p := launch(t, append(flags, "--postgres-host="+dir, "--lock-file="+lock)...)
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(lock)
		return err == nil && strings.Contains(string(text), `"pid"`)
	}, within, tick)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGINT))
	p.ends(t, 0)
	require.Empty(t, p.stderr.String())
}

func TestServe_SaysInOneSentenceWhatToDo(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, taken.Close()) })
	for name, test := range map[string]struct {
		flags []string
		want  string
	}{
		"a port in use":        {[]string{"--grpc-addr=" + taken.Addr().String()}, "--grpc-addr " + taken.Addr().String() + " is in use by another program; stop it or choose another port"},
		"the UI's port in use": {[]string{"--ui-addr=" + taken.Addr().String()}, "--ui-addr " + taken.Addr().String() + " is in use"},
		"metrics port in use":  {[]string{"--metrics-addr=" + taken.Addr().String()}, "--metrics-addr " + taken.Addr().String() + " is in use"},
		"no Postgres":          {[]string{"--postgres-host=127.0.0.1", "--postgres-port=1", "--postgres-wait=100ms"}, "no Postgres answers at 127.0.0.1:1; start it, or correct --postgres-host and --postgres-port"},
		"no socket":            {[]string{"--postgres-host=/nowhere", "--postgres-wait=100ms"}, "no Postgres answers at the socket in /nowhere, port 5432"},
		"a wrong role":         {[]string{"--postgres-user=stranger"}, "refuses role stranger; check --postgres-user, --postgres-password-file and XBOT_TEMPORAL_POSTGRES_PASSWORD"},
		"a role without right": {[]string{"--postgres-user=poor"}, "ALTER ROLE poor CREATEDB"},
		"an unknown flag":      {[]string{"--no-such-flag"}, "unknown flag --no-such-flag; see xbot-temporal --help"},
		"no certificates":      {[]string{"--tls-dir=/nowhere"}, "load the certificates of --tls-dir /nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flags, _ := setup(t)
			require.Contains(t, launch(t, append(flags, test.flags...)...).fails(t), test.want)
		})
	}
}

func TestServe_RefusesANewerSchema(t *testing.T) {
	t.Parallel()
	flags, _ := setup(t)
	p := launch(t, flags...)
	p.ready(t)
	require.NoError(t, p.cmd.Process.Kill())
	<-p.exited
	_, err := open(t, flags).Exec(t.Context(), "UPDATE schema_version SET curr_version = '1.999'")
	require.NoError(t, err)
	require.Contains(t, launch(t, flags...).fails(t), "has schema 1.999, newer than the 1.19 this xbot-temporal knows; use the newer xbot-temporal that made it")
}

func TestServe_UpgradesAnOlderSchemaAfterACrash(t *testing.T) {
	t.Parallel()
	flags, _ := setup(t)
	p := launch(t, flags...)
	p.ready(t)
	require.NoError(t, p.cmd.Process.Kill())
	<-p.exited
	// As if the process had died between the last step and noting its version.
	conn := open(t, flags)
	_, err := conn.Exec(t.Context(), "UPDATE schema_version SET curr_version = '1.18'")
	require.NoError(t, err)
	launch(t, flags...).ready(t)
	var version string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT curr_version FROM schema_version").Scan(&version))
	require.Equal(t, "1.19", version)
}

func TestServe_HoldsItsLockFile(t *testing.T) {
	t.Parallel()
	flags, dir := setup(t)
	flags = append(flags, "--lock-file="+filepath.Join(dir, "lock"), "--label=mine")
	p := launch(t, flags...)
	e := p.ready(t)
	text, err := os.ReadFile(filepath.Join(dir, "lock"))
	require.NoError(t, err)
	require.JSONEq(t, `{"pid":`+strconv.Itoa(p.cmd.Process.Pid)+`,"label":"mine","grpc":"`+e.GRPC+`","ui":"`+e.UI+`","namespace":"default"}`, string(text))
	require.Contains(t, launch(t, flags...).fails(t), "another xbot-temporal (pid "+strconv.Itoa(p.cmd.Process.Pid)+") holds")

	require.NoError(t, p.cmd.Process.Kill())
	<-p.exited
	launch(t, flags...).ready(t)
}
