package scripts_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// monitoring is the folder of what the package has for Prometheus and Grafana.
const monitoring = "../deploy/prometheus/"

func TestMonitoring_TheRulesDoWhatTheirTestsSay(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian: apt install prometheus)")
	}
	for _, args := range [][]string{
		{"check", "rules", monitoring + "xbot.rules.yml"}, {"check", "config", "--syntax-only", monitoring + "prometheus.yml"}, {"test", "rules", monitoring + "xbot.test.yml"},
	} {
		out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
	}
	rules, err := os.ReadFile(monitoring + "xbot.rules.yml")
	require.NoError(t, err)
	tests, err := os.ReadFile(monitoring + "xbot.test.yml")
	require.NoError(t, err)
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(string(rules), -1) {
		require.Regexp(t, alert[1]+`, exp_alerts: \[\{`, string(tests), "an alert that is never raised in a test")
	}
}

// metricNames matches the metrics that xbot names itself.
var metricNames = regexp.MustCompile(`\bxbot_[a-z_]+\b`)

// TestMonitoring_MetricsAreThoseOfTheCode compares rules and dashboard with the code.
func TestMonitoring_MetricsAreThoseOfTheCode(t *testing.T) {
	made := map[string]bool{}
	quoted := regexp.MustCompile(`(?:Name: +|NewDesc\(\s*)"(xbot_[a-z_]+)"`)
	for _, root := range []string{"../server", "../ingress", "../internal", "../worker", "../activities"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
				made[m[1]] = true
			}
			return err
		}))
	}
	require.Greater(t, len(made), 20)
	for _, file := range []string{"xbot.rules.yml", "xbot.test.yml", "dashboard.json"} {
		text, err := os.ReadFile(monitoring + file)
		require.NoError(t, err)
		names := metricNames.FindAllString(string(text), -1)
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			require.True(t, made[strings.TrimSuffix(name, "_bucket")], "%s names %s, which no process has", file, name)
		}
	}
	text, err := os.ReadFile(monitoring + "dashboard.json")
	require.NoError(t, err)
	require.True(t, json.Valid(text))
}

func TestNamespace_SaysWhyItCannotBeMadeAndEnds(t *testing.T) {
	for name, c := range map[string]struct {
		temporal string
		fails    bool
		said     string
		tries    int
	}{
		"it is there":        {`exit 0`, false, "the namespace default is there", 1},
		"it is made":         {`[ "$3" = create ]`, false, "the namespace default was made", 2},
		"Temporal is away":   {`echo "connection refused" >&2; exit 1`, true, "cannot be made at temporal:7233: connection refused", 6},
		"it comes by and by": {`[ "$(wc -l <"${0%/*}/tries")" -ge 5 ]`, false, "the namespace default is there", 5},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.program("temporal", `echo >>"${0%/*}/tries"; `+c.temporal)
			m.env = append(m.env, "TEMPORAL_NAMESPACE=default", "TEMPORAL_ADDRESS=temporal:7233", "ATTEMPTS=3", "PAUSE=0")
			out, err := m.command("../deploy/temporal/namespace.sh").CombinedOutput()
			require.Equal(t, c.fails, err != nil, string(out))
			require.Contains(t, string(out), c.said)
			tries, err := os.ReadFile(filepath.Join(m.dir, "tries"))
			require.NoError(t, err)
			require.Len(t, tries, c.tries)
		})
	}
}

func TestSchema_SaysThatItFailedAndEnds(t *testing.T) {
	m := newMachine(t)
	m.program("temporal-sql-tool", `echo "no such host" >&2; exit 1`)
	m.env = append(m.env, "SQL_HOST=postgres", "ATTEMPTS=2", "PAUSE=0")
	out, err := m.command("../deploy/temporal/schema.sh").CombinedOutput()
	require.Error(t, err)
	require.Equal(t, 2, strings.Count(string(out), "no such host\nthe databases of Temporal at postgres could not be prepared"), string(out))
	m.program("temporal-sql-tool", `echo "$*" >>"${0%/*}/done"`)
	out, err = m.command("../deploy/temporal/schema.sh").CombinedOutput()
	require.NoError(t, err, string(out))
	done, err := os.ReadFile(filepath.Join(m.dir, "done"))
	require.NoError(t, err)
	require.Equal(t, 6, strings.Count(string(done), "\n"), string(done))
}

