package auth_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

// inside runs fn with the context of a request that Require lets through.
func (b *bundle) inside(r *http.Request, fn func(*http.Request)) {
	b.t.Helper()
	b.Require(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { fn(r) }),
		func(_ http.ResponseWriter, _ *http.Request, err error) { require.NoError(b.t, err) }).ServeHTTP(httptest.NewRecorder(), r)
}

func at(method, target string, from *http.Request) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+target, nil)
	r.Header = from.Header.Clone()
	return r
}

func TestRequire_ACookieAloneIsNothing(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	other, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	send := cookie.Name + "=" + cookie.Value
	for name, headers := range map[string][]string{
		"no key":                 {},
		"an empty key":           {auth.PageHeader, ""},
		"the cookie as a key":    {auth.PageHeader, cookie.Value},
		"the key of another one": {auth.PageHeader, b.keys[other.Value]},
		"a forged origin":        {"Origin", "http://127.0.0.1:8080", "Sec-Fetch-Site", "same-origin"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			_, _, err := b.identify(request(method, append(headers, "Cookie", send)...))
			require.ErrorAs(t, err, new(*auth.SignInError), name)
		}
	}
	user, _, err := b.identify(b.page(http.MethodGet, cookie))
	require.NoError(t, err)
	require.Equal(t, "admin", user.Name)

	b.Key = secret.Key{}
	isSignIn(t, b.refused(b.page(http.MethodGet, cookie)))
}

func TestPass_OpensOneAddressForReadingInOneBrowser(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	other, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	const address = "/api/sessions/agent%3Amain%3Aweb%3Athread%3Ax/files/content?path=a%2Fb+c.txt"
	var pass string
	b.inside(b.page(http.MethodPost, cookie), func(r *http.Request) {
		pass, err = b.Pass(r.Context(), address)
		require.NoError(t, err)
		for _, wrong := range []string{"https://evil.example/api/me", "//evil.example/api/me", "/temporal/", "api/me", "/metrics", ":"} {
			_, err := b.Pass(r.Context(), wrong)
			require.Equal(t, fault.Invalid, fault.KindOf(err), wrong)
		}
	})
	plain := request(http.MethodGet, "Cookie", cookie.Name+"="+cookie.Value)
	user, _, err := b.identify(at(http.MethodGet, pass, plain))
	require.NoError(t, err)
	require.Equal(t, "admin", user.Name)
	isSignIn(t, b.refused(at(http.MethodPost, pass, plain)))
	isSignIn(t, b.refused(at(http.MethodGet, strings.Replace(pass, "c.txt", "d.txt", 1), plain)))
	isSignIn(t, b.refused(at(http.MethodGet, pass+"&more=1", plain)))
	isSignIn(t, b.refused(at(http.MethodGet, pass, request(http.MethodGet))))
	isSignIn(t, b.refused(at(http.MethodGet, pass, request(http.MethodGet, "Cookie", other.Name+"="+other.Value))))
	u, err := url.Parse(pass)
	require.NoError(t, err)
	isSignIn(t, b.refused(at(http.MethodGet, "/api/me?pass="+u.Query().Get("pass"), plain)))
	require.NoError(t, b.SignOut(httptest.NewRecorder(), b.page(http.MethodPost, cookie)))
	isSignIn(t, b.refused(at(http.MethodGet, pass, plain)))

	b.inside(request(http.MethodPost, "Authorization", "Bearer "+b.token()), func(r *http.Request) {
		_, err := b.Pass(r.Context(), address)
		require.Equal(t, fault.Invalid, fault.KindOf(err), "a program needs none")
	})
}

