package wire

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRetryAfter_ReadsWhatProvidersSend(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		header  map[string]string
		message string
		want    time.Duration
	}{
		"nothing":                      {},
		"seconds":                      {header: map[string]string{"Retry-After": "20"}, want: 20 * time.Second},
		"a fraction of a second":       {header: map[string]string{"Retry-After": "0.5"}, want: 500 * time.Millisecond},
		"milliseconds before seconds":  {header: map[string]string{"Retry-After": "20", "retry-after-ms": "1500"}, want: 1500 * time.Millisecond},
		"a date":                       {header: map[string]string{"Retry-After": "Sat, 21 Nov 2026 10:00:07 GMT"}, want: 7 * time.Second},
		"a date of a clock that is on": {header: map[string]string{"Retry-After": "Sat, 21 Nov 2026 12:00:07 GMT", "Date": "Sat, 21 Nov 2026 12:00:00 GMT"}, want: 7 * time.Second},
		"a date in the past":           {header: map[string]string{"Retry-After": "Sat, 21 Nov 2026 09:00:00 GMT"}},
		"tokens that ran out":          {header: map[string]string{"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "9"}, want: 6 * time.Minute},
		"requests that ran out":        {header: map[string]string{"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-reset-requests": "20ms", "x-ratelimit-remaining-requests": "0"}, want: 20 * time.Millisecond},
		"a moment in milliseconds":     {header: map[string]string{"X-RateLimit-Reset": "1795255209000"}, want: 9 * time.Second},
		"a moment in seconds":          {header: map[string]string{"X-RateLimit-Reset": "1795255209"}, want: 9 * time.Second},
		"a moment that is an amount":   {header: map[string]string{"X-RateLimit-Reset": "12"}, want: 12 * time.Second},
		"OpenAI's sentence":            {message: "Rate limit reached for gpt-4o on requests per min. Please try again in 1.2s. Visit…", want: 1200 * time.Millisecond},
		"Azure's sentence":             {message: "Please retry after 26 seconds.", want: 26 * time.Second},
		"minutes in a sentence":        {message: "try again in 2 minutes", want: 2 * time.Minute},
		"milliseconds in a sentence":   {message: "Please try again in 86ms.", want: 86 * time.Millisecond},
		// https://github.com/Soju06/codex-lb/issues/1051
		"minutes and seconds":            {message: "Rate limit reached. Please try again in 6m0s. Visit…", want: 6 * time.Minute},
		"a minute and a half":            {message: "Please try again in 1m30s.", want: 90 * time.Second},
		"minutes and parts of seconds":   {message: "Please try again in 2m59.56s. Need more tokens?", want: 2*time.Minute + 59560*time.Millisecond},
		"hours and minutes":              {message: "Please try again in 7h12m", want: 7*time.Hour + 12*time.Minute},
		"a minute and seconds, in words": {message: "try again in 1 minute and 30 seconds", want: 90 * time.Second},
		"minutes alone":                  {message: "Please try again in 20m.", want: 20 * time.Minute},
		"a number behind the span":       {message: "Please try again in 20s 3 requests are left", want: 20 * time.Second},
		"a span of something else":       {message: "try again in 2 months"},
		"more than a day, in a sentence": {message: "try again in 23h59m59s59h", want: 24 * time.Hour},
		"Gemini's detail":                {message: `{"@type":"RetryInfo","retryDelay": "34s"}`, want: 34 * time.Second},
		"more than a day":                {header: map[string]string{"Retry-After": "9999999"}, want: 24 * time.Hour},
		"nonsense":                       {header: map[string]string{"Retry-After": "soon", "X-RateLimit-Reset": "NaN"}},
		"a negative amount":              {header: map[string]string{"Retry-After": "-5"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			for key, value := range c.header {
				header.Set(key, value)
			}
			require.Equal(t, c.want, retryAfter(header, c.message, now))
		})
	}
}

func FuzzRetryAfter_StaysWithinBounds(f *testing.F) {
	f.Add("20", "1500", "6m0s", "try again in 3s")
	f.Add("Sat, 21 Nov 2026 10:00:07 GMT", "", "1795255209000", `"retryDelay": "34s"`)
	f.Add("1e400", "-1", "9e99", "retry after 99999999999999999999 hours")
	f.Fuzz(func(t *testing.T, after, ms, reset, message string) {
		header := http.Header{"Retry-After": {after}, "Retry-After-Ms": {ms}, "X-Ratelimit-Reset": {reset}}
		got := retryAfter(header, message, time.Now())
		require.GreaterOrEqual(t, got, time.Duration(0))
		require.LessOrEqual(t, got, maxRetryAfter)
	})
}
