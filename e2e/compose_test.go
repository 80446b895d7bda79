package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// composeOverride replaces the images, which come from a registry, by the test image with this machine's /usr and the binaries under
// test. Settings, folders, networks and health checks stay as docker-compose.yml has them.
const composeOverride = `
x-base: &base
  image: %[1]s
  volumes: ["/usr:/usr:ro", "%[2]s:/opt/xbot:ro", "%[3]s/tls:/tls:ro", "%[3]s/passwd:/etc/passwd:ro"]
services:
%[4]s
  postgres:
    <<: *base
    user: "10001:10001"
    entrypoint: [/bin/sh, -euc]
    command: ["PATH=$$(echo /usr/lib/postgresql/*/bin):$$PATH; [ -e /var/lib/postgresql/data/base ] || { initdb -D /var/lib/postgresql/data -U postgres --auth=trust >/dev/null; pg_ctl -D /var/lib/postgresql/data -o '-k /tmp -c listen_addresses=' -w start; PGHOST=/tmp POSTGRES_USER=postgres sh /docker-entrypoint-initdb.d/roles.sh; pg_ctl -D /var/lib/postgresql/data -w stop; echo 'host all all all scram-sha-256' >>/var/lib/postgresql/data/pg_hba.conf; }; exec postgres -D /var/lib/postgresql/data -k /tmp -c max_connections=300 -c listen_addresses='*'"]
    healthcheck: {test: [CMD-SHELL, "/usr/lib/postgresql/*/bin/pg_isready -h 127.0.0.1 -U xbot -d xbot"], interval: 1s, retries: 90}
  backup: {<<: *base, init: false, entrypoint: [/bin/sh, -c, 'PATH=$$(echo /usr/lib/postgresql/*/bin):$$PATH exec /bin/sh /deploy/backup.sh "$$@"', backup], healthcheck: {interval: 1s}}
  temporal-schema: {<<: *base, entrypoint: ["true"], networks: [data]}
  temporal-namespace: {<<: *base, entrypoint: ["true"]}
  temporal-ui: {<<: *base, entrypoint: [sleep, infinity]}
  temporal:
    <<: *base
    entrypoint: [/opt/xbot/xbot-temporal, --ui-addr=off, --grpc-addr=0.0.0.0:7233, --tls-dir=/tls, --postgres-host=postgres, --postgres-user=temporal, --postgres-sslmode=disable]
    environment: {XBOT_TEMPORAL_POSTGRES_PASSWORD: "${POSTGRES_TEMPORAL_PASSWORD}"}
    healthcheck: {test: [CMD, perl, -MIO::Socket::INET, -e, 'exit !IO::Socket::INET->new("127.0.0.1:7233")'], interval: 1s, retries: 120}
volumes:
  home: {driver_opts: {type: none, o: bind, device: "%[3]s/home"}}
  postgres: {driver_opts: {type: none, o: bind, device: "%[3]s/postgres"}}
  runner-state: {driver_opts: {type: none, o: bind, device: "%[3]s/runner"}}
  work: {driver_opts: {type: none, o: bind, device: "%[3]s/work"}}
`

// The services of xbot in the override: the binaries under test, or images of the Dockerfile as they are.
const (
	composeBinaries = `
  ingress: {<<: *base, user: "10001:10001", entrypoint: [/opt/xbot/xbot], command: [ingress], healthcheck: {test: [CMD, curl, -fsS, "http://127.0.0.1:8080/readyz"], interval: 1s, retries: 90}}
  worker: {<<: *base, user: "10001:10001", entrypoint: [/opt/xbot/xbot]}
  runner: {<<: *base, init: false, user: "10001:10001", entrypoint: [/opt/xbot/xbot-runner], command: [--state, /var/lib/xbot-runner, --workspace, /work]}`
	composeImages = `
  ingress: {volumes: ["%[1]s/tls:/tls:ro"]}
  worker: {volumes: ["%[1]s/tls:/tls:ro"]}`
)