func TestRequireUnder_ABrowserShowsItsPageByThePath(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	other, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	var root string
	b.inside(b.page(http.MethodGet, cookie), func(r *http.Request) { root = b.Under(r.Context(), "/temporal/") })
	require.Regexp(t, `^/temporal/k/[\w-]{43}/$`, root)

	type seen struct {
		user users.User
		uri  string
		base string
	}
	open := func(r *http.Request) (got seen, refused error, w *httptest.ResponseRecorder) {
		w = httptest.NewRecorder()
		b.RequireUnder("/temporal/", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got = seen{auth.User(r.Context()), r.URL.RequestURI(), b.Under(r.Context(), "/temporal/")}
		}), func(_ http.ResponseWriter, _ *http.Request, err error) { refused = err }).ServeHTTP(w, r)
		return got, refused, w
	}
	plain := request(http.MethodGet, "Cookie", cookie.Name+"="+cookie.Value)
	for rest, inner := range map[string]string{"": "/temporal/", "namespaces/a%2Fb/x?q=1&r=2": "/temporal/namespaces/a%2Fb/x?q=1&r=2"} {
		got, refused, _ := open(at(http.MethodGet, root+rest, plain))
		require.NoError(t, refused)
		require.Equal(t, seen{b.admin, inner, root}, got)
	}
	for name, r := range map[string]*http.Request{
		"no path":                 at(http.MethodGet, "/temporal/api/v1/namespaces", plain),
		"the page key as header":  at(http.MethodGet, "/temporal/api/v1/namespaces", b.page(http.MethodGet, cookie)),
		"a wrong path":            at(http.MethodGet, "/temporal/k/wrong/", plain),
		"a path without its end":  at(http.MethodGet, strings.TrimSuffix(root, "/"), plain),
		"the path, no cookie":     at(http.MethodGet, root, request(http.MethodGet)),
		"the path, other cookie":  at(http.MethodGet, root, request(http.MethodGet, "Cookie", other.Name+"="+other.Value)),
		"another site's own call": at(http.MethodPost, root, request(http.MethodPost, "Cookie", cookie.Name+"="+cookie.Value, "Origin", "http://127.0.0.1:3000")),
	} {
		got, refused, _ := open(r)
		require.Error(t, refused, name)
		require.Zero(t, got, name)
	}

	typed := at(http.MethodGet, "/temporal/namespaces/x?q=1", request(http.MethodGet, "Accept", "text/html,*/*"))
	stale := at(http.MethodGet, strings.Replace(root, "/k/", "/k/x", 1)+"namespaces/x?q=1", request(http.MethodGet, "Accept", "text/html", "Cookie", cookie.Name+"="+cookie.Value))
	for _, r := range []*http.Request{typed, stale} {
		got, refused, w := open(r)
		require.NoError(t, refused)
		require.Zero(t, got)
		require.Equal(t, http.StatusSeeOther, w.Code, "a person is sent to the page, which finds the way")
		require.Equal(t, "/open?at=%2Ftemporal%2Fnamespaces%2Fx%3Fq%3D1", w.Header().Get("Location"))
	}

	got, refused, _ := open(at(http.MethodGet, "/temporal/x", request(http.MethodGet, "Authorization", "Bearer "+b.token())))
	require.NoError(t, refused, "a program shows its token")
	require.Equal(t, seen{b.admin, "/temporal/x", "/temporal/"}, got)
}

func TestSignIn_GuessersLockOnlyThemselvesOut(t *testing.T) {
	b := setup(t)
	b.withPassword()
	from := func(address string, c auth.Credentials, headers ...string) error {
		r := request(http.MethodPost, headers...)
		r.RemoteAddr = address + ":4711"
		_, err := b.SignIn(httptest.NewRecorder(), r, c)
		return err
	}
	w := httptest.NewRecorder()
	login, err := b.SignIn(w, request(http.MethodPost), auth.Credentials{Name: "admin", Password: password})
	require.NoError(t, err)
	wrong, right := auth.Credentials{Name: "admin", Password: "wrong"}, auth.Credentials{Name: "admin", Password: password}
	for range 5 {
		isSignIn(t, from("192.0.2.1", wrong))
	}
	require.Equal(t, fault.RateLimited, fault.KindOf(from("192.0.2.1", right)), "their address waits")
	require.Equal(t, fault.RateLimited, fault.KindOf(from("192.0.2.1", right, "X-Forwarded-For", "198.51.100.7")), "whatever they say")
	require.NoError(t, from("192.0.2.2", right), "others do not")
	known := right
	known.Browser = login.Browser
	require.NoError(t, from("192.0.2.1", known), "nor does a browser at that address that was let in before")

	forged := right
	forged.Browser = strings.Repeat("A", len(login.Browser))
	require.Equal(t, fault.RateLimited, fault.KindOf(from("192.0.2.1", forged)))
	bob, err := b.store.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	hash, err := b.store.Users.UserByName(t.Context(), "admin")
	require.NoError(t, err)
	require.NoError(t, b.store.Users.SetPassword(t.Context(), bob.ID, hash.PasswordHash, users.PasswordEffect{}))
	for range 5 {
		isSignIn(t, from("192.0.2.1", auth.Credentials{Name: "bob", Password: "wrong", Browser: login.Browser}))
	}
	require.Equal(t, fault.RateLimited, fault.KindOf(from("192.0.2.1", auth.Credentials{Name: "bob", Password: password, Browser: login.Browser})),
		"a browser is known as the person who signed in with it")
}

func TestSignIn_AWholeSubnetOfVersion6IsOneGuesser(t *testing.T) {
	b := setup(t)
	b.withPassword()
	try := func(remote, password string) error {
		r := request(http.MethodPost)
		r.RemoteAddr = remote
		_, err := b.SignIn(httptest.NewRecorder(), r, auth.Credentials{Name: "admin", Password: password})
		return err
	}
	for _, host := range []string{"1", "2", "3", "4", "5"} {
		isSignIn(t, try("[2001:db8:0:1::"+host+"]:1", "wrong"))
	}
	require.Equal(t, fault.RateLimited, fault.KindOf(try("[2001:db8:0:1::6]:1", password)))
	require.NoError(t, try("[2001:db8:0:2::6]:1", password))
}

func TestSetPassword_ATokenSetsNoFirstOne(t *testing.T) {
	b := setup(t)
	b.inside(request(http.MethodPost, "Authorization", "Bearer "+b.token()), func(r *http.Request) {
		err := b.SetPassword(r, auth.User(r.Context()), auth.PasswordChange{New: "a long enough one"})
		require.Equal(t, fault.Denied, fault.KindOf(err))
		require.ErrorContains(t, err, "xbot login-link")
	})
	has, err := b.store.Users.AnyPassword(t.Context())
	require.NoError(t, err)
	require.False(t, has)
}
