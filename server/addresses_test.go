package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/host/config"
)

func TestRunnerURL_IsThatOfThisServerAndSaysWhetherOthersReachIt(t *testing.T) {
	for base, want := range map[string]struct {
		address  string
		loopback bool
	}{
		"https://xbot.example.org":       {"wss://xbot.example.org/api/runners/connect", false},
		"https://xbot.example.org:8443/": {"wss://xbot.example.org:8443/api/runners/connect", false},
		"http://10.0.0.3:8080":           {"ws://10.0.0.3:8080/api/runners/connect", false},
		"http://127.0.0.1:8080":          {"ws://127.0.0.1:8080/api/runners/connect", true},
		"http://[::1]:8080":              {"ws://[::1]:8080/api/runners/connect", true},
		"http://LocalHost:8080":          {"ws://LocalHost:8080/api/runners/connect", true},
		"http://xbot.localhost.:8080":    {"ws://xbot.localhost.:8080/api/runners/connect", true},
		"http://0.0.0.0:8080":            {"ws://127.0.0.1:8080/api/runners/connect", true},
		"http://:8080":                   {"ws://127.0.0.1:8080/api/runners/connect", true},
	} {
		address, loopback := RunnerURL(base)
		require.Equal(t, want.address, address)
		require.Equal(t, want.loopback, loopback, base)
	}
}

func TestPeopleURL_IsTheOneThatIsSetElseWhereTheServerWasLast(t *testing.T) {
	cfg := config.Serve{}
	cfg.Dir, cfg.Addr = t.TempDir(), "127.0.0.1:8080"
	require.Equal(t, "http://127.0.0.1:8080", PeopleURL(cfg))
	require.NoError(t, os.MkdirAll(filepath.Join(cfg.Dir, "run"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(cfg.Dir, "run", "serve.json"), []byte(`{"url":"http://127.0.0.1:4711"}`), 0o600))
	require.Equal(t, "http://127.0.0.1:4711", PeopleURL(cfg))
	cfg.HTTP.URL = "https://xbot.example.org/"
	require.Equal(t, "https://xbot.example.org", PeopleURL(cfg))
}

func TestDatabaseName_NamesNobodyAndNoPassword(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://xbot:hunter2@db.internal/xbot?sslmode=disable":       "db.internal:5432/xbot",
		"postgres://xbot:hunter2@[::1]:6543/other":                       "[::1]:6543/other",
		"host=/run/xbot user=xbot password=hunter2 dbname=xbot":          "/run/xbot/xbot",
		"postgres://xbot:hunter2@/xbot?host=%2Fhome%2Fyou%2Fpg%2Fsocket": "/home/you/pg/socket/xbot",
		"postgres://xbot:hunter2@db:port/xbot":                           "",
	} {
		require.Equal(t, want, databaseName(dsn), dsn)
	}
}
