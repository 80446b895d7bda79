package panels_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/panels"
	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/pluginstore"
	"xbot/internal/extension/plugin/weblink"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

// house has one plugin and one person.
type house struct {
	files    plugin.Tree
	off      bool
	disabled bool
	reads    int
}

func newHouse() *house {
	manifest := `{"id":"feeds","name":"Feeds","version":"1","runtime":"script","command":["./run"],"permissions":["page"],"contributes":{"widgets":[{"name":"news","title":{"en":"News"},"entry":"web/index.html"}]}}`
	return &house{files: plugin.Tree{
		plugin.ManifestName: {Data: []byte(manifest)}, "run": {Data: []byte("#!/bin/sh\n")}, "secret.html": {Data: []byte("secret")}, "web/index.html": {Data: []byte("<p>hello")},
		"web/a/main.js": {Data: []byte("1")}, "web/tool.sh": {Data: []byte("secret")}, "web/.env.html": {Data: []byte("secret")},
	}}
}

func (h *house) Working(context.Context) ([]installed.Plugin, error) {
	if h.off {
		return nil, nil
	}
	m, err := h.files.Manifest()
	return []installed.Plugin{{Plugin: pluginstore.Plugin{ID: "feeds", Digest: h.files.Digest(), Enabled: true}, Manifest: m}}, err
}

func (h *house) PluginArchive(context.Context, string) (string, []byte, error) {
	h.reads++
	archive, err := h.files.Zip()
	return h.files.Digest(), archive, err
}

func (h *house) UserByID(_ context.Context, id chat.UserID) (users.User, error) {
	if id != 7 {
		return users.User{}, fault.Errorf(fault.NotFound, "nobody")
	}
	return users.User{ID: 7, Disabled: h.disabled}, nil
}

func (h *house) link() weblink.Link {
	return weblink.Link{Plugin: "feeds", Digest: h.files.Digest(), User: 7, Expires: time.Now().Add(time.Hour)}
}

func at(t *testing.T, l weblink.Link, file string) string {
	t.Helper()
	url, err := weblink.New(secret.Key{1}).URL(l, file)
	require.NoError(t, err)
	return url
}

func (h *house) serve(t *testing.T) func(path string) *httptest.ResponseRecorder {
	t.Helper()
	f := &panels.Files{Signer: weblink.New(secret.Key{1}), Plugins: h, Archives: h, Accounts: h, Log: slog.New(slog.DiscardHandler)}
	return func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		w.Header().Set("X-Frame-Options", "DENY")
		f.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://xbot.test:8080"+path, nil))
		return w
	}
}

func TestFiles_AreThoseOfTheVersionAndReachNothingElse(t *testing.T) {
	h := newHouse()
	get := h.serve(t)
	url := at(t, h.link(), "web/index.html")
	w := get(url)
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "<p>hello", w.Body.String())
	head := w.Header()
	require.Equal(t, "text/html; charset=utf-8", head.Get("Content-Type"))
	require.Equal(t, "nosniff", head.Get("X-Content-Type-Options"))
	require.Equal(t, "no-referrer", head.Get("Referrer-Policy"))
	require.Equal(t, "private, no-store", head.Get("Cache-Control"))
	require.Empty(t, head.Get("X-Frame-Options"))
	own := "xbot.test:8080" + strings.TrimSuffix(url, "web/index.html")
	require.Equal(t, "sandbox allow-scripts; default-src 'none'; script-src "+own+"; style-src "+own+" 'unsafe-inline'; img-src "+own+" data:; font-src "+own+
		"; connect-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'", head.Get("Content-Security-Policy"))
	w = get(at(t, h.link(), "web/a/main.js"))
	require.Equal(t, "text/javascript; charset=utf-8", w.Header().Get("Content-Type"))
	require.Equal(t, 1, h.reads, "the archive is read once")
	for _, file := range []string{
		"", "web", "web/", "plugin.json", "secret.html", "run", "web/tool.sh", "web/.env.html", "web/../secret.html", "web/%2e%2e/secret.html", "web%2Findex.html", "web/%69ndex.html",
		"web//index.html", "/web/index.html", "WEB/index.html", "web/Index.html", "web/index.html/", `web\index.html`, "web/none.html", "web/index.html%00",
	} {
		w := get(strings.TrimSuffix(at(t, h.link(), ""), "/") + "/" + file)
		require.Equal(t, http.StatusNotFound, w.Code, file)
		require.NotContains(t, w.Body.String(), "secret\n", file)
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "sandbox allow-scripts; default-src 'none'", file)
	}
}

func TestFiles_AreGoneWithTheAddressThePluginAndThePerson(t *testing.T) {
	h := newHouse()
	get := h.serve(t)
	good := at(t, h.link(), "web/index.html")
	require.Equal(t, http.StatusOK, get(good).Code)
	for says, change := range map[string]func(*weblink.Link){
		"has expired": func(l *weblink.Link) { l.Expires = time.Now().Add(-time.Second) }, "no such file": func(l *weblink.Link) { l.Digest = strings.Repeat("0", 64) },
		"no such": func(l *weblink.Link) { l.Plugin = "other" }, "no such file of": func(l *weblink.Link) { l.User = 8 },
	} {
		l := h.link()
		change(&l)
		w := get(at(t, l, "web/index.html"))
		require.Equal(t, http.StatusNotFound, w.Code)
		require.Contains(t, w.Body.String(), says)
	}
	forged, err := weblink.New(secret.Key{2}).URL(h.link(), "web/index.html")
	require.NoError(t, err)
	for _, url := range []string{forged, strings.Replace(good, ".", "A.", 1), weblink.Prefix + "a.b/web/index.html", weblink.Prefix + "/web/index.html", weblink.Prefix + "a;script-src%20*.b/web/index.html"} {
		w := get(url)
		require.Equal(t, http.StatusNotFound, w.Code, url)
		require.NotContains(t, w.Header().Get("Content-Security-Policy"), "*", "an address adds nothing to the policy")
	}
	h.disabled = true
	require.Equal(t, http.StatusNotFound, get(good).Code)
	h.disabled, h.off = false, true
	require.Equal(t, http.StatusNotFound, get(good).Code)
	h.off = false
	require.Equal(t, http.StatusOK, get(good).Code)
	h.files["web/index.html"] = plugin.File{Data: []byte("another version")}
	require.Equal(t, http.StatusNotFound, get(good).Code, "of another version there is another address")
}

func FuzzFiles_NoPathLeadsElsewhere(f *testing.F) {
	for _, seed := range []string{"web/index.html", "web/../run", "web/%2e%2e/run", "web/\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if plugin.IsWebPath(name) {
			require.True(t, strings.HasPrefix(name, plugin.WebFolder))
			require.NotContains(t, name, "..")
			require.NotContains(t, name, "%")
			require.NotEmpty(t, plugin.WebType(name))
		}
	})
}
