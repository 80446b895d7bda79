package consumer_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/service"
)

// begins opens a request whose body is to have 2 MB, and sends one byte of it.
func (b *bundle) beginsLarge(key, path string) {
	b.T.Helper()
	var dial net.Dialer
	conn, err := dial.DialContext(b.T.Context(), "tcp", strings.TrimPrefix(b.url, "http://"))
	require.NoError(b.T, err)
	b.T.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", path, key, 2<<20)
	require.NoError(b.T, err)
}

func TestLimits_LargeBodiesOfOneKeyThatDoNotArriveKeepNobodyElseWaiting(t *testing.T) {
	b := setup(t)
	_, other := b.offer(service.Patch{Name: new("Another")})
	large := []byte(strings.Repeat(" ", 2<<20) + "{")
	for _, path := range []string{completionsPath, "/api/v1/chat"} {
		for range 10 {
			b.beginsLarge(b.key, path)
		}
	}
	for range 20 {
		for _, path := range []string{completionsPath, "/api/v1/chat"} {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			got := b.request(ctx, other, http.MethodPost, path, large)
			require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, got.StatusCode, path)
			_ = got.Body.Close()
			cancel()
		}
	}
}

func TestLimits_ARequestThatIsNoGoodCountsAgainstTheMinute(t *testing.T) {
	b := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 2, Concurrent: 4}.Patch()})
	for _, path := range []string{completionsPath, "/api/v1/chat"} {
		_, err := b.Pool.Exec(t.Context(), "DELETE FROM service_rates")
		require.NoError(t, err)
		refused := 0
		for range 20 {
			if got := b.do(b.key, http.MethodPost, path, []byte("{")); got.status == http.StatusTooManyRequests {
				require.NotEmpty(t, got.header.Get("Retry-After"))
				refused++
			}
		}
		require.GreaterOrEqual(t, refused, 16, "%s: the minute may turn once", path)
	}
}

func TestLimits_AMessageCountsOnceAgainstTheMinute(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	_, err := b.Pool.Exec(t.Context(), "DELETE FROM service_rates")
	require.NoError(t, err)
	b.chats(c, "one").until("accepted")
	var n int
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT n FROM service_rates").Scan(&n))
	require.Equal(t, 1, n)
}

func TestRecord_OfTheRequestsBeyondTheMinuteOneIsWritten(t *testing.T) {
	b := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 2, Concurrent: 4}.Patch()})
	second := b.keyOf(b.service)
	for _, key := range []string{b.key, second} {
		for range 10 {
			b.do(key, http.MethodGet, "/api/v1/service", nil)
			b.do(key, http.MethodPost, completionsPath, says("hi", "conversation_id", "x"))
		}
	}
	b.shut()
	list, err := b.ServiceUsage.ServiceRequests(t.Context(), b.service.ID, 100)
	require.NoError(t, err)
	refused := map[string]int{}
	for _, q := range list {
		if q.Status == http.StatusTooManyRequests {
			refused[q.Key]++
		}
	}
	require.Len(t, refused, 2, "each key that sent too much is seen")
	for _, n := range refused {
		require.LessOrEqual(t, n, 2, "the minute may turn once")
	}
}

func TestLimits_AWithdrawnServiceCountsRequestsToo(t *testing.T) {
	b := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 2, Concurrent: 4}.Patch()})
	_, err := b.Services.ChangeService(t.Context(), b.service.ID, 0, service.Patch{Published: new(false)})
	require.NoError(t, err)
	refused := 0
	for range 20 {
		if b.do(b.key, http.MethodGet, "/api/v1/service", nil).status == http.StatusTooManyRequests {
			refused++
		}
	}
	require.GreaterOrEqual(t, refused, 16)
}
