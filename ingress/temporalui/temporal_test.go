package temporalui_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/ingress/auth"
	"xbot/ingress/temporalui"
)

// visitor is whoever asks.
type visitor struct {
	base    string
	allowed bool
}

func (v *visitor) Allowed(*http.Request) bool { return v.allowed }
func (v *visitor) Base(*http.Request) string  { return v.base }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTemporalUI_SeesNothingOfThePersonsCredentials(t *testing.T) {
	t.Parallel()
	var got *http.Request
	ui := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.Header().Set("X-Frame-Options", "SAMEORIGIN")
		_, _ = io.WriteString(w, "ui") // the client is gone if this fails
	}))
	defer ui.Close()
	target, err := url.Parse(ui.URL)
	require.NoError(t, err)
	visitor := &visitor{base: "/temporal/", allowed: true}
	h := temporalui.Proxy{
		Target: target, Header: "X-Secret", Token: "s3cret", Cookie: auth.CookieName,
		Access: visitor,
	}.Handler()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/temporal/api/v1/a%2Fb?q=1", strings.NewReader("body"))
	r.Header.Set("Authorization", "Bearer token")
	r.Header.Set("Origin", "http://127.0.0.1:8080")
	r.Header.Set("Referer", "http://127.0.0.1:8080/temporal/k/key/")
	r.Header.Set("X-Secret", "planted")
	r.AddCookie(&http.Cookie{Name: auth.CookieName, Value: "login"})
	r.AddCookie(&http.Cookie{Name: "_csrf", Value: "of the UI"})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, "ui", w.Body.String())
	require.Equal(t, "/temporal/api/v1/a%2Fb?q=1", got.RequestURI, "the path is passed on as it was escaped")
	require.Equal(t, target.Host, got.Host)
	require.Equal(t, []string{"s3cret"}, got.Header.Values("X-Secret"))
	require.Empty(t, got.Header.Get("Authorization"))
	require.Empty(t, got.Header.Get("Origin"))
	require.Empty(t, got.Header.Get("Referer"))
	require.Equal(t, "_csrf=\"of the UI\"", got.Header.Get("Cookie"))

	visitor.allowed, got = false, nil
	w = httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, http.StatusForbidden, w.Code)
	require.Nil(t, got)

	visitor.allowed = true
	ui.Close()
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/temporal/", nil))
	require.Equal(t, http.StatusBadGateway, w.Code)
	require.Contains(t, w.Body.String(), "xbot doctor")
}

// hashOf is how a Content-Security-Policy permits a script.
func hashOf(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func TestTemporalUI_ItsPageFindsItselfWhereTheBrowserFoundIt(t *testing.T) {
	t.Parallel()
	ui := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Referrer-Policy", "unsafe-url")
		switch r.URL.Path {
		case "/temporal/moved":
			http.Redirect(w, r, "/temporal/namespaces", http.StatusFound)
		case "/temporal/data":
			w.Header().Set("Content-Type", "application/json")
			fallthrough
		case "/temporal/render":
			_, _ = io.WriteString(w, `"/temporal/x"`) // the client is gone if this fails
		default:
			if r.Header.Get("Accept-Encoding") == "br" {
				t.Error("the page has to be read on the way")
			}
			w.Header().Set("Content-Security-Policy", "script-src "+hashOf(`base: "/temporal"`)+" "+hashOf("other()"))
			_, _ = io.WriteString(w, `<script>base: "/temporal"</script><script>other()</script> import("/temporal/_app/start.js") "/temporality"`) // the client is gone if this fails
		}
	}))
	defer ui.Close()
	target, err := url.Parse(ui.URL)
	require.NoError(t, err)
	h := temporalui.Proxy{
		Target: target, Access: &visitor{base: "/temporal/k/key/", allowed: true},
	}.Handler()
	get := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil)
		r.Header.Set("Accept", "text/html")
		r.Header.Set("Accept-Encoding", "br")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	page := get("/temporal/")
	require.Equal(t, `<script>base: "/temporal/k/key"</script><script>other()</script> import("/temporal/k/key/_app/start.js") "/temporality"`, page.Body.String())
	require.Equal(t, "script-src "+hashOf(`base: "/temporal/k/key"`)+" "+hashOf("other()"), page.Header().Get("Content-Security-Policy"), "its scripts may still run")
	require.Equal(t, "no-store", page.Header().Get("Cache-Control"))
	require.Empty(t, page.Header().Get("Referrer-Policy"), "that of the ingress stands")
	require.Equal(t, "/temporal/k/key/namespaces", get("/temporal/moved").Header().Get("Location"))
	require.Equal(t, `"/temporal/x"`, get("/temporal/data").Body.String(), "only the page itself")
	require.Equal(t, `"/temporal/x"`, get("/temporal/render").Body.String(), "what others wrote learns nothing")
}
