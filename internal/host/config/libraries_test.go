package config_test

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/host/config"
)

// TestLibraryVariables_CountWhereverTheyStand has libraries read each variable in a process of its own: they read some once.
func TestLibraryVariables_CountWhereverTheyStand(t *testing.T) {
	certificates := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(certificates, nil, 0o600))
	for name, c := range map[string]struct{ value, want string }{
		"OTEL_EXPORTER_OTLP_ENDPOINT":      {"http://collector.example:4318", "http://collector.example:4318"},
		"OTEL_EXPORTER_OTLP_HEADERS":       {"a=b", "a=b"},
		"TEMPORAL_ADDRESS":                 {"temporal.example:7233", "temporal.example:7233"},
		"TEMPORAL_API_KEY":                 {"key", "key"},
		"TEMPORAL_TLS_SERVER_CA_CERT_PATH": {"/ca.pem", "/ca.pem"},
		"PGPASSFILE":                       {"/nowhere", "/nowhere"},
		"PGAPPNAME":                        {"reports", "application reports"},
		"SSL_CERT_FILE":                    {certificates, "no authorities"},
		"HTTPS_PROXY":                      {"http://proxy.example:3128", "proxy http://proxy.example:3128"},
		"https_proxy":                      {"http://proxy.example:3128", "proxy http://proxy.example:3128"},
		"DOCKER_HOST":                      {"tcp://engine.example:2376", "tcp://engine.example:2376"},
		"TZ":                               {"Asia/Shanghai", "Asia/Shanghai"},
		"XBOT_TEMPORAL_BIN":                {"/opt/xbot-temporal", "/opt/xbot-temporal"},
		"XBOT_TEMPORAL_RETENTION":          {"24h", "24h"},
	} {
		for source, files := range map[string][2]string{
			".env":        {name + "=" + c.value + "\n", ""},
			"config.json": {"", fmt.Sprintf(`{%q: %q}`, name, c.value)},
		} {
			if name == "https_proxy" && source == "config.json" {
				continue // names are upper case there
			}
			t.Run(name+" in "+source, func(t *testing.T) {
				environ := setup(t, files[0], files[1])
				require.Equal(t, c.want, readBy(t, name, environ...))
				if name != "SSL_CERT_FILE" { // a missing file has no authorities either
					require.NotEqual(t, c.want, readBy(t, name, append(environ, name+"=other")...), "the environment wins")
				}
			})
		}
	}
}

// probeVariable says which variable the program of the tests reads.
const probeVariable = "XBOT_TEST_PROBE"

// readBy returns what a library of another process makes of a variable.
func readBy(t *testing.T, name string, environ ...string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.run=TestProbe")
	cmd.Env = slices.Concat(environ, []string{"HOME=" + t.TempDir(), probeVariable + "=" + name})
	out, err := cmd.Output()
	require.NoError(t, err, string(out))
	var read string
	require.NoError(t, json.Unmarshal(out, &read), string(out))
	return read
}

func TestMain(m *testing.M) {
	name := os.Getenv(probeVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	err := config.SetLibraryVariables(os.Environ(), os.Setenv)
	read := os.Getenv(name)
	switch name {
	case "PGAPPNAME":
		c, failed := pgx.ParseConfig("postgres://db.example/xbot")
		read, err = "application "+c.RuntimeParams["application_name"], failed
	case "SSL_CERT_FILE":
		_ = os.Setenv("SSL_CERT_DIR", "/nowhere") // it does not fail
		if pool, failed := x509.SystemCertPool(); failed == nil && pool.Equal(x509.NewCertPool()) {
			read = "no authorities"
		}
	case "HTTPS_PROXY", "https_proxy":
		request, _ := http.NewRequest(http.MethodGet, "https://model.example", nil)
		proxy, failed := http.ProxyFromEnvironment(request)
		read, err = fmt.Sprint("proxy ", proxy), failed
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(read)
	}
	if err != nil {
		panic(err)
	}
}

func TestEnvironmentOnly_NamesWhatHasNoEffectInAFile(t *testing.T) {
	environ := setup(t, "GOGC=20\nGOMEMLIMIT=1GiB\nTZ=UTC\nLLM_MODEL=m\nGODEBUG=x=1\n", "")
	names, err := config.EnvironmentOnly(append(environ, "GODEBUG=y=1"))
	require.NoError(t, err)
	require.Equal(t, []string{"GOGC", "GOMEMLIMIT"}, names)
}

func TestLoad_RefusesACollectorWithoutAScheme(t *testing.T) {
	_, err := config.Load[config.Worker](setup(t, "OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318", ""))
	require.ErrorContains(t, err, "OTEL_EXPORTER_OTLP_ENDPOINT is ")
	require.ErrorContains(t, err, "must be a web address")
}
