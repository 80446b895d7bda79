package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/config"
	"xbot/internal/fault"
)

func setup(t *testing.T, dotenv, file string) []string {
	t.Helper()
	t.Chdir(t.TempDir())
	home := t.TempDir()
	if dotenv != "" {
		require.NoError(t, os.WriteFile(".env", []byte(dotenv), 0o600))
	}
	if file != "" {
		require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), []byte(file), 0o600))
	}
	return []string{"XBOT_HOME=" + home}
}

func TestLoad_LaterSourcesWin(t *testing.T) {
	environ := setup(t, "LLM_MODEL=from-dotenv\nLLM_API_KEY=k\nLLM_RETRY_DELAY=3s\n", `{"llm": {"model": "from-file", "retry": {"attempts": 7}}, "http": {"addr": "127.0.0.1:1"}}`)
	got, err := config.Load[config.Serve](append(environ, "XBOT_HTTP_ADDR=127.0.0.1:2"))
	require.NoError(t, err)
	require.Equal(t, "from-file", got.Model)
	require.Equal(t, "k", got.APIKey)
	require.Equal(t, 3*time.Second, got.RetryDelay)
	require.Equal(t, 7, got.RetryAttempts)
	require.Equal(t, "127.0.0.1:2", got.Addr)
	require.Equal(t, 200, got.MaxIterations)
}

func TestLoad_NamesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct{ dotenv, file, environ, want string }{
		"unknown key in the file":   {file: `{"llm": {"modle": "x"}}`, want: `"llm.modle" is not a setting`},
		"unknown key in .env":       {dotenv: "XBOT_HTTP_ADRR=x", want: "XBOT_HTTP_ADRR, which is not a setting of xbot; did you mean XBOT_HTTP_ADDR?"},
		"ill-typed number":          {environ: "LLM_RETRY_ATTEMPTS=many", want: "LLM_RETRY_ATTEMPTS must be a whole number"},
		"ill-typed duration":        {file: `{"llm": {"retry_delay": "soon"}}`, want: "LLM_RETRY_DELAY must be a duration"},
		"value of the wrong choice": {environ: "LLM_PROVIDER=openia", want: "must be one of openai, anthropic, demo"},
		"address without a port":    {environ: "XBOT_HTTP_ADDR=localhost", want: "must be host:port"},
		"broken JSON":               {file: `{"llm": `, want: "is not valid JSON"},
		"list where a text belongs": {file: `{"llm": {"model": {}}}`, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			environ := setup(t, c.dotenv, c.file)
			if c.environ != "" {
				environ = append(environ, c.environ)
			}
			_, err := config.Load[config.Serve](environ)
			if c.want == "" {
				require.NoError(t, err, "an empty group says nothing")
				return
			}
			require.ErrorContains(t, err, c.want)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestDescribe_MasksSecrets(t *testing.T) {
	environ := setup(t, "", "")
	got, err := config.Load[config.Serve](append(environ, "LLM_API_KEY=sk-very-secret", "XBOT_DATABASE_URL=postgres://u:p@h/d"))
	require.NoError(t, err)
	for _, s := range config.Describe(&got) {
		require.NotContains(t, s.Value, "sk-very-secret")
		require.NotContains(t, s.Value, "u:p@h")
		require.NotEmpty(t, s.Name, s.Field)
		require.NotEmpty(t, s.Help, s.Name)
	}
}
