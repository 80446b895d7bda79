package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/stretchr/testify/require"

	"xbot/ingress/api/endpoint"
	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
	"xbot/internal/host/outage"
)

type input struct {
	Body struct {
		Username string   `json:"username" maxLength:"20"`
		Password string   `json:"password,omitempty" maxLength:"20"`
		Tags     []string `json:"tags,omitempty" maxItems:"5"`
	}
}

// server has one operation, which takes bodies up to 1 MB.
func server(limits jsonlimit.Limits) http.Handler {
	mux := http.NewServeMux()
	c := huma.DefaultConfig("test", "1")
	c.CreateHooks = nil
	c.Formats = endpoint.Formats(limits)
	c.Transformers = []huma.Transformer{endpoint.ShortProblem}
	huma.Register(humago.New(mux, c), huma.Operation{OperationID: "take", Method: http.MethodPost, Path: "/take"},
		func(context.Context, *input) (*struct{}, error) { return nil, nil })
	return mux
}

func post(h http.Handler, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/take", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// object returns an object with a number of unknown members.
func object(members int) string {
	var b strings.Builder
	for i := range members {
		fmt.Fprintf(&b, `,"k%d":%d`, i, i)
	}
	return `{"username":"a"` + b.String() + "}"
}

// dotted returns an object with names at which huma would split.
func dotted(members int) string {
	var b strings.Builder
	for i := range members {
		fmt.Fprintf(&b, `,"%s%d.x":1`, strings.Repeat("n", 90), i)
	}
	return `{"username":"a"` + b.String() + "}"
}

// databaseAway is Postgres while it is away.
type databaseAway struct{}

func (databaseAway) Name() string               { return "Postgres" }
func (databaseAway) Caused(err error) bool      { return fault.PartOf(err) == "Postgres" }
func (databaseAway) Ping(context.Context) error { return io.EOF }

func TestProblem_LogsAnOutageOnceAndOtherFailuresEachTime(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	b := &endpoint.Base{Log: log, Outages: outage.New(log, databaseAway{})}
	lines := func(err error) int {
		out.Reset()
		for range 10 {
			require.Error(t, b.Problem(err))
			b.Refuse(httptest.NewRecorder(), nil, err)
			b.Refusal(err)
		}
		return strings.Count(out.String(), "\n")
	}
	require.Equal(t, 1, lines(fmt.Errorf("read: %w", fault.Away("Postgres", "connection refused"))))
	require.Equal(t, 0, lines(fault.Away("Postgres", "connection refused")), "the outage goes on")
	require.Equal(t, 30, lines(fault.Errorf(fault.Unavailable, "the provider is away")))
	require.Equal(t, 30, lines(io.EOF))
	require.Zero(t, lines(fault.Errorf(fault.NotFound, "no such session")))
}

// maxAnswer bounds a problem document, in bytes.
const maxAnswer = 12 << 10

func TestAttack_AnswersDoNotGrowWithARequest(t *testing.T) {
	h := server(jsonlimit.Default)
	secret := "hunter2-" + strings.Repeat("x", 1000)
	for name, body := range map[string]string{
		"100 members":         object(100),
		"2,000 members":       object(2000),
		"8,000 members":       object(8000),
		"60,000 members":      object(60_000),
		"120,000 members":     object(120_000)[:1<<20-1],
		"a long name":         `{"username":"a","` + strings.Repeat("n", 900_000) + `":1}`,
		"many long names":     `{"username":"a"` + strings.Repeat(`,"`+strings.Repeat("n", 8000)+`":1`, 1) + strings.Repeat(`,"`+strings.Repeat("m", 4000)+`":1`, 1) + `}`,
		"a name of brackets":  `{"username":"a","` + strings.Repeat("[0].", 10_000) + `":1}`,
		"a long value":        `{"username":"` + secret + `"}`,
		"values of a list":    `{"username":"a","tags":[` + strings.Repeat(`1,`, 50_000) + `1]}`,
		"long values in list": `{"username":"a","tags":["` + strings.Repeat(secret, 10) + `",1,2,3,4,5,6]}`,
		"names with dots":     dotted(8000),
		"names with brackets": strings.ReplaceAll(dotted(8000), ".", "["),
		"deep":                strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000),
		"no JSON":             `{"username":"` + secret + `" "` + secret,
		"a text":              `"` + secret + `"`,
		"a character":         `{"username":` + strings.Repeat("\x00", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			w := post(h, body)
			require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge}, w.Code)
			require.LessOrEqual(t, w.Body.Len(), maxAnswer)
			require.NotContains(t, w.Body.String(), "hunter2")
			var doc huma.ErrorModel
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &doc))
			require.LessOrEqual(t, len(doc.Errors), 20)
			require.Equal(t, http.StatusNoContent, post(h, `{"username":"a"}`).Code, "others are served")
		})
	}
	var doc huma.ErrorModel
	require.NoError(t, json.Unmarshal(post(h, object(1000)).Body.Bytes(), &doc))
	require.Contains(t, doc.Detail, "the first 20 errors are listed, 980 more are left out")
}

