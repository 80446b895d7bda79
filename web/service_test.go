package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

// scripted are the services of a test by their ids.
type scripted map[string]PublicService

func (s scripted) PublicService(_ context.Context, id string) (PublicService, error) {
	service, known := s[id]
	switch {
	case !known:
		return PublicService{}, fault.Errorf(fault.NotFound, "no service %s", id)
	case service.Name == "withdrawn":
		return service, fault.Errorf(fault.Denied, "withdrawn")
	case service.Name == "broken":
		return PublicService{}, errors.New("the database is away: secret-host")
	}
	return service, nil
}

const (
	garden    = "svc_0a1b2c3d"
	framed    = "svc_11111111"
	withdrawn = "svc_22222222"
	broken    = "svc_33333333"
)

var built = fstest.MapFS{
	"index.html":   {Data: []byte("the house")},
	"service.html": {Data: []byte("<!doctype html><head><title>xbot</title><!--service--><script src=/assets/service.js></script></head>")},
	"embed.js":     {Data: []byte(`(function () { var service = "{{service}}" })()`)},
}

func ask(t *testing.T, services Services, path string, header ...string) (*http.Response, string) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for n := 0; n < len(header); n += 2 {
		request.Header.Set(header[n], header[n+1])
	}
	recorder := httptest.NewRecorder()
	recorder.Header().Set("X-Frame-Options", "DENY") // as the server sets it for all answers
	servicePages{services: services, files: built}.ServeHTTP(recorder, request)
	response := recorder.Result()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(text)
}

var inline = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

func TestService_GivesThePageWhatItShowsAsDataThatCannotEndItsScript(t *testing.T) {
	t.Parallel()
	hostile := PublicService{
		ID: garden, Name: `</script><script>alert(1)</script>`, Description: "<!-- <script> \u2028\u2029", Welcome: "# Hello </SCRIPT >",
		Questions: []string{`</script><img src=x onerror=alert(2)>`, "]]>"},
	}
	response, page := ask(t, scripted{garden: hostile}, "/s/"+garden)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	scripts := inline.FindAllStringSubmatch(page, -1)
	require.Len(t, scripts, 1, page)
	script := scripts[0][1]
	require.NotContains(t, script, "<")
	require.NotContains(t, script, "\u2028")
	require.NotContains(t, script, "\u2029")
	require.Contains(t, page, "<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>")
	require.NotContains(t, page, "onerror=alert(2)>")
	require.Contains(t, response.Header.Get("Content-Security-Policy"), "'"+hashOf(script)+"'", "the policy lets in this script alone")

	var data map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(script, "window.__SVC__ = ")), &data))
	require.Equal(t, map[string]any{
		"service_id": garden, "service_name": hostile.Name, "service_desc": hostile.Description, "welcome_message": hostile.Welcome,
		"quick_questions": []any{hostile.Questions[0], hostile.Questions[1]},
	}, data)
}

func TestService_ThePageLoadsNothingFromElsewhereAndTellsNobodyOfItsAddress(t *testing.T) {
	t.Parallel()
	response, page := ask(t, scripted{garden: {ID: garden, Name: "Garden"}}, "/s/"+garden)
	policy := response.Header.Get("Content-Security-Policy")
	require.True(t, strings.HasPrefix(policy, "default-src 'none'; script-src 'self' 'sha256-"), policy)
	scripts, _, _ := strings.Cut(strings.TrimPrefix(policy, "default-src 'none'; "), ";")
	require.NotContains(t, scripts, "unsafe")
	require.NotContains(t, policy, "http")
	require.NotContains(t, policy, "data:")
	require.Contains(t, page, `"quick_questions":[]`)
	require.Equal(t, "no-referrer", response.Header.Get("Referrer-Policy"))
	require.Equal(t, "noindex", response.Header.Get("X-Robots-Tag"))
	require.Equal(t, "no-cache", response.Header.Get("Cache-Control"))
	require.Empty(t, response.Header.Values("Set-Cookie"))
}

