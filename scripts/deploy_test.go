package scripts_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
