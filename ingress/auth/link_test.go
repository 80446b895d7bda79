package auth_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

// token returns the token of a link.
func tokenOf(t *testing.T, link string) string {
	t.Helper()
	_, token, ok := strings.Cut(link, "#token=")
	require.True(t, ok, link)
	return token
}

// bob is another user.
func (b *bundle) bob() users.User {
	b.t.Helper()
	bob, err := b.store.Users.CreateUser(b.t.Context(), "bob", users.RoleMember)
	require.NoError(b.t, err)
	return bob
}

func (b *bundle) link(user users.User) string {
	b.t.Helper()
	link, err := b.NewLink(b.t.Context(), user.ID, "")
	require.NoError(b.t, err)
	return tokenOf(b.t, link)
}

func TestAttack_ALinkOfAnotherAccountReplacesNoLoginUnasked(t *testing.T) {
	b := setup(t)
	b.withPassword()
	mine, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	token := b.link(b.bob())
	signedIn := func() *http.Request { return b.page(http.MethodPost, mine) }

	seen, err := b.Link(signedIn(), token)
	require.NoError(t, err)
	require.Equal(t, []string{"bob", "admin"}, []string{seen.User.Name, seen.SignedIn.Name})
	require.True(t, seen.Replaces())
	w := httptest.NewRecorder()
	_, err = b.SignInByLink(w, signedIn(), token, false)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.ErrorContains(t, err, "you are signed in as admin, and this link signs in bob")
	require.Empty(t, w.Result().Cookies())
	user, _, err := b.identify(b.page(http.MethodGet, mine))
	require.NoError(t, err)
	require.Equal(t, "admin", user.Name, "the login goes on")

	login, err := b.SignInByLink(httptest.NewRecorder(), signedIn(), token, true)
	require.NoError(t, err, "the link was not spent by the question")
	require.Equal(t, "bob", login.User.Name)
	isSignIn(t, b.refused(b.page(http.MethodGet, mine)))
}

func TestSignInByLink_OfTheSameAccountAsksNothing(t *testing.T) {
	b := setup(t)
	b.withPassword()
	mine, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	_, err = b.SignInByLink(httptest.NewRecorder(), b.page(http.MethodPost, mine), b.link(b.admin), false)
	require.NoError(t, err)
	stale := request(http.MethodPost, "Cookie", auth.CookieName+"=of a login that has ended")
	_, err = b.SignInByLink(httptest.NewRecorder(), stale, b.link(b.admin), false)
	require.NoError(t, err)
}

func TestAttack_ABrowserLinkWorksInItsBrowserAlone(t *testing.T) {
	b := setup(t)
	w := httptest.NewRecorder()
	link, err := b.NewBrowserLink(w, request(http.MethodGet), b.admin.ID, "attempt-1")
	require.NoError(t, err)
	token := tokenOf(t, link)
	cookie := w.Result().Cookies()[0]
	require.True(t, cookie.HttpOnly)
	require.LessOrEqual(t, cookie.MaxAge, 300)
	other := httptest.NewRecorder()
	_, err = b.NewBrowserLink(other, request(http.MethodGet), b.admin.ID, "attempt-2")
	require.NoError(t, err)

	for name, attack := range map[string]struct {
		token  string
		header []string
	}{
		"without the cookie":            {token, nil},
		"with an empty cookie":          {token, []string{"Cookie", cookie.Name + "="}},
		"with a guessed cookie":         {token, []string{"Cookie", cookie.Name + "=x"}},
		"with that of another attempt":  {token, []string{"Cookie", cookie.Name + "=" + other.Result().Cookies()[0].Value}},
		"with the cookie in the token":  {token + "\x00" + cookie.Value, nil},
		"with the cookie after a dot":   {token + "." + cookie.Value, nil},
		"with the token in the cookie":  {"b.", []string{"Cookie", cookie.Name + "=" + strings.TrimPrefix(token, "b.")}},
		"as a link of nobody's browser": {strings.TrimPrefix(token, "b."), []string{"Cookie", cookie.Name + "=" + cookie.Value}},
	} {
		_, err := b.SignInByLink(httptest.NewRecorder(), request(http.MethodPost, attack.header...), attack.token, true)
		require.Equal(t, fault.Denied, fault.KindOf(err), name)
	}

	_, err = b.NewBrowserLink(httptest.NewRecorder(), request(http.MethodGet), b.admin.ID, "attempt-1")
	require.Equal(t, fault.Conflict, fault.KindOf(err), "an attempt has one link")
	right := request(http.MethodPost, "Cookie", cookie.Name+"="+cookie.Value)
	spent := httptest.NewRecorder()
	login, err := b.SignInByLink(spent, right, token, false)
	require.NoError(t, err)
	require.Equal(t, b.admin.ID, login.User.ID)
	_, err = b.SignInByLink(httptest.NewRecorder(), right, token, true)
	require.Equal(t, fault.Denied, fault.KindOf(err))
	_, err = b.NewBrowserLink(httptest.NewRecorder(), request(http.MethodGet), b.admin.ID, "attempt-1")
	require.Equal(t, fault.Conflict, fault.KindOf(err), "also after it was used")
}

