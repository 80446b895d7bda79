package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
)

// signInLinks matches links that sign somebody in.
var signInLinks = regexp.MustCompile(`/login#token=\S+`)

// TestStart_PrintsASignInLinkOnceToALog starts a server four times, whose output is no terminal.
func TestStart_PrintsASignInLinkOnceToALog(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	require.Eventually(t, func() bool { return signInLinks.MatchString(s.process.out.String()) }, startLimit, 50*time.Millisecond)
	for range 2 {
		s.stop()
		s.boot()
		require.Eventually(t, func() bool { return strings.Contains(s.process.out.String(), "data ") }, startLimit, 50*time.Millisecond)
		require.NotRegexp(t, signInLinks, s.process.out.String())
		require.Contains(t, s.process.out.String(), "xbot login-link")
	}
	logs, err := filepath.Glob(filepath.Join(s.home, "logs", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, logs)
	for _, path := range logs {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotRegexp(t, signInLinks, string(text), path)
	}
}

// TestHealth_ProcessesWithoutTheirServersAreNotReady looks at an ingress and a worker of a namespace that is not there.
func TestHealth_ProcessesWithoutTheirServersAreNotReady(t *testing.T) {
	t.Parallel()
	metrics := freeAddress(t)
	p := newParts(t, "XBOT_METRICS_ADDR="+metrics)
	status := func(address, path string) int {
		response, err := http.Get(address + path)
		if err != nil {
			return 0
		}
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	is := func(address, path string, want int) {
		t.Helper()
		require.Eventually(t, func() bool { return status(address, path) == want }, startLimit, 50*time.Millisecond, "%s%s", address, path)
	}
	for _, address := range []string{"http://" + metrics, p.url} {
		is(address, "/healthz", http.StatusOK)
		is(address, "/readyz", http.StatusOK)
	}
	doctor := newProcess(t, "xbot", append(settings(p.servers), "XBOT_HOME="+t.TempDir(), "XBOT_HTTP_ADDR="+strings.TrimPrefix(p.url, "http://"), "XBOT_METRICS_ADDR="+metrics, "LLM_PROVIDER=demo"), "doctor")
	doctor.start()
	<-doctor.done // other lines may fail
	require.Regexp(t, `✓ server +ready at http://\S+, http://\S+ \(worker\)`, doctor.out.String(), "by the settings of the processes: this data folder has no note")

	for name, setting := range map[string]string{
		"no Temporal":          "TEMPORAL_ADDRESS=127.0.0.1:1",
		"an unknown namespace": "TEMPORAL_NAMESPACE=nowhere",
	} {
		t.Run(name, func(t *testing.T) {
			other := freeAddress(t)
			worker := newProcess(t, "xbot", append(append(settings(p.servers), "XBOT_HOME="+t.TempDir(), "XBOT_METRICS_ADDR="+other, "LLM_PROVIDER=demo"), setting), "worker")
			worker.start()
			is("http://"+other, "/healthz", http.StatusOK)
			is("http://"+other, "/readyz", http.StatusServiceUnavailable)
		})
	}
}

// TestKey_DroppedWithoutARunningServer restores the data of a server without its key.
func TestKey_DroppedWithoutARunningServer(t *testing.T) {
	t.Parallel()
	s := newServerWithStack(t)
	_, err := s.client.SetChannel(t.Context(), "napcat", apiclient.SetChannelParams{}, apiclient.ChannelChange{Settings: map[string]string{"url": "ws://127.0.0.1:1", "token": "lost"}})
	require.NoError(t, err)
	s.stop()
	require.NoError(t, os.Remove(filepath.Join(s.home, "secret.key")))
	s.process.start()
	<-s.process.done
	require.Contains(t, s.process.out.String(), "xbot key drop")
	said, err := s.operate("key", "drop")
	require.NoError(t, err, said)
	require.Regexp(t, `\d+ secrets? given up\.`, said)
	s.boot()
	require.Contains(t, s.operated("doctor"), "✓ secrets")
}

// TestTraces_AreSentWhereverTheSettingStands has the address of the collector, and what the library reads beside it, in .env.
func TestTraces_AreSentWhereverTheSettingStands(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1000)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.URL.Path + " " + r.Header.Get("X-Team"):
		default: // one is enough
		}
	}))
	t.Cleanup(collector.Close)
	s := prepareServer(t)
	require.NoError(t, os.WriteFile(filepath.Join(s.home, ".env"), []byte("OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL+"\nOTEL_EXPORTER_OTLP_HEADERS=x-team=ops\n"), 0o600))
	s.boot()
	k := s.newTalk()
	k.untilEnded(startLimit, k.send("say hello"))
	select {
	case got := <-asked:
		require.Equal(t, "/v1/traces ops", got)
	case <-time.After(startLimit):
		require.Fail(t, "no trace was sent")
	}
}

// TestMetrics_PrometheusScrapesThemAndEvaluatesTheRules has a real Prometheus scrape a server, with the rules and every query of the dashboard.
func TestMetrics_PrometheusScrapesThemAndEvaluatesTheRules(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed (Debian: apt install prometheus)")
	}
	s := newServer(t)
	k := s.newTalk()
	k.untilEnded(startLimit, k.send("say hello"))
	dir, address := t.TempDir(), freeAddress(t)
	at, err := s.Endpoint(t.Context())
	require.NoError(t, err)
	rules, err := filepath.Abs("../deploy/prometheus/xbot.rules.yml")
	require.NoError(t, err)
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%q]\nscrape_configs: [{job_name: xbot-ingress, authorization: {credentials: %q}, static_configs: [{targets: [%q]}]}]\n",
		rules, at.Token, strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600))
	cmd := exec.CommandContext(t.Context(), program, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+dir+"/data", "--web.listen-address="+address)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() }) // it is stopped with the test

	type result struct {
		Data struct {
			Result []json.RawMessage `json:"result"`
			Groups []struct {
				Rules []struct{ Name, Health, LastError, State string }
			} `json:"groups"`
		} `json:"data"`
	}
	ask := func(path string, values url.Values) (out result, ok bool) {
		response, err := http.Get("http://" + address + path + "?" + values.Encode())
		if err != nil {
			return out, false
		}
		defer response.Body.Close() // read only
		return out, json.NewDecoder(response.Body).Decode(&out) == nil && response.StatusCode == http.StatusOK
	}
	query := func(expression string) int {
		out, ok := ask("/api/v1/query", url.Values{"query": {expression}})
		if !ok {
			return -1
		}
		return len(out.Data.Result)
	}
	require.Eventually(t, func() bool { return query(`up{job="xbot-ingress"} == 1`) == 1 }, startLimit, 100*time.Millisecond, "it is scraped")
	for _, name := range []string{
		"xbot_http_requests_total", "xbot_http_request_seconds_bucket", "xbot_database_connections", "xbot_inbox_oldest_seconds", "xbot_runners_connected", "xbot_build_info",
	} {
		require.Positive(t, query(name), name)
	}
	require.Eventually(t, func() bool {
		out, ok := ask("/api/v1/rules", nil)
		return ok && len(out.Data.Groups) == 1 && !slices.ContainsFunc(out.Data.Groups[0].Rules, func(r struct{ Name, Health, LastError, State string }) bool { return r.Health == "unknown" })
	}, startLimit, 100*time.Millisecond, "all rules are evaluated")
	out, _ := ask("/api/v1/rules", nil)
	for _, r := range out.Data.Groups[0].Rules {
		require.Equal(t, "ok", r.Health, r.Name+": "+r.LastError)
		require.NotEqual(t, "firing", r.State, r.Name)
	}
	text, err := os.ReadFile("../deploy/prometheus/dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			require.GreaterOrEqual(t, query(target.Expr), 0, p.Title+": "+target.Expr)
		}
	}
}
