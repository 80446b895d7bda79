package discovery

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
)

type headers string

func (h headers) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.Header().Set("WWW-Authenticate", string(h))
	w.WriteHeader(http.StatusUnauthorized)
	return w.Result(), nil
}

func FuzzChallenge_AnyHeaderIsReadOrRefused(f *testing.F) {
	for _, seed := range []string{`Bearer resource_metadata="https://a.example/b", scope="x y"`, `Basic realm="a", Bearer`, `Bearer scope=`, `"`, `Bearer a="\`, `,,=,`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		c := &client{server: headers(header)}
		out, err := challenge(t.Context(), c, chat.MCPHTTP, "https://mcp.example.com")
		if err != nil {
			if !utf8.ValidString(err.Error()) || len(err.Error()) > 300 {
				t.Errorf("%q", err)
			}
			return
		}
		for _, scope := range scopes(out.scopes, nil, nil) {
			if !oauth.ScopeFits(scope) {
				t.Errorf("%q", scope)
			}
		}
	})
}
