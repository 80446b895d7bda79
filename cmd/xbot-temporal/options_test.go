package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	persistencespb "go.temporal.io/server/api/persistence/v1"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/searchattribute/sadefs"
)

func TestParse_ChecksEachOption(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("secret\n"), 0o600))
	for name, test := range map[string]struct {
		args []string
		want string // "" for no error
	}{
		"the defaults":                     {nil, ""},
		"no UI":                            {[]string{"--ui-addr=off", "--ui-token-file="}, ""},
		"a UI without token":               {[]string{"--ui-token-file="}, "the UI needs --ui-token-file"},
		"a host name":                      {[]string{"--grpc-addr=localhost:7233"}, "write an IP address and a port"},
		"no port":                          {[]string{"--grpc-addr=127.0.0.1"}, "write an IP address and a port"},
		"a port too large":                 {[]string{"--ui-addr=127.0.0.1:99999"}, "the port has to be a number from 0 to 65535"},
		"open to others without TLS":       {[]string{"--grpc-addr=0.0.0.0:7233"}, "set --tls-dir, so that clients need a certificate"},
		"open to others with TLS":          {[]string{"--grpc-addr=0.0.0.0:7233", "--tls-dir=/certs"}, ""},
		"pprof open to others":             {[]string{"--pprof-addr=0.0.0.0:6060"}, "pprof has no login"},
		"a retention too short":            {[]string{"--retention=1m"}, "at least 1h"},
		"a path with a trailing slash":     {[]string{"--ui-path=/temporal/"}, "without a trailing one"},
		"a database name to be quoted":     {[]string{"--postgres-database=a\"b"}, "lower-case letters"},
		"one database for two":             {[]string{"--postgres-database=a", "--postgres-visibility-database=a"}, "use two databases"},
		"a level that is none":             {[]string{"--log-level=loud"}, "must be one of"},
		"a password file that is missing":  {[]string{"--postgres-password-file=/nowhere"}, "read --postgres-password-file"},
		"a Postgres port that is none":     {[]string{"--postgres-port=0"}, "from 1 to 65535"},
		"a metrics address without a port": {[]string{"--metrics-addr=127.0.0.1"}, "--metrics-addr"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			_, done, err := parse(append([]string{"--ui-token-file=" + token}, test.args...), &out, &out)
			require.False(t, done)
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.want)
			}
		})
	}
}

func TestParse_PrintsTheVersion(t *testing.T) {
	for _, asked := range []string{"version", "--version"} {
		var out bytes.Buffer
		_, done, err := parse([]string{asked}, &out, &out)
		require.NoError(t, err)
		require.True(t, done)
		require.Equal(t, "dev\n", out.String())
	}
}

func TestParse_ReadsTheEnvironment(t *testing.T) {
	t.Setenv("XBOT_TEMPORAL_GRPC_ADDR", "127.0.0.1:1")
	t.Setenv("XBOT_TEMPORAL_UI_ADDR", "off")
	t.Setenv("XBOT_TEMPORAL_POSTGRES_HOST", "/sockets")
	t.Setenv(passwordVariable, "hush")
	opts, _, err := parse([]string{"--grpc-addr=127.0.0.1:2"}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:2", opts.GRPCAddr, "a flag goes before its variable")
	require.Equal(t, "/sockets", opts.Postgres.Host)
	require.Equal(t, "hush", opts.Postgres.password)
}

func TestParse_PrintsHelp(t *testing.T) {
	var out bytes.Buffer
	_, done, err := parse([]string{"--help"}, &out, &out)
	require.NoError(t, err)
	require.True(t, done)
	kept, err := os.ReadFile("testdata/help.txt") // docs/reference/cli.md shows it
	require.NoError(t, err)
	require.Equal(t, string(kept), out.String(), "run xbot-temporal --help >cmd/xbot-temporal/testdata/help.txt, then make gen")
	require.NotContains(t, out.String(), "--postgres-password=", "a password does not belong into arguments")
}

func TestBringUpToDate_KeepsWhatIsThere(t *testing.T) {
	config := &persistencespb.NamespaceConfig{CustomSearchAttributeAliases: map[string]string{"Keyword01": "Theirs", "Keyword02": "XbotKind"}}
	require.True(t, bringUpToDate(config, 720e9*3600, log.NewNoopLogger()))
	require.Equal(t, map[string]string{
		"Keyword01": "Theirs", "Keyword02": "XbotKind", "Keyword03": "XbotSession", "Keyword04": "XbotChannel",
		"Keyword05": "XbotUser", "Keyword06": "XbotModel", "Keyword07": "XbotOutcome",
	}, config.CustomSearchAttributeAliases)
	require.False(t, bringUpToDate(config, 720e9*3600, log.NewNoopLogger()), "nothing is left to do")
}

func TestBringUpToDate_GoesOnWithoutRoom(t *testing.T) {
	aliases := map[string]string{}
	for field, kind := range sadefs.GetDBIndexSearchAttributes(nil).CustomSearchAttributes {
		if kind == enumspb.INDEXED_VALUE_TYPE_KEYWORD {
			aliases[field] = "theirs " + field
		}
	}
	config := &persistencespb.NamespaceConfig{CustomSearchAttributeAliases: aliases}
	bringUpToDate(config, 1, log.NewNoopLogger())
	require.NotContains(t, mapValues(aliases), "XbotSession")
}

func TestCompareVersions(t *testing.T) {
	for _, test := range []struct {
		current, wanted string
		want            int
	}{{"", "1.19", -1}, {"1.9", "1.19", -1}, {"1.19", "1.19", 0}, {"1.20", "1.19", 1}, {"0.0", "1.19", -1}} {
		got, err := compareVersions(test.current, test.wanted)
		require.NoError(t, err)
		require.Equal(t, test.want, got, "%s and %s", test.current, test.wanted)
	}
	_, err := compareVersions("new", "1.19")
	require.ErrorContains(t, err, `"new" is not a version`)
}
