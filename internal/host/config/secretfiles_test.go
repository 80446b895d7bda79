package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/host/config"
)

func TestSecretFiles_GiveEverySecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte("from the file\r\n"), 0o600))
	names := config.SecretNames()
	require.Subset(t, names, []string{"XBOT_ENCRYPTION_KEY", "XBOT_DATABASE_URL", "LLM_API_KEY", "XBOT_OIDC_CLIENT_SECRET", "XBOT_TEMPORAL_UI_TOKEN", "FEISHU_APP_SECRET"})
	for _, name := range names {
		variable := name + "_FILE"
		for source, given := range map[string]struct{ dotenv, file, environ string }{
			".env":            {dotenv: variable + "=" + path},
			"config.json":     {file: `{"` + strings.ToLower(variable) + `": "` + path + `"}`},
			"the environment": {environ: variable + "=" + path},
		} {
			environ := append(setup(t, given.dotenv, given.file), given.environ)
			values, err := config.Variables(environ)
			require.NoError(t, err, "%s in %s", variable, source)
			require.Equal(t, "from the file", values[name], "%s in %s", variable, source)
		}
		environ := append(setup(t, "", ""), variable+"="+path, name+"=x")
		_, err := config.Variables(environ)
		require.ErrorContains(t, err, "both "+name+" and "+variable+" are set")
	}
	got, err := config.Load[config.Worker](append(setup(t, "", ""), "LLM_API_KEY_FILE="+path))
	require.NoError(t, err)
	require.Equal(t, "from the file", got.APIKey)
}

func TestSecretFiles_AreRefusedWhereTheyCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	empty, large := filepath.Join(dir, "empty"), filepath.Join(dir, "large")
	require.NoError(t, os.WriteFile(empty, []byte("\n"), 0o600))
	require.NoError(t, os.WriteFile(large, make([]byte, 1<<20), 0o600))
	for path, want := range map[string]string{
		empty: "is empty", large: "is not a file of a secret", dir: "is not a file of a secret", filepath.Join(dir, "missing"): "no such file",
	} {
		_, err := config.Load[config.Serve](append(setup(t, "", ""), "LLM_API_KEY_FILE="+path))
		require.ErrorContains(t, err, "LLM_API_KEY_FILE")
		require.ErrorContains(t, err, want)
	}
	_, err := config.Load[config.Serve](setup(t, "XBOT_HTTP_ADDR_FILE=x", ""))
	require.ErrorContains(t, err, "XBOT_HTTP_ADDR_FILE, which is not a setting of xbot", "it is no secret")
}

// A secret of Kubernetes that was made from a file ends with a newline, which the header of a request may not have
// (mvisonneau/gitlab-ci-pipelines-exporter#449).
func TestSecrets_EndBeforeTheLineEnding(t *testing.T) {
	for _, name := range config.SecretNames() {
		values, err := config.Variables(append(setup(t, "", ""), name+"=a secret\r\n"))
		require.NoError(t, err, name)
		require.Equal(t, "a secret", values[name])
	}
}