// composeTag returns the tag of the images of the Dockerfile, which scripts/try-containers builds; empty: there are none.
func composeTag() string { return os.Getenv("XBOT_COMPOSE_IMAGES") }

// onlyTried skips a test that is too slow for every run.
func onlyTried(t *testing.T) {
	t.Helper()
	if composeTag() == "" {
		t.Skip("scripts/try-containers runs it")
	}
}

// composed is the product as docker-compose.yml starts it.
type composed struct {
	t     *testing.T
	dir   string // of the project, and in it the folders of its volumes
	files []string
	addr  string
	xbot  string // the program in the containers

	profiles string // of Compose, once there is a token for the runner
}

func newComposed(t *testing.T, settings ...string) *composed {
	t.Helper()
	image := runnerstest.Image(t)
	dir, err := os.MkdirTemp("/var/tmp", "xbot-compose") // the engine finds it under this name, and others may enter it
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	c := &composed{t: t, dir: dir, addr: freeAddress(t), files: []string{"docker-compose.yml", "test.yml"}, xbot: "/opt/xbot/xbot", profiles: "runner"}
	require.NoError(t, exec.CommandContext(t.Context(), "cp", "-r", "../docker-compose.yml", "../deploy", dir).Run())
	c.empty("home", "postgres", "runner", "work")
	writeCertificates(t, filepath.Join(dir, "tls"))
	c.write("passwd", "root:x:0:0::/root:/bin/sh\nxbot:x:10001:10001::/tmp:/bin/sh\n")
	require.NoError(t, os.Chmod(filepath.Join(dir, "passwd"), 0o644))
	made, err := exec.CommandContext(t.Context(), "../deploy/make-env").Output()
	require.NoError(t, err)
	lines := slices.Concat(settings, []string{
		"PUBLISH_ADDR=" + c.addr, "XBOT_PUBLIC_URL=http://" + c.addr, "TEMPORAL_TLS=true", "TEMPORAL_TLS_SERVER_NAME=xbot-temporal",
		"TEMPORAL_TLS_SERVER_CA_CERT_PATH=/tls/ca.pem", "TEMPORAL_TLS_CLIENT_CERT_PATH=/tls/client.pem", "TEMPORAL_TLS_CLIENT_KEY_PATH=/tls/client-key.pem",
	})
	real, err := filepath.EvalSymlinks(filepath.Join(bin, "xbot-temporal")) // beside links to it stand scripts that a container cannot run
	require.NoError(t, err)
	binaries, err := filepath.Abs(filepath.Dir(real))
	require.NoError(t, err)
	services := composeBinaries
	if tag := composeTag(); tag != "" {
		services, c.xbot = fmt.Sprintf(composeImages, dir), "xbot"
		lines = append(lines, "XBOT_VERSION="+tag)
	}
	c.write(".env", string(made)+strings.Join(lines, "\n")+"\n")
	c.write("test.yml", fmt.Sprintf(composeOverride, image, binaries, dir, services))
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.try(context.Background(), "logs", "--tail", "40"))
		}
		t.Log(c.try(context.Background(), "down", "--volumes", "--remove-orphans", "--timeout", "5"))
		require.NoError(t, os.RemoveAll(dir))
	})
	return c
}

// empty makes folders of volumes, which belong to the user of the containers.
func (c *composed) empty(names ...string) {
	c.t.Helper()
	for _, name := range names {
		path := filepath.Join(c.dir, name)
		require.NoError(c.t, os.RemoveAll(path))
		require.NoError(c.t, os.Mkdir(path, 0o700))
		require.NoError(c.t, os.Chown(path, 10001, 10001))
	}
}

func (c *composed) write(name, text string) {
	c.t.Helper()
	require.NoError(c.t, os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600))
}

