package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

var page = fstest.MapFS{
	"index.html":             {Data: []byte("<!doctype html>")},
	"diagram.html":           {Data: []byte("<!doctype html>")},
	"theme.js":               {Data: []byte("// theme")},
	"assets/main-1a2b.js":    {Data: []byte("export {}")},
	"assets/main-1a2b.js.gz": {Data: []byte("packed")},
	".vite/manifest.json":    {Data: []byte("{}")},
	"manifest.webmanifest":   {Data: []byte("{}")},
	"sw.js":                  {Data: []byte("// worker")},
}

func get(t *testing.T, files fstest.MapFS, path string, header ...string) *http.Response {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	if len(header) == 2 {
		request.Header.Set(header[0], header[1])
	}
	recorder := httptest.NewRecorder()
	handler(files).ServeHTTP(recorder, request)
	return recorder.Result()
}

func body(t *testing.T, response *http.Response) string {
	t.Helper()
	buffer := make([]byte, 1024)
	n, err := response.Body.Read(buffer)
	if n == 0 {
		require.NoError(t, err)
	}
	return string(buffer[:n])
}

func TestHandler_AnswersThePageForPlacesInsideIt(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/login", "/c/agent:main:web:thread:1", "/c/agent%3Amain%3Aweb", "/c/agent:main:web:dm:ann.lee"} {
		response := get(t, page, path)
		require.Equal(t, http.StatusOK, response.StatusCode, path)
		require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"), path)
		require.Equal(t, "no-cache", response.Header.Get("Cache-Control"), path)
		require.Equal(t, Policy, response.Header.Get("Content-Security-Policy"), path)
		require.Equal(t, "<!doctype html>", body(t, response), path)
	}
}

func TestHandler_FramesDiagramsInAnOriginOfTheirOwn(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	recorder.Header().Set("X-Frame-Options", "DENY") // as the server sets it for all answers
	handler(page).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/diagram.html", nil))
	head := recorder.Result().Header
	require.Equal(t, FramePolicy, head.Get("Content-Security-Policy"))
	require.Empty(t, head.Get("X-Frame-Options"))
	require.Equal(t, "*", get(t, page, "/assets/main-1a2b.js").Header.Get("Access-Control-Allow-Origin"), "its scripts have no origin")
	for _, path := range []string{"/", "/index.html", "/theme.js"} {
		response := get(t, page, path)
		require.Equal(t, Policy, response.Header.Get("Content-Security-Policy"), path)
		require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"), path)
	}
}

func TestHandler_ShowsVisitorsOfServicesNothingOfThePage(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/s/svc_0a1b2c3d", "/wc/svc_0a1b2c3d", "/wc/", "/wc"} {
		require.Equal(t, http.StatusNotFound, get(t, page, path).StatusCode, path)
	}
}

func TestHandler_TellsNobodyOfTheLinkToAConversation(t *testing.T) {
	t.Parallel()
	response := get(t, page, "/shared/JbQk3vXn2h-_8s")
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "no-referrer", response.Header.Get("Referrer-Policy"))
	require.Equal(t, "noindex", response.Header.Get("X-Robots-Tag"))
	require.Empty(t, get(t, page, "/").Header.Get("X-Robots-Tag"))
}

func TestHandler_MissingFilesAreNotThePage(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/assets/gone.js", "/favicon.ico", "/.vite/manifest.json", "/assets/main-1a2b.js.gz", "/../embed.go"} {
		require.Equal(t, http.StatusNotFound, get(t, page, path).StatusCode, path)
	}
}

func TestHandler_HashedNamesMayBeKeptForEver(t *testing.T) {
	t.Parallel()
	response := get(t, page, "/assets/main-1a2b.js")
	require.Equal(t, "public, max-age=31536000, immutable", response.Header.Get("Cache-Control"))
	require.Equal(t, "text/javascript; charset=utf-8", response.Header.Get("Content-Type"))
	require.Equal(t, "export {}", body(t, response))
}

func TestHandler_TheServiceWorkerIsAskedForAgainEachTime(t *testing.T) {
	t.Parallel()
	response := get(t, page, "/sw.js")
	require.Equal(t, "no-cache", response.Header.Get("Cache-Control"), "else an old worker would keep an old page")
	require.Equal(t, "application/manifest+json", get(t, page, "/manifest.webmanifest").Header.Get("Content-Type"))
}

func TestHandler_SendsThePackedFormToWhomTakesIt(t *testing.T) {
	t.Parallel()
	packed := get(t, page, "/assets/main-1a2b.js", "Accept-Encoding", "br, gzip;q=0.8")
	require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	require.Equal(t, "packed", body(t, packed))
	refused := get(t, page, "/assets/main-1a2b.js", "Accept-Encoding", "gzip; q=0")
	require.Empty(t, refused.Header.Get("Content-Encoding"))
	require.Equal(t, "export {}", body(t, refused))
}

func TestHandler_SaysWhenThePageWasNotBuilt(t *testing.T) {
	t.Parallel()
	response := get(t, fstest.MapFS{".gitkeep": {}}, "/")
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Equal(t, notBuilt+"\n", body(t, response))
}

func TestHandler_TakesNoOtherMethods(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	handler(page).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil))
	require.Equal(t, http.StatusMethodNotAllowed, recorder.Code)
}

func TestFiles_CompilesAndOpensWithOrWithoutABuiltPage(t *testing.T) {
	t.Parallel()
	file, err := Files().Open(".")
	require.NoError(t, err)
	require.NoError(t, file.Close())
}