func TestAttack_APasswordChangeEndsWhatSignsIn(t *testing.T) {
	for name, change := range map[string]func(b *bundle, kept string) error{
		"changed by its user": func(b *bundle, _ string) error {
			mine, err := b.signIn(request(http.MethodPost), "admin", password)
			require.NoError(b.t, err)
			return b.change(b.page(http.MethodPost, mine), auth.PasswordChange{Current: password, New: "another good one", RevokeTokens: true})
		},
		"forgotten": func(b *bundle, _ string) error {
			return b.store.Users.SetPassword(b.t.Context(), b.admin.ID, "", users.PasswordEffect{RevokeTokens: true})
		},
		"disabled": func(b *bundle, _ string) error {
			_, err := b.store.Users.CreateUser(b.t.Context(), "eve", users.RoleAdmin)
			require.NoError(b.t, err)
			return b.store.Users.Disable(b.t.Context(), b.admin.ID, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.withPassword()
			other, err := b.signIn(request(http.MethodPost), "admin", password)
			require.NoError(t, err)
			link, script := b.link(b.admin), b.token()
			w := httptest.NewRecorder()
			bound, err := b.NewBrowserLink(w, request(http.MethodGet), b.admin.ID, "attempt")
			require.NoError(t, err)
			require.NoError(t, change(b, script))
			isSignIn(t, b.refused(b.page(http.MethodGet, other)))
			isSignIn(t, b.refused(request(http.MethodGet, "Authorization", "Bearer "+script)))
			_, err = b.SignInByLink(httptest.NewRecorder(), request(http.MethodPost), link, true)
			require.Equal(t, fault.Denied, fault.KindOf(err))
			cookie := w.Result().Cookies()[0]
			_, err = b.SignInByLink(httptest.NewRecorder(), request(http.MethodPost, "Cookie", cookie.Name+"="+cookie.Value), tokenOf(t, bound), true)
			require.Equal(t, fault.Denied, fault.KindOf(err))
		})
	}
}

func TestSetPassword_KeepsTokensUnlessToldOtherwise(t *testing.T) {
	b := setup(t)
	b.withPassword()
	one, other := b.token(), b.token()
	change := func(c auth.PasswordChange) {
		t.Helper()
		require.NoError(t, b.change(request(http.MethodPost, "Authorization", "Bearer "+one), c))
	}
	change(auth.PasswordChange{Current: password, New: "another good one"})
	_, _, err := b.identify(request(http.MethodGet, "Authorization", "Bearer "+other))
	require.NoError(t, err)
	b.withPassword()
	change(auth.PasswordChange{Current: password, New: "another good one", RevokeTokens: true})
	isSignIn(t, b.refused(request(http.MethodGet, "Authorization", "Bearer "+other)))
	_, _, err = b.identify(request(http.MethodGet, "Authorization", "Bearer "+one))
	require.NoError(t, err, "that of the request stays")
}

func TestSignInByLink_OneOfMinutesEndsByItself(t *testing.T) {
	b := setup(t)
	w := httptest.NewRecorder()
	link, err := b.NewBrowserLink(w, request(http.MethodGet), b.admin.ID, "attempt")
	require.NoError(t, err)
	var expires time.Time
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT expires_at FROM login_links").Scan(&expires))
	require.WithinDuration(t, time.Now().Add(5*time.Minute), expires, time.Minute)
	var stored []byte
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT token_hash FROM login_links").Scan(&stored))
	require.NotEqual(t, secret.HashToken(tokenOf(t, link)), stored, "the token alone is not what is looked up")
}

func TestAttack_ForwardedAddressesAreBelievedOfProxiesAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		remote    string
		forwarded []string
		want      string
	}{
		"no header":                    {"203.0.113.9:1", nil, "203.0.113.9"},
		"spoofed without a proxy":      {"203.0.113.9:1", []string{"198.51.100.1"}, "203.0.113.9"},
		"one hop":                      {"10.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		"spoofed before the real one":  {"10.0.0.1:1", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1"},
		"two proxies":                  {"10.0.0.1:1", []string{"1.1.1.1, 198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		"several headers":              {"10.0.0.1:1", []string{"1.1.1.1", "198.51.100.1"}, "198.51.100.1"},
		"a proxy's address is spoofed": {"10.0.0.1:1", []string{"10.0.0.9, 198.51.100.1"}, "198.51.100.1"},
		"no address":                   {"10.0.0.1:1", []string{"unknown"}, "10.0.0.1"},
		"an empty hop":                 {"10.0.0.1:1", []string{"198.51.100.1, "}, "10.0.0.1"},
		"with a port":                  {"10.0.0.1:1", []string{"198.51.100.1:4711"}, "10.0.0.1"},
		"an IPv6 subnet":               {"10.0.0.1:1", []string{"2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64"},
		"another host of it":           {"[2001:db8:1:2::1]:1", nil, "2001:db8:1:2::/64"},
		"IPv4 in IPv6":                 {"[::ffff:203.0.113.9]:1", nil, "203.0.113.9"},
		"a proxy as IPv4 in IPv6":      {"[::ffff:10.0.0.1]:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		"a zone":                       {"[fe80::1%eth0]:1", nil, "fe80::/64"},
		"brackets":                     {"10.0.0.1:1", []string{"[2001:db8::1]"}, "10.0.0.1"},
		"a long header":                {"10.0.0.1:1", []string{strings.Repeat("1.1.1.1, ", 5000) + "198.51.100.1"}, "198.51.100.1"},
		"proxies alone":                {"10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &auth.Auth{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
			r := request(http.MethodGet)
			r.RemoteAddr = c.remote
			for _, value := range c.forwarded {
				r.Header.Add("X-Forwarded-For", value)
			}
			require.Equal(t, c.want, a.Address(r))
		})
	}
}

func TestAttack_AnUnknownNameIsRefusedAsAWrongPassword(t *testing.T) {
	b := setup(t)
	b.withPassword()
	for _, name := range []string{"nobody", "Admin", "admin ", "", strings.Repeat("n", 128), "admin\x00"} {
		_, err := b.signIn(request(http.MethodPost), name, password)
		isSignIn(t, err)
		require.EqualError(t, err, "name or password is wrong", name)
	}
}
