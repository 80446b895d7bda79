package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/host/config"
)

func setup(t *testing.T, dotenv, file string) []string {
	t.Helper()
	t.Chdir(t.TempDir())
	home := t.TempDir()
	if dotenv != "" {
		require.NoError(t, os.WriteFile(filepath.Join(home, ".env"), []byte(dotenv), 0o600))
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
		"no network and no host":    {environ: "XBOT_HTTP_ALLOW=10.0.0.0/8,10.0.0.0/99", want: `XBOT_HTTP_ALLOW has "10.0.0.0/99"`},
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

func TestLoad_RefusesWhatParsesButCannotWork(t *testing.T) {
	for environ, want := range map[string]string{
		"LLM_RETRY_DELAY=-1s":               "LLM_RETRY_DELAY is -1s; it must not be negative",
		"XBOT_HELD_AFTER=-5m":               "XBOT_HELD_AFTER is -5m0s; it must not be negative",
		"XBOT_RUNNER_WAIT=-1ns":             "XBOT_RUNNER_WAIT is -1ns; it must not be negative",
		"AGENT_MAX_ITERATIONS=0":            "it must be at least 1",
		"AGENT_MAX_ITERATIONS=-3":           "it must be at least 1",
		"LLM_MAX_CONTEXT=4000":              "LLM_MAX_CONTEXT is 4000; it must be at least 8000 tokens, or 0",
		"LLM_MAX_OUTPUT=-1":                 "LLM_MAX_OUTPUT is -1; it must not be negative",
		"AGENT_COMPRESS_COOLDOWN=-1":        "it must not be negative",
		"AGENT_MASK_AT=60":                  "AGENT_MASK_AT is 60; it must be a part of the context window, from 0.1 to 0.95",
		"AGENT_COMPRESS_AT=NaN":             "it must be a part of the context window",
		"AGENT_CONTEXT_MODE=off":            "must be one of default, none",
		"AGENT_PRUNING=true":                "must be one of off, cache-ttl, on",
		"XBOT_TEMPORAL_PORT=70000":          "XBOT_TEMPORAL_PORT is 70000; it must be a port, from 0 to 65535",
		"XBOT_TEMPORAL_UI_PORT=-1":          "it must be a port, from 0 to 65535",
		"XBOT_HTTP_ADDR=127.0.0.1:port":     "must be host:port",
		"XBOT_HTTP_ADDR=127.0.0.1:99999":    "must be host:port",
		"XBOT_PUBLIC_URL=xbot.example":      "XBOT_PUBLIC_URL is \"xbot.example\"; it must be a web address such as https://xbot.example",
		"XBOT_INTERNAL_URL=//host":          "it must be a web address",
		"XBOT_PUBLIC_URL=ftp://x":           "it must be a web address",
		"XBOT_TRUSTED_PROXIES=10.0.0.0/8,x": "XBOT_TRUSTED_PROXIES has \"x\"",
		"LOG_LEVEL=loud":                    "must be one of debug, info, warn, error",
	} {
		t.Run(environ, func(t *testing.T) {
			_, err := config.Load[config.Serve](append(setup(t, "", ""), environ))
			require.ErrorContains(t, err, want)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestLoad_TakesWhatWorks(t *testing.T) {
	file := `{"agent": {"max_iterations": 1000000}, "public_url": "https://xbot.example/", "allowed_hosts": ["a.example", "b.example"], "llm": {"retry_delay": "0s"}}`
	got, err := config.Load[config.Serve](append(setup(t, "", file), "XBOT_HTTP_ADDR=:8080", "LLM_MODEL="))
	require.NoError(t, err)
	require.Equal(t, 1_000_000, got.MaxIterations, "a number is a number, however large")
	require.Equal(t, []string{"a.example", "b.example"}, got.Hosts)
	require.Zero(t, got.RetryDelay)
	require.Equal(t, ":8080", got.Addr)
}

func TestLoad_AProcessReadsOnlyItsOwnSettings(t *testing.T) {
	environ := setup(t, "XBOT_HTTP_ADDR=nonsense\n", `{"log": {"level": "debug"}}`)
	got, err := config.Load[config.Worker](environ)
	require.NoError(t, err, "a worker has no page")
	require.Equal(t, "debug", got.LogLevel)
}

func TestLoad_NeverRepeatsASecretInAnError(t *testing.T) {
	_, err := config.Load[config.Serve](append(setup(t, "", ""), "LLM_API_KEY=sk-very-secret", "XBOT_DATABASE_URL=postgres://u:hidden@h/d", "LLM_RETRY_ATTEMPTS=x"))
	require.Error(t, err)
	require.NotContains(t, err.Error(), "sk-very-secret")
	require.NotContains(t, err.Error(), "hidden")

	_, err = config.Load[config.Serve](setup(t, "bad name\nLLM_API_KEY=sk-very-secret\n", ""))
	require.ErrorContains(t, err, "is not a list of NAME=value lines")
	require.NotContains(t, err.Error(), "sk-very-secret")
}

func TestPrices_AreKnownOnlyWhereBothWaysHaveOne(t *testing.T) {
	_, _, _, known := config.LLM{PriceInput: "2.5"}.Prices()
	require.False(t, known)
	input, cached, output, known := config.LLM{PriceInput: "2.5", PriceOutput: "10"}.Prices()
	require.True(t, known)
	require.Equal(t, []float64{2.5, 2.5, 10}, []float64{input, cached, output}, "what comes from the cache costs no less than is said")
	_, cached, _, _ = config.LLM{PriceInput: "2.5", PriceCached: "0", PriceOutput: "10"}.Prices()
	require.Zero(t, cached)
}

func TestLoad_NeverBelievesAnEnvFileOfTheWorkingFolder(t *testing.T) {
	environ := setup(t, "", "")
	require.NoError(t, os.WriteFile(".env", []byte("XBOT_CONFINE=off\nLLM_BASE_URL=https://evil.example\nXBOT_NONSENSE=x\nHOOK_TOKEN=x\n"), 0o600))
	got, err := config.Load[config.Serve](environ)
	require.NoError(t, err, "not even to complain of what it holds")
	require.Empty(t, got.Confine)
	require.Empty(t, got.BaseURL)
	variables, err := config.Variables(environ)
	require.NoError(t, err)
	require.Empty(t, variables["HOOK_TOKEN"])
}

func TestLoad_ReadsTheEnvFileThatIsNamedInsteadOfItsOwn(t *testing.T) {
	environ := setup(t, "LLM_MODEL=of-the-home\nLLM_API_KEY=of-the-home\n", "")
	require.NoError(t, os.WriteFile("named", []byte("LLM_MODEL=named\nHOOK_TOKEN=x\n"), 0o600))
	environ = append(environ, "XBOT_ENV_FILE=named")
	got, err := config.Load[config.Serve](environ)
	require.NoError(t, err)
	require.Equal(t, "named", got.Model)
	require.Empty(t, got.APIKey)
	absolute, err := filepath.Abs("named")
	require.NoError(t, err)
	require.Equal(t, absolute, got.EnvFile, "the same file from every folder")
	variables, err := config.Variables(environ)
	require.NoError(t, err)
	require.Equal(t, "x", variables["HOOK_TOKEN"])

	_, err = config.Load[config.Serve](append(environ, "XBOT_ENV_FILE=missing"))
	require.ErrorContains(t, err, "missing", "a file that is named has to be there")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestLoad_OnlyTheEnvironmentNamesFilesOfSettings(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.WriteFile(other, []byte("LLM_MODEL=other\n"), 0o600))
	for name, files := range map[string][2]string{"env": {"XBOT_ENV_FILE=" + other + "\nXBOT_HOME=/elsewhere\n", ""}, "json": {"", `{"env_file": "` + other + `"}`}} {
		t.Run(name, func(t *testing.T) {
			environ := setup(t, files[0], files[1])
			got, err := config.Load[config.Serve](environ)
			require.NoError(t, err)
			require.Empty(t, got.Model)
			require.Empty(t, got.EnvFile)
			require.Equal(t, environ[0], "XBOT_HOME="+got.Dir)
		})
	}
}

func TestIgnoredEnvFile_IsTheOneThatWasReadBefore(t *testing.T) {
	environ := setup(t, "", "")
	require.Empty(t, config.IgnoredEnvFile(environ), "there is none")
	require.NoError(t, os.WriteFile(".env", []byte("LLM_MODEL=x\n"), 0o600))
	here, err := filepath.Abs(".env")
	require.NoError(t, err)
	require.Equal(t, here, config.IgnoredEnvFile(environ))
	require.Empty(t, config.IgnoredEnvFile(append(environ, "XBOT_ENV_FILE=.env")), "it is the one that was named")
	require.Empty(t, config.IgnoredEnvFile([]string{"XBOT_HOME=."}), "this folder is the home")
}

func TestLoad_MakesAHomeThatOnlyItsOwnerMayOpen(t *testing.T) {
	home := filepath.Join(t.TempDir(), "above", "xbot")
	_, err := config.Load[config.Serve]([]string{"XBOT_HOME=" + home})
	require.NoError(t, err)
	info, err := os.Stat(home)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestDescribe_MasksPasswordsInsideAddresses(t *testing.T) {
	environ := append(setup(t, "", ""), "LLM_BASE_URL=https://user:llm-pass@proxy.example/v1?api_key=llm-key", "LLM_EMBEDDING_BASE_URL=https://embed-token@e.example",
		"OTEL_EXPORTER_OTLP_ENDPOINT=https://otel:otel-pass@collector.example:4318", "XBOT_PUBLIC_URL=https://xbot.example/x?y=z")
	got, err := config.Load[config.Serve](environ)
	require.NoError(t, err)
	shown := map[string]string{}
	for _, s := range config.Describe(&got) {
		shown[s.Name] = s.Value
	}
	require.Equal(t, "https://********@proxy.example/v1?api_key=********", shown["LLM_BASE_URL"])
	require.Equal(t, "https://********@e.example", shown["LLM_EMBEDDING_BASE_URL"])
	require.Equal(t, "https://********@collector.example:4318", shown["OTEL_EXPORTER_OTLP_ENDPOINT"])
	require.Equal(t, "https://xbot.example/x?y=z", shown["XBOT_PUBLIC_URL"], "an address without secrets stays as it is")
	require.Equal(t, "https://user:llm-pass@proxy.example/v1?api_key=llm-key", got.BaseURL, "what is used is what was set")
}

func TestVariables_OfChannelsStandInConfigJSON(t *testing.T) {
	environ := setup(t, "", `{"feishu": {"app_id": "cli_1", "app_secret": "s"}, "napcat": {"send_pause": "2s"}, "qq_app_id": "7"}`)
	_, err := config.Load[config.Serve](environ)
	require.NoError(t, err)
	variables, err := config.Variables(append(environ, "FEISHU_APP_SECRET=from-environment"))
	require.NoError(t, err)
	for name, want := range map[string]string{
		"FEISHU_APP_ID": "cli_1", "FEISHU_APP_SECRET": "from-environment", "NAPCAT_SEND_PAUSE": "2s", "QQ_APP_ID": "7", "QQ_APP_SECRET": "",
	} {
		require.Equal(t, want, variables[name], name)
	}
	_, err = config.Load[config.Serve](setup(t, "", `{"feishu": {"app_key": "x"}}`))
	require.ErrorContains(t, err, `"feishu.app_key" is not a setting`)
}

func TestForeign_NoSettingIsAmongThem(t *testing.T) {
	got := config.Foreign(map[string]string{
		"TRACKER_TOKEN": "t", "PATH": "/bin", "XBOT_ENCRYPTION_KEY": "k", "XBOT_ANYTHING": "x", "XBOT_DATABASE_URL": "d", "LLM_API_KEY": "l", "PGPASSWORD": "p", "OTEL_EXPORTER_OTLP_HEADERS": "h", "TEMPORAL_ADDRESS": "a",
	})
	require.Equal(t, map[string]string{"TRACKER_TOKEN": "t", "PATH": "/bin"}, got)
	for _, s := range config.Settings[config.Serve]() {
		require.Empty(t, config.Foreign(map[string]string{s.Name: "x"}), s.Name)
	}
	for _, name := range config.ChannelVariables {
		require.Empty(t, config.Foreign(map[string]string{name: "x"}), name)
	}
}

func TestLoad_MakesTheDataFolderPrivate(t *testing.T) {
	home := t.TempDir()
	require.NoError(t, os.Chmod(home, 0o755))
	_, err := config.Load[config.Serve]([]string{"XBOT_HOME=" + home})
	require.NoError(t, err)
	info, err := os.Stat(home)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}
