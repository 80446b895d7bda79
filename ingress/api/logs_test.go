package api_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat/ops"
	"xbot/internal/host/logs"
)

func TestLogs_AreForAdministrators(t *testing.T) {
	b := setup(t)
	require.NoError(t, os.MkdirAll(logs.Folder(b.home), 0o700))
	f, err := os.Create(filepath.Join(logs.Folder(b.home), "serve.jsonl"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	log := slog.New(slog.NewJSONHandler(f, nil))
	log.Info("one")
	log.Warn("two", "session_id", "s")

	b.do(nil, http.MethodGet, "/api/admin/logs", nil).problem(http.StatusUnauthorized)
	b.bob.get("/api/admin/logs").problem(http.StatusForbidden)
	var found ops.Logs
	b.alice.get("/api/admin/logs?q=session_id+two&level=warn").is(http.StatusOK, &found)
	require.Len(t, found.Lines, 1)
	require.Equal(t, []string{"serve"}, found.Processes)
	b.alice.get("/api/admin/logs?since="+url.QueryEscape(found.Lines[0].At.Format(time.RFC3339Nano))).is(http.StatusOK, &found)
	require.Empty(t, found.Lines)
	b.alice.get("/api/admin/logs?level=loud").problem(http.StatusUnprocessableEntity)
}
