package api_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"xbot/ingress/api"
	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/mcp"
)

// maxRefusal bounds the answer to a hostile request, in bytes.
const maxRefusal = 12 << 10

// hostile are bodies that no client sends by mistake.
func hostile(t *testing.T) map[string]string {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(bytes.Repeat([]byte("{}"), 1<<20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":"v"`, i)
		}
		return `{"username":"alice","password":"x"` + b.String() + "}"
	}
	return map[string]string{
		"100 members":          members(100),
		"600 members":          members(600),
		"8,000 members":        members(8000),
		"60,000 members":       members(60_000),
		"one name many times":  `{"username":"a"` + strings.Repeat(`,"username":"b"`, 500) + "}",
		"a long name":          `{"` + strings.Repeat("n", 7000) + `":1}`,
		"a longer name":        `{"` + strings.Repeat("n", 900_000) + `":1}`,
		"a long value":         `{"username":"` + strings.Repeat("v", 7000) + `","token":"` + strings.Repeat("v", 900) + `"}`,
		"escapes":              `{"username":"` + strings.Repeat(`\u0000`, 1200) + `"}`,
		"deep lists":           strings.Repeat("[", 7000),
		"deep lists, closed":   strings.Repeat("[", 3500) + strings.Repeat("]", 3500),
		"deeper lists":         strings.Repeat("[", 900_000),
		"deep objects":         strings.Repeat(`{"a":`, 1400),
		"deep below a member":  `{"username":` + strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 501),
		"a wide list":          `{"username":[` + strings.Repeat("0,", 400_000) + "0]}",
		"a list":               "[" + strings.Repeat("{},", 2000) + "{}]",
		"a text":               `"` + strings.Repeat("x", 5000) + `"`,
		"null":                 "null",
		"a number":             strings.Repeat("9", 5000),
		"a number of a member": `{"username":` + strings.Repeat("9", 5000) + "}",
		"an exponent":          `{"username":1e999999999}`,
		"quotes":               strings.Repeat(`"`, 7000),
		"backslashes":          `{"username":"` + strings.Repeat(`\`, 7001),
		"no UTF-8":             "{\"\xff\xfe\":\"" + strings.Repeat("\xff", 5000) + "\"}",
		"zeros":                strings.Repeat("\x00", 5000),
		"a byte order mark":    "\xef\xbb\xbf" + `{"username":"alice"}`,
		"two values":           strings.Repeat(`{"username":"alice"}`, 300),
		"a packed body":        packed.String(),
	}
}

// targets are endpoints of all kinds. Requests without a user have no credentials.
func (b *bundle) targets() map[string]struct {
	who    *person
	method string
	path   string
} {
	key := b.alice.session("").Key
	type target = struct {
		who    *person
		method string
		path   string
	}
	return map[string]target{
		"login":     {nil, http.MethodPost, "/api/login"},
		"join":      {nil, http.MethodPost, "/api/join"},
		"link":      {nil, http.MethodPost, "/api/login/link"},
		"nobody":    {nil, http.MethodPost, "/api/tokens"},
		"tool":      {nil, http.MethodPost, mcp.Path},
		"own tool":  {b.alice, http.MethodPost, mcp.Path},
		"message":   {b.bob, http.MethodPost, path(b.bob.session("").Key, "/messages")},
		"another's": {b.bob, http.MethodPost, path(key, "/messages")},
		"password":  {b.bob, http.MethodPost, "/api/me/password"},
		"token":     {b.bob, http.MethodPost, "/api/tokens"},
		"schedule":  {b.bob, http.MethodPost, "/api/cron"},
		"provider":  {b.bob, http.MethodPost, "/api/subscriptions"},
		"user":      {b.alice, http.MethodPost, "/api/users"},
		"policy":    {b.alice, http.MethodPut, "/api/policy"},
	}
}

func TestAttack_BodiesAreRefusedInFewBytes(t *testing.T) {
	b := setup(t)
	bodies, targets := hostile(t), b.targets()
	for at, to := range targets {
		for name, body := range bodies {
			t.Run(at+"/"+name, func(t *testing.T) {
				a := b.do(to.who, to.method, to.path, body)
				require.GreaterOrEqual(t, a.status, 400, "%s", a.body)
				require.Less(t, a.status, 500, "%s", a.body)
				require.LessOrEqual(t, len(a.body), maxRefusal)
				b.bob.get("/api/me").is(http.StatusOK, nil)
			})
		}
	}
	b.do(nil, http.MethodGet, "/api/login", nil).is(http.StatusOK, nil)
}

func TestAttack_HeadersAndAddressesAreRefusedInFewBytes(t *testing.T) {
	b := setup(t)
	long := strings.Repeat("x", 30_000)
	for name, change := range map[string]func(r *http.Request){
		"path": func(r *http.Request) { r.URL.Path = "/api/" + long },
		"encoded path": func(r *http.Request) {
			r.URL.RawPath, r.URL.Path = "/api/"+strings.Repeat("%2e", 9000), "/api/"+strings.Repeat(".", 9000)
		},
		"session":         func(r *http.Request) { r.URL.Path = "/api/sessions/" + long },
		"query":           func(r *http.Request) { r.URL.Path, r.URL.RawQuery = "/api/sessions", "shelf="+long },
		"many parameters": func(r *http.Request) { r.URL.Path, r.URL.RawQuery = "/api/sessions", strings.Repeat("shelf=x&", 4000) },
		"a number":        func(r *http.Request) { r.URL.Path, r.URL.RawQuery = "/api/usage", "days="+strings.Repeat("9", 20_000) },
		"method":          func(r *http.Request) { r.Method = strings.Repeat("M", 20_000) },
		"content type": func(r *http.Request) {
			r.Method, r.URL.Path = http.MethodPost, "/api/tokens"
			r.Header.Set("Content-Type", long)
		},
		"accept": func(r *http.Request) { r.URL.Path = "/api/none"; r.Header.Set("Accept", long) },
		"token":  func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+long) },
		"cookie": func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Set("Cookie", auth.CookieName+"="+long) },
		"many cookies": func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("Cookie", strings.Repeat(auth.CookieName+"=x; ", 1500))
		},
		"page key": func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("Cookie", auth.CookieName+"=x")
			r.Header.Set(auth.PageHeader, long)
		},
		"pass":   func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "pass=" + long },
		"shared": func(r *http.Request) { r.URL.Path = "/api/shared/" + long },
		"origin": func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("Cookie", auth.CookieName+"=x")
			r.Header.Set("Origin", "https://"+long)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/api/me", nil)
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+b.bob.token)
			change(r)
			a := b.send(&http.Client{}, r)
			require.GreaterOrEqual(t, a.status, 400, "%s", a.body)
			require.Less(t, a.status, 500, "%s", a.body)
			require.LessOrEqual(t, len(a.body), maxRefusal)
			b.bob.get("/api/me").is(http.StatusOK, nil)
		})
	}
}

// TestAttack_OpenOperationsTakeSmallBodies covers future operations, too.
func TestAttack_OpenOperationsTakeSmallBodies(t *testing.T) {
	t.Parallel()
	open := 0
	for at, item := range api.Document().Paths {
		for _, op := range []*huma.Operation{item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil || op.Security != nil {
				continue
			}
			open++
			require.LessOrEqual(t, op.MaxBodyBytes, int64(endpoint.OpenBody), "%s takes a large body without a sign-in", at)
		}
	}
	require.GreaterOrEqual(t, open, 3)
}