func TestService_IsFramedByTheOriginsThatAreNamedAndByNobodyElse(t *testing.T) {
	t.Parallel()
	services := scripted{
		garden: {ID: garden, Name: "Garden"},
		framed: {ID: framed, Name: "Framed", Origins: []string{"https://shop.example", "http://127.0.0.1:8080/", "*", "https://*.example", "https://a.example/path", "https://b.example; script-src *", "javascript:alert(1)"}},
	}
	response, _ := ask(t, services, "/s/"+garden)
	require.True(t, strings.HasSuffix(response.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'"))
	require.Equal(t, "DENY", response.Header.Get("X-Frame-Options"))

	response, _ = ask(t, services, "/s/"+framed)
	require.True(t, strings.HasSuffix(response.Header.Get("Content-Security-Policy"), "; frame-ancestors https://shop.example http://127.0.0.1:8080"))
	require.Empty(t, response.Header.Values("X-Frame-Options"), "it would refuse the named origins, too")
}

func TestService_UnknownAndWithdrawnOnesAreOneSentenceInTheLanguageOfTheVisitor(t *testing.T) {
	t.Parallel()
	services := scripted{withdrawn: {Name: "withdrawn", Origins: []string{"https://shop.example"}}, broken: {Name: "broken"}}
	for path, status := range map[string]int{
		"/s/" + garden: http.StatusNotFound, "/s/": http.StatusNotFound, "/s/svc_x": http.StatusNotFound, "/s/" + garden + "/other": http.StatusNotFound,
		"/s/" + withdrawn: http.StatusForbidden, "/s/" + broken: http.StatusServiceUnavailable,
	} {
		response, page := ask(t, services, path)
		require.Equal(t, status, response.StatusCode, path)
		require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"), path)
		require.Contains(t, page, `<html lang="en">`, path)
		require.NotContains(t, page, "the house", path)
		require.NotContains(t, page, "secret-host", path)
		require.NotContains(t, page, "<script", path)
	}
	response, page := ask(t, services, "/s/"+withdrawn, "Accept-Language", "zh-CN,zh;q=0.9")
	require.Contains(t, page, "此服务目前已停止提供")
	require.True(t, strings.HasSuffix(response.Header.Get("Content-Security-Policy"), "frame-ancestors https://shop.example"), "a frame says so, too")
	_, page = ask(t, services, "/s/"+garden+"?lang=zh", "Accept-Language", "en")
	require.Contains(t, page, `<html lang="zh">`)
}

func TestService_TheScriptOfOnePutsItIntoPagesOfTheNamedOrigins(t *testing.T) {
	t.Parallel()
	services := scripted{framed: {ID: framed, Name: `"</script>`, Origins: []string{"https://shop.example", "*"}}, withdrawn: {Name: "withdrawn"}}
	response, script := ask(t, services, "/s/"+framed+"/embed.js")
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/javascript; charset=utf-8", response.Header.Get("Content-Type"))
	require.Equal(t, "cross-origin", response.Header.Get("Cross-Origin-Resource-Policy"))
	require.Equal(t, `(function () { var service = {"id":"svc_11111111","name":"\"\u003c/script\u003e","origins":["https://shop.example"]} })()`, script)

	response, script = ask(t, services, "/s/"+withdrawn+"/embed.js")
	require.Equal(t, http.StatusForbidden, response.StatusCode)
	require.Empty(t, script, "no button appears")
}

func TestService_TakesNoOtherMethods(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	servicePages{services: scripted{}, files: built}.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/s/"+garden, nil))
	require.Equal(t, http.StatusMethodNotAllowed, recorder.Code)
}

func TestHandler_ShowsThePageOfTheHouseAtNoAddressOfServices(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/s", "/s/", "/s/" + garden, "/s/" + garden + "/embed.js", "/service.html", "/embed.js", "/x/../s/" + garden} {
		recorder := httptest.NewRecorder()
		handler(built).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		require.Equal(t, http.StatusNotFound, recorder.Code, path)
	}
}

func FuzzSources(f *testing.F) {
	for _, named := range []string{"https://shop.example", "http://127.0.0.1:8080/", "https://*.example", "https://a; script-src *", "https://a\nX: y"} {
		f.Add(named)
	}
	f.Fuzz(func(t *testing.T, named string) {
		for _, source := range sources([]string{named}) {
			require.Regexp(t, `\Ahttps?://[A-Za-z0-9.:-]+\z`, source)
		}
	})
}
