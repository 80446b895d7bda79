package apiclient

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"xbot/internal/chat/ops"
)

// LogFilter says which lines of the server's log are asked for; what is empty does not narrow them.
type LogFilter struct {
	Level   string
	Since   time.Time
	Words   string
	Process string
	Limit   int
}

// Logs returns the newest lines that the server has logged, for administrators.
func (c *Administration) Logs(ctx context.Context, f LogFilter) (ops.Logs, error) {
	query := url.Values{}
	for name, value := range map[string]string{"level": f.Level, "q": f.Words, "process": f.Process} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if !f.Since.IsZero() {
		query.Set("since", f.Since.Format(time.RFC3339Nano))
	}
	if f.Limit > 0 {
		query.Set("limit", strconv.Itoa(f.Limit))
	}
	var out ops.Logs
	return out, c.do(ctx, http.MethodGet, "/api/admin/logs", query, nil, &out)
}
