package oauthcallback_test

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/oauth"
	"xbot/internal/extension/oauth/oauthtest"
)

// TestAttack_CallbacksOfABrowser changes the address by which a browser comes back. Nothing is connected, and no code reaches the provider.
func TestAttack_CallbacksOfABrowser(t *testing.T) {
	s := setup(t)
	b := s.browser(s.ann)
	for name, change := range map[string]func(q url.Values){
		"no state":              func(q url.Values) { q.Del("state") },
		"an empty state first":  func(q url.Values) { q["state"] = []string{"", q.Get("state")} },
		"another state first":   func(q url.Values) { q["state"] = []string{strings.Repeat("0", 32), q.Get("state")} },
		"a changed state":       func(q url.Values) { q.Set("state", q.Get("state")[:31]+"g") },
		"the name of a cookie":  func(q url.Values) { q.Set("state", "; xbot_oauth_x=y") },
		"a long state":          func(q url.Values) { q.Set("state", strings.Repeat("s", 30_000)) },
		"another issuer":        func(q url.Values) { q.Set("iss", "https://evil.example") },
		"no issuer":             func(q url.Values) { q.Del("iss") },
		"an error with a code":  func(q url.Values) { q.Set("error", "<script>alert(1)</script>") },
		"a description of HTML": func(q url.Values) { q.Set("error", "x"); q.Set("error_description", `"><img src=x onerror=alert(1)>`) },
	} {
		back, err := url.Parse(b.leaves("acme", true))
		require.NoError(t, err)
		q := back.Query()
		change(q)
		back.RawQuery = q.Encode()
		status, page, to := b.does(http.MethodGet, back.String())
		require.Contains(t, []int{http.StatusGone, http.StatusForbidden}, status, "%s: %s", name, page)
		require.Empty(t, to, name)
		require.NotContains(t, page, "<script", name)
		require.NotContains(t, page, "<img", name)
		require.Empty(t, s.connected(), name)
	}
	require.Zero(t, s.provider.Count("/token"))
}

// TestAttack_FlowsThatOthersBegin opens the links of a person elsewhere, and from pages of others.
func TestAttack_FlowsThatOthersBegin(t *testing.T) {
	s := setup(t)
	link := s.ticket("acme", false)
	b := s.browser(0)
	for name, headers := range map[string][]string{
		"a form of another site": {"Origin", "https://evil.example"},
		"a frame without origin": {"Origin", "null"},
		"a request of a script":  {"Sec-Fetch-Site", "cross-site"},
		"a site beside this one": {"Sec-Fetch-Site", "same-site"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, link, nil)
		require.NoError(t, err)
		r.Header.Set(headers[0], headers[1])
		resp, err := b.client.Do(r)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusForbidden, resp.StatusCode, name)
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} { // programs that look at links
		status, _, to := b.does(method, link)
		require.Equal(t, http.StatusOK, status)
		require.Empty(t, to)
	}
	for name, address := range map[string]string{
		"another person's number": strings.Replace(link, oauth.Start, oauth.Start+"a", 1),
		"no signature":            link[:strings.LastIndex(link, ".")],
		"another signature":       link[:len(link)-4] + "aaaa",
		"a long ticket":           s.Public + oauth.Start + strings.Repeat("a", 20_000),
	} {
		status, page, _ := b.does(http.MethodPost, address)
		require.Contains(t, []int{http.StatusForbidden, http.StatusNotFound}, status, "%s: %s", name, page)
	}
	require.Empty(t, b.client.Jar.Cookies(b.address(oauth.Root)), "no flow was begun")
	status, page, _ := s.browser(s.bob).does(http.MethodPost, link)
	require.Equal(t, http.StatusForbidden, status, page)
}

// TestAttack_ACodeOfAnotherPersonsFlow brings the code of one person back with the state of another: the code is bound to the flow that it was
// asked for (PKCE), and the other person's account is connected to nobody.
func TestAttack_ACodeOfAnotherPersonsFlow(t *testing.T) {
	s := setup(t)
	s.provider.Rule(oauthtest.Rules{Account: "victim@example.com"})
	theirs := s.browser(0).leaves("acme", false)
	b := s.browser(s.ann)
	mine, err := url.Parse(b.leaves("acme", true))
	require.NoError(t, err)
	victim, err := url.Parse(theirs)
	require.NoError(t, err)
	q := mine.Query()
	q.Set("code", victim.Query().Get("code"))
	mine.RawQuery = q.Encode()
	status, page, _ := b.does(http.MethodGet, mine.String())
	require.Equal(t, http.StatusBadGateway, status)
	require.Contains(t, html.UnescapeString(page), "invalid_grant")
	require.Empty(t, s.connected())
	require.Zero(t, s.provider.Live())
}