// allocated returns how many bytes a request allocates.
func allocated(h http.Handler, body string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	post(h, body)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAttack_WorkGrowsNoFasterThanARequest(t *testing.T) {
	h := server(jsonlimit.Default)
	post(h, object(60_000)) // buffers grow once
	small, large := allocated(h, object(6000)), allocated(h, object(60_000))
	t.Logf("6,000 members: %d kB, 60,000 members: %d kB", small>>10, large>>10)
	require.Less(t, large, 20*small)
	require.Less(t, large, uint64(128<<20))
	require.Less(t, allocated(h, dotted(8000)), uint64(64<<20), "the names of others do not come before each")
	require.Less(t, allocated(h, `{"username":"a","`+strings.Repeat("n", 500_000)+`":{}`+strings.Repeat(`,"kkkk":1`, 40_000)+"}"), uint64(64<<20))
	open := server(jsonlimit.Open)
	require.Less(t, allocated(open, object(60_000)), uint64(8<<20), "the body is read, and not decoded")
	require.Less(t, allocated(h, strings.Repeat("[", 1<<20-1)), uint64(8<<20))
}

func TestFormats_NamesWithDotsAreValidatedAndDecodedAsTheyAre(t *testing.T) {
	t.Parallel()
	type limits struct {
		Body struct {
			Models map[string]int `json:"models" doc:"By name."`
		}
	}
	mux := http.NewServeMux()
	c := huma.DefaultConfig("test", "1")
	c.Formats = endpoint.Formats(jsonlimit.Default)
	var got map[string]int
	huma.Register(humago.New(mux, c), huma.Operation{OperationID: "take", Method: http.MethodPost, Path: "/take"},
		func(_ context.Context, in *limits) (*struct{}, error) { got = in.Body.Models; return nil, nil })
	require.Equal(t, http.StatusNoContent, post(mux, `{"models":{"gpt-4.1":1,"gpt-4%2E1":2,"a[0]":3,"%":4}}`).Code)
	require.Equal(t, map[string]int{"gpt-4.1": 1, "gpt-4%2E1": 2, "a[0]": 3, "%": 4}, got)
	for _, name := range []string{"gpt-4.1", "gpt-4%2E1", "a[0]", "%"} {
		w := post(mux, `{"models":{"a":1,"`+name+`":"no number","b.c":2}}`)
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, name)
	}
}

func TestShorten_CutsBetweenCharacters(t *testing.T) {
	t.Parallel()
	require.Equal(t, "short", endpoint.Shorten("short", 5))
	require.Equal(t, "shor…", endpoint.Shorten("short", 4))
	require.Equal(t, "é…", endpoint.Shorten("ééé", 3))
	require.Equal(t, "…", endpoint.Shorten("字字", 2))
}