func (c *composed) command(ctx context.Context, args ...string) *exec.Cmd {
	var head []string
	for _, file := range c.files {
		head = append(head, "-f", file)
	}
	args = slices.Concat(head, args)
	cmd := exec.CommandContext(ctx, "docker-compose", args...)
	if exec.CommandContext(ctx, "docker", "compose", "version").Run() == nil {
		cmd = exec.CommandContext(ctx, "docker", append([]string{"compose"}, args...)...)
	}
	cmd.Dir = c.dir
	return cmd
}

func (c *composed) try(ctx context.Context, args ...string) string {
	out, err := c.command(ctx, args...).CombinedOutput()
	return fmt.Sprintf("%s%v", out, err)
}

// run returns what a command of Compose prints on its standard output.
func (c *composed) run(args ...string) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := c.command(ctx, args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(c.t, err, "%v: %s", args, said.String())
	return strings.TrimSpace(string(out))
}

// in runs xbot in a service.
func (c *composed) in(service string, args ...string) string {
	c.t.Helper()
	return c.run(append([]string{"exec", "-T", service, c.xbot}, args...)...)
}

// kill kills the process of a service, and starts it again in a new container.
func (c *composed) kill(service string) {
	c.t.Helper()
	c.run("kill", "-s", "SIGKILL", service) // Compose 1 ignores --signal
	c.run("up", "--detach", "--no-build", "--no-deps", "--force-recreate", service)
}

func TestCompose_StartsWithEverySettingAndAHomeThatLasts(t *testing.T) {
	c := newComposed(t, "LLM_PROVIDER=demo", "LLM_MAX_CONTEXT=54321", "AGENT_MAX_ITERATIONS=33")
	c.run("up", "--detach", "--no-build")
	for _, service := range []string{"ingress", "worker"} {
		said := c.in(service, "config")
		require.Regexp(t, `LLM_MAX_CONTEXT\s+54321`, said, "a setting that the compose file does not name, in the %s", service)
		require.Regexp(t, `AGENT_MAX_ITERATIONS\s+33`, said)
		require.Empty(t, c.run("exec", "-T", service, "printenv", "POSTGRES_ADMIN_PASSWORD"), "the %s does not need it", service)
	}
	k := c.newTalk()
	id := k.send("run sleep 3; echo ran >>trace; cat trace")
	k.untilTool(startLimit, chat.CallRunning)
	c.run("exec", "-T", "ingress", "sh", "-c", "echo kept >/var/lib/xbot/note")
	c.kill("worker")
	c.kill("ingress")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	trace, err := os.ReadFile(filepath.Join(c.dir, "work", "trace"))
	require.NoError(t, err)
	require.Equal(t, "ran\n", string(trace), "once, although worker and ingress were killed")
	require.Equal(t, "kept", c.run("exec", "-T", "worker", "cat", "/var/lib/xbot/note"), "one home for both, which outlives their containers")
}

// newTalk starts the runner, and a conversation.
func (c *composed) newTalk() *talk {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		response, err := http.Get("http://" + c.addr + "/readyz")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK
	}, startLimit, 100*time.Millisecond, "the ingress is ready")
	token := c.in("ingress", "runner", "create", "local")
	env, err := os.ReadFile(filepath.Join(c.dir, ".env"))
	require.NoError(c.t, err)
	c.write(".env", string(env)+"COMPOSE_PROFILES="+c.profiles+"\nRUNNER_TOKEN="+lastWord(token)+"\n")
	c.run("up", "--detach", "--no-build")
	client := apiclient.New(apiclient.Endpoint{URL: "http://" + c.addr, Token: lastWord(c.in("ingress", "token", "create", "test"))})
	c.t.Cleanup(client.Close)
	session, err := client.CreateSession(c.t.Context(), apiclient.NewSession{})
	require.NoError(c.t, err)
	return &talk{server: &server{t: c.t, client: client}, key: session.Key}
}