// TestUnits_AreHardened bounds what systemd says that services are exposed to.
func TestUnits_AreHardened(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed (Debian: apt install systemd)")
	}
	rating := regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`)
	for unit, most := range map[string]float64{"xbot-ingress": 2, "xbot-worker": 2, "xbot": 4, "xbot-runner": 4} {
		out, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=yes", "../deploy/systemd/"+unit+".service").CombinedOutput()
		require.NoError(t, err, string(out))
		found := rating.FindStringSubmatch(string(out))
		require.NotNil(t, found, string(out))
		level, err := strconv.ParseFloat(found[1], 64)
		require.NoError(t, err)
		require.LessOrEqual(t, level, most, unit)
	}
}

// TestCompose_ContainersAreBoundedAndHaveVersions reads the compose file as text: the engine is another test's.
func TestCompose_ContainersAreBoundedAndHaveVersions(t *testing.T) {
	text, err := os.ReadFile("../docker-compose.yml")
	require.NoError(t, err)
	version, err := os.ReadFile("../VERSION")
	require.NoError(t, err)
	images := regexp.MustCompile(`(?m)^    image: (\S+)$|^  image: (\S+)$`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, images, 7)
	for _, m := range images {
		image := m[1] + m[2]
		require.Regexp(t, `:(\d+\.\d+|\$\{XBOT_VERSION:-`+regexp.QuoteMeta(strings.TrimSpace(string(version)))+`\})`, image)
	}
	require.Equal(t, len(images), strings.Count(string(text), "logging: *logging"), "each container's log is bounded")
	require.Equal(t, len(images), strings.Count(string(text), "mem_limit: "), "and its memory")
}

func TestSecrets_AreMovedOutOfTheSettings(t *testing.T) {
	m := newMachine(t)
	for _, name := range []string{"chmod", "mv", "mkdir", "cp"} {
		path, err := exec.LookPath(name)
		require.NoError(t, err)
		_ = os.Symlink(path, filepath.Join(m.dir, name)) // some are there
	}
	require.NoError(t, os.Mkdir(filepath.Join(m.dir, "deploy"), 0o755))
	script, err := os.ReadFile("../deploy/make-secrets")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "deploy", "make-secrets"), script, 0o755))
	env := filepath.Join(m.dir, ".env")
	move := func(settings string) string {
		t.Helper()
		require.NoError(t, os.WriteFile(env, []byte(settings), 0o600))
		cmd := exec.CommandContext(t.Context(), filepath.Join(m.dir, "deploy", "make-secrets"), env)
		cmd.Env = []string{"PATH=" + m.dir}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		left, err := os.ReadFile(env)
		require.NoError(t, err)
		return string(left)
	}
	secret := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(m.dir, "deploy", "secrets", name))
		require.NoError(t, err)
		return string(text)
	}
	left := move("# kept\nXBOT_ENCRYPTION_KEY=a+/b=\nPOSTGRES_ADMIN_PASSWORD=p1\nPOSTGRES_XBOT_PASSWORD=p2\nPOSTGRES_TEMPORAL_PASSWORD=p3\nLLM_MODEL=m\n")
	require.Equal(t, "# kept\nXBOT_ENCRYPTION_KEY=moved-to-deploy-secrets\nPOSTGRES_ADMIN_PASSWORD=moved-to-deploy-secrets\nPOSTGRES_XBOT_PASSWORD=moved-to-deploy-secrets\nPOSTGRES_TEMPORAL_PASSWORD=p3\nLLM_MODEL=m\n", left)
	require.Equal(t, "a+/b=", secret("encryption_key"))
	require.Equal(t, "postgres://xbot:p2@postgres:5432/xbot?sslmode=disable", secret("database_url"))
	require.Empty(t, secret("runner_token"))

	left = move(left + "RUNNER_TOKEN=r\nLLM_API_KEY=k\n")
	require.Contains(t, left, "RUNNER_TOKEN=\nLLM_API_KEY=\nLLM_API_KEY_FILE=/run/secrets/llm_api_key\n")
	require.Equal(t, []string{"a+/b=", "p1", "p2", "r", "k"}, []string{secret("encryption_key"), secret("postgres_admin"), secret("postgres_xbot"), secret("runner_token"), secret("llm_api_key")})
	require.Equal(t, left, move(left), "a third run changes nothing")
	info, err := os.Stat(filepath.Join(m.dir, "deploy", "secrets"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

// TestOperate_RunsAsTheServiceThatRuns has no systemd, but programs that note how they are called.
func TestOperate_RunsAsTheServiceThatRuns(t *testing.T) {
	for active, home := range map[string]string{"xbot": "/var/lib/xbot", "xbot-worker": "/var/lib/xbot-worker", "none": "/var/lib/xbot"} {
		m := newMachine(t)
		m.program("systemctl", `[ "$3" = `+active+`.service ]`)
		m.program("systemd-run", `echo "$*"`)
		out, err := m.command("../deploy/debian/xbot-operate", "login-link", "--user", "a b").CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "--uid=xbot")
		require.Contains(t, string(out), "EnvironmentFile=-/etc/xbot/env")
		require.Contains(t, string(out), "XBOT_HOME="+home+" ")
		require.Contains(t, string(out), "-- xbot login-link --user a b")
	}
}

// TestCertificates_OfThePageServe runs the commands of the page about separate processes.
func TestCertificates_OfThePageServe(t *testing.T) {
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed (Debian: apt install openssl)")
	}
	page, err := os.ReadFile("../docs/operate/scale.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "## Certificates of xbot-temporal")
	require.True(t, found)
	_, commands, found := strings.Cut(section, "```sh\n")
	require.True(t, found)
	commands, _, _ = strings.Cut(commands, "```")
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	run("bash", "-euc", commands)
	require.Equal(t, "server.pem: OK\nclient.pem: OK\n", run(openssl, "verify", "-CAfile", "ca.pem", "server.pem", "client.pem"))
	require.Contains(t, run(openssl, "x509", "-in", "server.pem", "-noout", "-ext", "subjectAltName,extendedKeyUsage"), "DNS:xbot-temporal")
	for _, name := range []string{"ca.pem", "server.pem", "server-key.pem", "client.pem", "client-key.pem"} {
		require.FileExists(t, filepath.Join(dir, name))
	}
}
