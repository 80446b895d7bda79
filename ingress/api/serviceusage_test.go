package api_test

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
)

type usedBody struct {
	From, To, Group, Currency string
	Total                     usedRow
	Rows                      []usedRow
}

type usedRow struct {
	Day        string   `json:"day"`
	Key        string   `json:"key"`
	Name       string   `json:"key_name"`
	Requests   int64    `json:"requests"`
	Errors     int64    `json:"errors"`
	P50        int64    `json:"p50_ms"`
	P95        int64    `json:"p95_ms"`
	Max        int64    `json:"max_ms"`
	Prompt     int64    `json:"prompt_tokens"`
	Cached     int64    `json:"cached_tokens"`
	Completion int64    `json:"completion_tokens"`
	Cost       *float64 `json:"cost"`
}

// asks records requests of a conversation: n of them, the n-th of which took n milliseconds, and every tenth was refused.
func (b *bundle) asks(c service.Conversation, n int, at time.Time) {
	b.t.Helper()
	var all []servicestore.Request
	for i := 1; i <= n; i++ {
		status := http.StatusOK
		if i%10 == 0 {
			status = http.StatusTooManyRequests
		}
		all = append(all, servicestore.Request{ID: rand.Text(), Service: c.Service, Key: c.Key, Conversation: c.ID, Endpoint: "POST /api/v1/chat", Source: service.SourceAPI, Status: status, Latency: time.Duration(i) * time.Millisecond, At: at})
	}
	require.NoError(b.t, b.store.ServiceUsage.RecordRequests(b.t.Context(), all))
}

func TestServiceUsage_SumsUpByDayAndByKeyAndKeepsWhatWasDeleted(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	of, there := b.served(2)
	today := time.Now().UTC()
	b.asks(there[0], 100, today)
	b.asks(there[0], 10, today.AddDate(0, 0, -2))
	b.asks(there[1], 10, today.AddDate(0, 0, -60)) // before the days that are asked for
	for range 2 {
		require.NoError(t, b.store.Usage.BookUsage(ctx, there[0].Session, "acme/one", 1, chat.Usage{PromptTokens: 1_000_000, CachedTokens: 400_000, CompletionTokens: 100_000}))
		require.NoError(t, b.store.Usage.BookUsage(ctx, there[0].Session, "acme/unknown", 1, chat.Usage{PromptTokens: 7}))
	}
	var used usedBody
	path := "/api/services/" + of.ID + "/usage"
	b.alice.get(path).is(http.StatusOK, &used)
	require.Equal(t, today.Format(time.DateOnly), used.To)
	require.Len(t, used.Rows, 2)
	require.Equal(t, today.AddDate(0, 0, -2).Format(time.DateOnly), used.Rows[0].Day)
	now := used.Rows[1]
	require.Equal(t, []int64{100, 10, 50, 95, 100}, []int64{now.Requests, now.Errors, now.P50, now.P95, now.Max})
	require.Equal(t, []int64{2_000_014, 800_000, 200_000}, []int64{now.Prompt, now.Cached, now.Completion})
	require.InDelta(t, 1.2*1+0.8*0.5+0.2*2, *now.Cost, 1e-6, "of the model with a price")
	require.Equal(t, int64(110), used.Total.Requests)
	require.Equal(t, *now.Cost, *used.Total.Cost)

	_, err := b.pool.Exec(ctx, `DELETE FROM users WHERE id = $1`, int64(there[0].User)) // as the deletion of a conversation ends
	require.NoError(t, err)
	b.alice.get(path+"?group=key").is(http.StatusOK, &used)
	require.Len(t, used.Rows, 1)
	require.Equal(t, []string{there[0].Key, "shop"}, []string{used.Rows[0].Key, used.Rows[0].Name})
	require.Equal(t, int64(2_000_014), used.Rows[0].Prompt, "kept after the conversation was deleted")
	require.Equal(t, int64(110), used.Rows[0].Requests)

	file := b.alice.get(path + ".csv")
	require.Equal(t, http.StatusOK, file.status)
	lines := strings.Split(strings.TrimSpace(string(file.body)), "\n")
	require.Len(t, lines, 4)
	require.True(t, strings.HasPrefix(lines[0], "day,key_name,requests,errors,p50_ms"))
	require.True(t, strings.HasPrefix(lines[3], "total,,110,11,"), lines[3])
	require.Contains(t, file.header.Get("Content-Type"), "text/csv")
	require.Contains(t, file.header.Get("Content-Disposition"), "attachment")
}

func TestServiceUsage_IsForAdministratorsAndForDaysThatThereAre(t *testing.T) {
	b := setup(t)
	of, _ := b.served(1)
	for _, path := range []string{"/usage", "/usage.csv"} {
		b.bob.get("/api/services/"+of.ID+path).is(http.StatusForbidden, nil)
		b.alice.get("/api/services/svc_00000000"+path).is(http.StatusNotFound, nil)
		for _, query := range []string{"?from=yesterday", "?to=2026-13-01", "?from=2026-02-02&to=2026-02-01", "?from=2020-01-01&to=2026-01-01"} {
			b.alice.get("/api/services/"+of.ID+path+query).is(http.StatusBadRequest, nil)
		}
	}
	var used usedBody
	b.alice.get("/api/services/"+of.ID+"/usage?from=2026-02-01&to=2026-02-01").is(http.StatusOK, &used)
	require.Empty(t, used.Rows)
	require.Nil(t, used.Total.Cost)
}

func TestServiceUsage_ANameOfAKeyIsNoFormula(t *testing.T) {
	b := setup(t)
	of, _ := b.served(0)
	ctx := t.Context()
	made, _, err := b.store.Services.AddServiceKey(ctx, of.ID, `=HYPERLINK("https://evil.example")`)
	require.NoError(t, err)
	b.asks(service.Conversation{Service: of.ID, Key: made.ID}, 1, time.Now())
	file := b.alice.get("/api/services/" + of.ID + "/usage.csv?group=key")
	require.Contains(t, string(file.body), `"'=HYPERLINK(`)
}