// TestCompose_SecretsAreFilesWhereTheyAreMoved has deploy/make-secrets move the secrets, and looks for them in what the engine shows of containers.
func TestCompose_SecretsAreFilesWhereTheyAreMoved(t *testing.T) {
	c := newComposed(t, "LLM_PROVIDER=demo", "LLM_API_KEY=sk-moved-away")
	text, err := os.ReadFile(filepath.Join(c.dir, ".env"))
	require.NoError(t, err)
	var moved []string
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if slices.Contains([]string{"XBOT_ENCRYPTION_KEY", "POSTGRES_ADMIN_PASSWORD", "POSTGRES_XBOT_PASSWORD", "LLM_API_KEY"}, name) {
			require.NotEmpty(t, value, name)
			moved = append(moved, value)
		}
	}
	require.Len(t, moved, 4)
	for range 2 { // the second run changes nothing
		cmd := exec.CommandContext(t.Context(), "deploy/make-secrets")
		cmd.Dir = c.dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	c.files = []string{"docker-compose.yml", "deploy/compose.secrets.yml", "test.yml"}
	c.run("up", "--detach", "--no-build")
	require.Contains(t, c.in("ingress", "config"), "********")
	require.Contains(t, c.try(t.Context(), "exec", "-T", "worker", c.xbot, "doctor"), "✓ Postgres")
	ids := strings.Fields(c.run("ps", "--quiet"))
	require.NotEmpty(t, ids)
	shown, err := exec.CommandContext(t.Context(), "docker", append([]string{"inspect"}, ids...)...).Output()
	require.NoError(t, err)
	text, err = os.ReadFile(filepath.Join(c.dir, ".env"))
	require.NoError(t, err)
	for _, secret := range moved {
		require.NotContains(t, string(shown), secret)
		require.NotContains(t, string(text), secret)
	}
	require.Contains(t, string(shown), `"max-size": "10m"`)
}

// TestCompose_ABackupIsRestoredIntoEmptyVolumes runs the commands of deploy/README.md.
func TestCompose_ABackupIsRestoredIntoEmptyVolumes(t *testing.T) {
	onlyTried(t)
	c := newComposed(t, "LLM_PROVIDER=demo")
	c.profiles = "runner,backup"
	c.run("up", "--detach", "--no-build")
	k := c.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(startLimit, k.send("run echo saved")).State)
	c.run("exec", "-T", "ingress", "sh", "-c", "echo kept >/var/lib/xbot/prompt.md")
	c.run("run", "-T", "--rm", "backup", "once")
	c.run("down", "--volumes", "--timeout", "5")
	c.empty("home", "postgres")
	dumps, err := filepath.Glob(filepath.Join(c.dir, "backup", "xbot-*.dump"))
	require.NoError(t, err)
	require.NotEmpty(t, dumps)
	newest := slices.Max(dumps)
	c.run("run", "-T", "--rm", "backup", "restore", strings.TrimSuffix(strings.TrimPrefix(filepath.Base(newest), "xbot-"), ".dump"))
	c.run("up", "--detach", "--no-build")
	require.Eventually(t, func() bool {
		_, err := k.client.Me(t.Context())
		return err == nil && k.client.Ready(t.Context()) == nil
	}, startLimit, 100*time.Millisecond, "the token of before lets in")
	require.Equal(t, "kept", c.run("exec", "-T", "worker", "cat", "/var/lib/xbot/prompt.md"), "the user of the server can read it")
	require.Equal(t, chat.TurnDone, k.untilEnded(harmLimit, k.send("run cat /proc/self/comm")).State, "the conversation goes on, on the runner of before")
	require.Eventually(t, func() bool {
		return runnerstest.Docker(t, "inspect", "--format", "{{.State.Health.Status}}", c.run("ps", "--quiet", "backup")) == "healthy"
	}, startLimit, time.Second, "the newest backup is not overdue")
}

