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
	"syscall"
	"testing"
	"time"

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
	require.Len(t, images, 8)
	for _, m := range images {
		image := m[1] + m[2]
		require.Regexp(t, `:(\d+\.\d+|\$\{XBOT_VERSION:-`+regexp.QuoteMeta(strings.TrimSpace(string(version)))+`\})`, image)
	}
	require.Equal(t, len(images), strings.Count(string(text), "logging: *logging"), "each container's log is bounded")
	require.Equal(t, len(images), strings.Count(string(text), "mem_limit: "), "and its memory")
	require.NotContains(t, string(text), "restart: unless-stopped", "such a container stays stopped after a crash of the engine")
}

func TestSecrets_AreMovedOutOfTheSettings(t *testing.T) {
	m := newMachine(t)
	m.link("chmod", "mv", "cp")
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
	move(left + "POSTGRES_HOST=db.internal\nPOSTGRES_PORT=6432\n")
	require.Equal(t, "postgres://xbot:p2@db.internal:6432/xbot?sslmode=verify-full&sslrootcert=/etc/postgres-ca.pem", secret("database_url"), "a Postgres elsewhere, set later")
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

// backups is a machine with a fake database and a folder of backups.
func backups(t *testing.T) *machine {
	m := newMachine(t)
	m.link("date", "find", "gzip", "mv", "tar")
	for _, dir := range []string{"backup", "home", "home/logs"} {
		require.NoError(t, os.Mkdir(filepath.Join(m.dir, dir), 0o700))
	}
	m.write("home/config.json", "{}")
	m.write("home/logs/xbot.jsonl", "{}")
	m.program("pg_dump", `for a in "$@"; do case "$a" in --file=*) echo "dump with $PGPASSWORD" >"${a#--file=}";; esac; done`)
	m.program("pg_restore", `for a in "$@"; do :; done; cat "$a" >"${0%/*}/database"`)
	m.env = append(m.env, "BACKUP_FOLDER="+filepath.Join(m.dir, "backup"), "XBOT_HOME="+filepath.Join(m.dir, "home"), "PGDATABASE=xbot", "PGPASSWORD=secret", "BACKUP_KEEP=2")
	return m
}

func (m *machine) write(name, text string) {
	m.t.Helper()
	require.NoError(m.t, os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600))
}

// list returns the names of the files in a folder.
func (m *machine) list(dir string) []string {
	m.t.Helper()
	entries, err := os.ReadDir(filepath.Join(m.dir, dir))
	require.NoError(m.t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

const backupScript = "../deploy/postgres/backup.sh"

func TestBackup_KeepsTheNewestOnesAndRestoresOne(t *testing.T) {
	m := backups(t)
	for _, name := range []string{"20200101T000000Z", "20200102T000000Z", "20200103T000000Z"} {
		m.write("backup/xbot-"+name+".dump", name)
		m.write("backup/home-"+name+".tar.gz", "")
	}
	m.write("backup/notes.txt", "of an operator")
	out, err := m.command(backupScript, "once").CombinedOutput()
	require.NoError(t, err, string(out))
	left := m.list("backup")
	require.Len(t, left, 5, "two backups and the other file: %v", left)
	require.Contains(t, left, "xbot-20200103T000000Z.dump")
	require.Contains(t, left, "notes.txt")
	for _, name := range left {
		info, err := os.Stat(filepath.Join(m.dir, "backup", name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
	}
	name := strings.TrimSuffix(strings.TrimPrefix(left[4], "xbot-"), ".dump")
	require.NotEqual(t, "20200103T000000Z", name)

	require.NoError(t, os.RemoveAll(filepath.Join(m.dir, "home")))
	require.NoError(t, os.Mkdir(filepath.Join(m.dir, "home"), 0o755))
	out, err = m.command(backupScript, "restore", name).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, []string{"config.json"}, m.list("home"), "without logs")
	text, err := os.ReadFile(filepath.Join(m.dir, "database"))
	require.NoError(t, err)
	require.Equal(t, "dump with secret\n", string(text))
	out, err = m.command(backupScript, "restore", "20190101T000000Z").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "there is no ")
}

func TestBackup_AFailedOneLeavesNothingAndDisplacesNothing(t *testing.T) {
	for program, script := range map[string]string{
		"pg_dump": `for a in "$@"; do case "$a" in --file=*) echo half >"${a#--file=}";; esac; done; echo "connection refused" >&2; exit 1`,
		"tar":     `echo "no space left" >&2; exit 2`,
	} {
		m := backups(t)
		m.program(program, script)
		m.write("backup/xbot-20200101T000000Z.dump", "")
		out, err := m.command(backupScript, "once").CombinedOutput()
		require.Error(t, err)
		require.Regexp(t, `(?s)(connection refused|no space left).*backup: \S+ failed`, string(out))
		require.Equal(t, []string{"xbot-20200101T000000Z.dump"}, m.list("backup"), program)
	}
}

func TestBackup_IsMadeWhenTheNewestOneIsTooOldAndCheckedAnHourLater(t *testing.T) {
	for name, c := range map[string]struct {
		age     string // of the newest one
		made    bool
		healthy bool
	}{
		"fresh":   {"-1 hour", false, true},
		"due":     {"-24 hours -10 minutes", true, true},
		"overdue": {"-26 hours", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := backups(t)
			m.write("backup/xbot-20200101T000000Z.dump", "")
			out, err := exec.CommandContext(t.Context(), "touch", "--date", c.age, filepath.Join(m.dir, "backup", "xbot-20200101T000000Z.dump")).CombinedOutput()
			require.NoError(t, err, string(out))
			_, err = m.command(backupScript, "check").CombinedOutput()
			require.Equal(t, c.healthy, err == nil)
			m.program("sleep", `kill "$PPID"`) // the end of the first round
			_, err = m.command(backupScript).CombinedOutput()
			require.Error(t, err, "it was killed")
			require.Equal(t, c.made, len(m.list("backup")) > 1)
		})
	}
}

// TestKeepRunning_EndsTheCommandsOfAContainerThatIsStopped has a pkill that notes its arguments and finds shims twice.
func TestKeepRunning_EndsTheCommandsOfAContainerThatIsStopped(t *testing.T) {
	m := newMachine(t)
	m.program("xbot-runner", `trap 'echo runner ended >>"${0%/*}/log"; exit 0' TERM; : >"${0%/*}/up"; while :; do sleep 0.05; done`)
	m.program("pkill", `echo "$*" >>"${0%/*}/log"; [ "$(wc -l <"${0%/*}/log")" -lt 4 ]`)
	cmd := m.command("../deploy/runner/keep-running", "--state", "x")
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return slices.Contains(m.list("."), "up") }, time.Minute, 10*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
	log, err := os.ReadFile(filepath.Join(m.dir, "log"))
	require.NoError(t, err)
	require.Equal(t, "runner ended\n"+strings.Repeat("-TERM -f ^xbot-runner shim \n", 3), string(log), "after the runner, until no shim is left")
}
