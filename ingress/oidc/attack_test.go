package oidc_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/secret"
)

func TestAttack_ALinkOfASignInWorksInItsBrowserAlone(t *testing.T) {
	b := setup(t)
	mine, victim := b.browser(), b.browser()
	at := b.location(mine, b.server.URL+"/oidc/login")
	b.location(victim, b.server.URL+"/oidc/login") // has its own link and cookie
	_, status := b.spendIn(victim, at)
	require.Equal(t, http.StatusForbidden, status)
	name, status := b.spendIn(mine, at)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "lena", name)
	_, status = b.spendIn(mine, at)
	require.Equal(t, http.StatusForbidden, status, "once")
}

func TestAttack_AStateWorksOnce(t *testing.T) {
	b := setup(t)
	browser := b.browser()
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	away := b.location(browser, b.server.URL+"/oidc/login")
	code := func() (back *url.URL) { // the provider gives another code each time, for the same state and nonce
		answer, err := browser.Get(away.String())
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		back, err = answer.Location()
		require.NoError(t, err)
		return back
	}
	way := browser.Jar.Cookies(code()) // a copy of the cookies
	come := func(back *url.URL) string {
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		jar.SetCookies(back, way)
		return b.location(&http.Client{Jar: jar, CheckRedirect: browser.CheckRedirect}, back.String()).Fragment
	}
	first := code()
	require.Contains(t, come(first), "token=")
	require.Equal(t, "problem=failed", come(first))
	require.Equal(t, "problem=failed", come(code()), "also with a new code of the provider")
}

func TestAttack_ACookieOfTheWayCannotBeMade(t *testing.T) {
	b := setup(t)
	plain, err := json.Marshal(map[string]any{"s": "state", "n": "nonce", "v": strings.Repeat("v", 43), "e": 1 << 40})
	require.NoError(t, err)
	expired, err := json.Marshal(map[string]any{"s": "state", "n": "nonce", "v": strings.Repeat("v", 43), "e": 1})
	require.NoError(t, err)
	for name, cookie := range map[string]string{
		"not sealed":                 base64.RawURLEncoding.EncodeToString(plain),
		"sealed with another key":    base64.RawURLEncoding.EncodeToString(secret.Key{2}.Seal(plain)),
		"expired":                    base64.RawURLEncoding.EncodeToString(secret.Key{1}.Seal(expired)),
		"cut":                        base64.RawURLEncoding.EncodeToString(secret.Key{1}.Seal(plain)[:20]),
		"empty":                      "",
		"no base64":                  "!!!",
		"something else that sealed": base64.RawURLEncoding.EncodeToString(secret.Key{1}.Seal([]byte(`{"api_key":"x"}`))),
		"long":                       strings.Repeat("A", 30_000),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+"/oidc/callback?code=x&state=state", nil)
			require.NoError(t, err)
			r.Header.Set("Cookie", "xbot_oidc="+cookie)
			answer, err := http.DefaultTransport.RoundTrip(r)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			require.Equal(t, "/login#problem=failed", answer.Header.Get("Location"))
		})
	}
}

func TestAttack_AProviderGetsNoSecretElsewhereAndFillsNoMemory(t *testing.T) {
	var elsewhere atomic.Int32
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(thief.Close)
	endless := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"access_token":"`)) // the client is gone if this fails
		for range 64 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	}
	redirect := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, thief.URL, status) }
	}
	b := setup(t)
	b.provider.Info = map[string]any{"sub": "u-1"}
	for name, answer := range map[string]http.HandlerFunc{
		"301": redirect(301), "302": redirect(302), "303": redirect(303), "307": redirect(307), "308": redirect(308), "an endless answer": endless,
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
	} {
		t.Run("token/"+name, func(t *testing.T) {
			b.provider.Token = answer
			defer func() { b.provider.Token = nil }()
			require.Equal(t, "problem=failed", b.comes("/oidc/login").Fragment)
		})
		t.Run("userinfo/"+name, func(t *testing.T) {
			b.provider.Person = answer
			defer func() { b.provider.Person = nil }()
			require.Equal(t, "problem=failed", b.comes("/oidc/login").Fragment)
		})
	}
	require.Zero(t, elsewhere.Load())
	require.Equal(t, "lena", b.comesAs().Name, "others are served")
}

func TestAttack_TheIssuerAndThePartyOfASignInAreChecked(t *testing.T) {
	b := setup(t)
	for name, c := range map[string]struct {
		issuer *string
		says   bool
		spoil  func(claims map[string]any)
		ok     bool
	}{
		"no iss, none promised":    {ok: true},
		"the right iss":            {issuer: &b.provider.URL, says: true, ok: true},
		"the right iss, unasked":   {issuer: &b.provider.URL, ok: true},
		"no iss, though promised":  {says: true},
		"another iss":              {issuer: new("https://elsewhere.example"), says: true},
		"another iss, unasked":     {issuer: new("https://elsewhere.example")},
		"iss with a slash":         {issuer: new(b.provider.URL + "/"), says: true},
		"our azp":                  {spoil: func(c map[string]any) { c["azp"] = "xbot" }, ok: true},
		"another azp":              {spoil: func(c map[string]any) { c["azp"] = "another" }},
		"an empty azp":             {spoil: func(c map[string]any) { c["azp"] = "" }},
		"azp of another kind":      {spoil: func(c map[string]any) { c["azp"] = []string{"xbot"} }},
		"two audiences, our azp":   {spoil: func(c map[string]any) { c["aud"], c["azp"] = []string{"another", "xbot"}, "xbot" }, ok: true},
		"two audiences, no azp":    {spoil: func(c map[string]any) { c["aud"] = []string{"another", "xbot"} }},
		"two audiences, their azp": {spoil: func(c map[string]any) { c["aud"], c["azp"] = []string{"another", "xbot"}, "another" }},
	} {
		t.Run(name, func(t *testing.T) {
			b.provider.Issuer, b.provider.Says, b.provider.Spoil = c.issuer, c.says, c.spoil
			again := setupWith(b) // the provider's metadata is read once
			at := again.comes("/oidc/login")
			require.Equal(t, c.ok, strings.HasPrefix(at.Fragment, "token="), at.Fragment)
		})
	}
}

func TestAttack_NextLeadsNowhereElse(t *testing.T) {
	b := setup(t)
	for _, next := range []string{"//evil.example", `/\evil.example`, `\\evil.example`, "https://evil.example", "javascript:alert(1)", "/\t/evil.example", "evil", "/" + strings.Repeat("x", 2000)} {
		t.Run(next[:min(len(next), 30)], func(t *testing.T) {
			at := b.comes("/oidc/login?" + url.Values{"next": {next}}.Encode())
			require.Equal(t, "/login", at.RequestURI())
		})
	}
}

func TestAttack_ManySignInsShareTheSearchForAProviderThatHangs(t *testing.T) {
	b := setup(t)
	var asked, arrived atomic.Int32
	all := make(chan struct{})
	const many = 40
	hangs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		<-all
		http.Error(w, "later", http.StatusServiceUnavailable)
	}))
	t.Cleanup(hangs.Close)
	b.signOn.Settings.Issuer = hangs.URL
	handler := b.signOn.Handler()
	var running sync.WaitGroup
	for range many {
		running.Go(func() {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/oidc/login", nil)
			if arrived.Add(1) == many {
				close(all)
			}
			handler.ServeHTTP(w, r)
			if w.Header().Get("Location") != "/login#problem=away" {
				t.Error(w.Header())
			}
		})
	}
	running.Wait()
	require.LessOrEqual(t, asked.Load(), int32(many/2))
}