// TestCompose_APostgresElsewhereIsUsedOverTLS runs the commands of deploy/README.md for a Postgres that is not one of the services.
func TestCompose_APostgresElsewhereIsUsedOverTLS(t *testing.T) {
	onlyTried(t)
	c := newComposed(t, "LLM_PROVIDER=demo", "POSTGRES_HOST=db.test.internal", "POSTGRES_CA=./tls/ca.pem")
	c.files = []string{"docker-compose.yml", "deploy/compose.postgres.yml", "test.yml", "elsewhere.yml"}
	c.write("elsewhere.yml", fmt.Sprintf(composeElsewhere, runnerstest.Image(t), c.dir))
	c.run("up", "--detach", "--no-build", "database", "postgres")
	c.run("exec", "-T", "postgres", "sh", "-c", `PATH=$(echo /usr/lib/postgresql/*/bin):$PATH; until pg_isready --quiet; do sleep 1; done; PGPASSWORD=admin exec sh /docker-entrypoint-initdb.d/roles.sh`)
	c.run("up", "--detach", "--no-build")
	k := c.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(startLimit, k.send("run echo saved")).State)
	c.run("run", "-T", "--rm", "backup", "once")
	require.Contains(t, c.try(t.Context(), "exec", "-T", "worker", c.xbot, "doctor"), "✓ Postgres")
	require.Equal(t, "sleep", c.run("exec", "-T", "postgres", "sh", "-c", `cat /proc/[0-9]*/comm | grep -x -e sleep -e postgres | sort -u`), "no server in the container")
	plain := c.run("exec", "-T", "database", "sh", "-c",
		`/usr/lib/postgresql/*/bin/psql -h /tmp -U postgres -tAc "SELECT count(*) FILTER (WHERE NOT ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE client_addr IS NOT NULL"`)
	require.Equal(t, "0", plain, "each connection is encrypted")
}

// composeElsewhere is a Postgres with TLS as it may run elsewhere. The server of the service postgres stays out, and Temporal's stand-in
// has flags of its own.
const composeElsewhere = `
services:
  database:
    image: %[1]s
    user: "10001:10001"
    volumes: ["/usr:/usr:ro", "%[2]s/tls:/tls:ro", "%[2]s/passwd:/etc/passwd:ro"]
    networks: {outside: {aliases: [db.test.internal]}}
    entrypoint: [/bin/sh, -euc]
    command: ["PATH=$$(echo /usr/lib/postgresql/*/bin):$$PATH; D=/tmp/data; initdb -D $$D -U postgres --auth-local=trust --auth-host=scram-sha-256 --pwfile=/dev/stdin >/dev/null <<E\nadmin\nE\n cp /tls/server.pem /tls/server-key.pem /tmp; chmod 600 /tmp/server-key.pem; echo 'hostssl all all all scram-sha-256' >>$$D/pg_hba.conf; exec postgres -D $$D -k /tmp -c max_connections=300 -c listen_addresses='*' -c ssl=on -c ssl_cert_file=/tmp/server.pem -c ssl_key_file=/tmp/server-key.pem"]
  postgres:
    init: false
    entrypoint: [sleep]
    command: [infinity]
    healthcheck: {test: [CMD-SHELL, "/usr/lib/postgresql/*/bin/pg_isready -d xbot -U xbot"]}
  temporal:
    entrypoint: [/opt/xbot/xbot-temporal, --ui-addr=off, --grpc-addr=0.0.0.0:7233, --tls-dir=/tls, --postgres-host=db.test.internal, --postgres-user=temporal, --postgres-sslmode=verify-full]
    environment: {PGSSLROOTCERT: /etc/postgres-ca.pem}
`

// TestCompose_Kills harms the containers in the middle of commands.
func TestCompose_Kills(t *testing.T) {
	onlyTried(t)
	c := newComposed(t, "LLM_PROVIDER=demo")
	c.run("up", "--detach", "--no-build")
	k := c.newTalk()
	for _, harm := range c.harms() {
		t.Run(harm.name, func(t *testing.T) { c.endure(t, k, harm) })
	}
}

// endure does harm while a command runs.
func (c *composed) endure(t *testing.T, k *talk, harm harm) {
	word := strings.ReplaceAll(harm.name, " ", "-")
	id := k.send("run echo begun-" + word + " >>trace; until [ -e go-" + word + " ]; do sleep 0.1; done; echo ended-" + word + " >>trace")
	k.untilTool(startLimit, chat.CallRunning)
	begin := time.Now()
	harm.do()
	if harm.result == "" {
		require.NoError(t, os.WriteFile(filepath.Join(c.dir, "work", "go-"+word), nil, 0o644))
	}
	require.Equal(t, chat.TurnDone, k.untilEnded(harmLimit, id).State, harm.name)
	trace, err := os.ReadFile(filepath.Join(c.dir, "work", "trace"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(trace), "begun-"+word+"\n"), "%s: %s", harm.name, trace)
	ended := strings.Count(string(trace), "ended-"+word+"\n")
	result := lastCalls(k)[0].Result
	if harm.result == "" {
		require.Equal(t, 1, ended, "%s: %s", harm.name, trace)
		require.Contains(t, result, "exit code 0", harm.name)
	} else {
		require.Zero(t, ended, "%s: %s", harm.name, trace)
		require.Contains(t, result, harm.result, harm.name)
	}
	t.Logf("%-28s answered after %s, the command ended %d times", harm.name, time.Since(begin).Round(time.Second), ended)
}

// harm is something that happens to containers.
type harm struct {
	name   string
	do     func()
	result string // of the command that ended with its container; empty: the command goes on
}

func (c *composed) harms() []harm {
	const unknown, stopped = "outcome unknown", "shuts down"
	harms := []harm{
		{"kill ingress", func() { c.kill("ingress") }, ""},
		{"kill worker", func() { c.kill("worker") }, ""},
		{"kill temporal", func() { c.kill("temporal") }, ""},
		{"kill postgres", func() { c.kill("postgres") }, ""},
		{"kill the program of the runner", func() { c.run("exec", "-T", "runner", "pkill", "-KILL", "-f", "^xbot-runner --state") }, ""},
		{"kill runner", func() { c.kill("runner") }, unknown},
		{"restart runner", func() { c.run("restart", "runner") }, stopped},
		{"replace ingress and worker", func() { c.run("up", "--detach", "--no-build", "--no-deps", "--force-recreate", "ingress", "worker") }, ""},
		{"down and up", func() { c.run("down", "--timeout", "10"); c.run("up", "--detach", "--no-build") }, stopped},
	}
	if runnerstest.HasOwnEngine() {
		harms = append(harms, harm{"kill the engine", func() {
			engine := runnerstest.OwnEngine(c.t)
			engine.End(syscall.SIGKILL)
			engine.Start()
		}, stopped})
	}
	return harms
}

// harmLimit bounds an answer after a harm: Postgres recovers for half a minute on a busy machine.
const harmLimit = 3 * time.Minute

func lastWord(text string) string {
	words := strings.Fields(text)
	return words[len(words)-1]
}

// writeCertificates makes what xbot-temporal and its clients need to trust one another.
func writeCertificates(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, os.Mkdir(dir, 0o755))
	var authority *x509.Certificate
	var authorityKey *ecdsa.PrivateKey
	for i, name := range []string{"ca", "server", "client"} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		certificate := &x509.Certificate{
			SerialNumber: big.NewInt(int64(i + 1)), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"xbot-temporal", "db.test.internal"},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: i == 0, BasicConstraintsValid: true,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		}
		if authority == nil {
			authority, authorityKey = certificate, key
		}
		der, err := x509.CreateCertificate(rand.Reader, certificate, authority, key.Public(), authorityKey)
		require.NoError(t, err)
		private, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		for file, block := range map[string]*pem.Block{name + ".pem": {Type: "CERTIFICATE", Bytes: der}, name + "-key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o644))
		}
	}
}
