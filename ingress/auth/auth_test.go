package auth_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/user/users"
)

const password = "correct horse battery"

type bundle struct {
	*auth.Auth
	t     *testing.T
	store *store.Store
	pool  *pgxpool.Pool
	admin users.User
	keys  map[string]string // page keys by cookies
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	s := store.New(pool, store.Options{})
	admin, err := s.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	return &bundle{Auth: &auth.Auth{Accounts: s.Users, Key: secret.Key{1}}, t: t, store: s, pool: pool, admin: admin, keys: map[string]string{}}
}

// withPassword gives the administrator a password that is quick to check.
func (b *bundle) withPassword() {
	b.t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	require.NoError(b.t, err)
	require.NoError(b.t, b.store.Users.SetPassword(b.t.Context(), b.admin.ID, string(hash), users.PasswordEffect{}))
	b.admin, err = b.store.Users.UserByName(b.t.Context(), "admin")
	require.NoError(b.t, err)
}

func request(method string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080/api/me", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// identify lets a request through Require and returns who it was from.
func (b *bundle) identify(r *http.Request) (users.User, *http.Response, error) {
	var user users.User
	var refused error
	w := httptest.NewRecorder()
	b.Require(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { user = auth.User(r.Context()) }),
		func(_ http.ResponseWriter, _ *http.Request, err error) { refused = err }).ServeHTTP(w, r)
	return user, w.Result(), refused
}

// change sends a request to change the password of its user.
func (b *bundle) change(r *http.Request, c auth.PasswordChange) (err error) {
	b.Require(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { err = b.SetPassword(r, auth.User(r.Context()), c) }),
		func(_ http.ResponseWriter, _ *http.Request, refused error) { err = refused }).ServeHTTP(httptest.NewRecorder(), r)
	return err
}

func (b *bundle) refused(r *http.Request) error {
	b.t.Helper()
	user, _, err := b.identify(r)
	require.Error(b.t, err)
	require.Zero(b.t, user)
	return err
}

// signIn signs in by password and returns the cookie.
func (b *bundle) signIn(r *http.Request, name, password string) (*http.Cookie, error) {
	b.t.Helper()
	w := httptest.NewRecorder()
	login, err := b.SignIn(w, r, auth.Credentials{Name: name, Password: password})
	cookies := w.Result().Cookies()
	if err != nil {
		require.Empty(b.t, cookies)
		return nil, err
	}
	require.Len(b.t, cookies, 1)
	b.keys[cookies[0].Value] = login.PageKey
	return cookies[0], nil
}

// page is a request of the page that signed in with a cookie.
func (b *bundle) page(method string, cookie *http.Cookie, headers ...string) *http.Request {
	return request(method, append(headers, "Cookie", cookie.Name+"="+cookie.Value, auth.PageHeader, b.keys[cookie.Value])...)
}

func (b *bundle) token() string {
	b.t.Helper()
	token, hash := secret.NewToken()
	_, err := b.store.Users.CreateToken(b.t.Context(), b.admin.ID, users.Token{Name: "script"}, hash)
	require.NoError(b.t, err)
	return token
}

func isSignIn(t *testing.T, err error) {
	t.Helper()
	var sign *auth.SignInError
	require.ErrorAs(t, err, &sign)
}

func TestRequire_LetsNobodyInWithoutCredentials(t *testing.T) {
	b := setup(t)
	for name, r := range map[string]*http.Request{
		"nothing":                 request(http.MethodGet),
		"an unknown token":        request(http.MethodGet, "Authorization", "Bearer nonsense"),
		"an empty token":          request(http.MethodGet, "Authorization", "Bearer "),
		"a name and a password":   request(http.MethodGet, "Authorization", "Basic YWRtaW46YWRtaW4="),
		"an unknown cookie":       request(http.MethodGet, "Cookie", auth.CookieName+"=nonsense"),
		"an empty cookie":         request(http.MethodGet, "Cookie", auth.CookieName+"="),
		"a token in the cookie":   request(http.MethodGet, "Cookie", auth.CookieName+"="+b.token()),
		"a token in another name": request(http.MethodGet, "X-Token", b.token()),
	} {
		t.Run(name, func(t *testing.T) {
			user, _, err := b.identify(r)
			isSignIn(t, err)
			require.Zero(t, user)
		})
	}
}

func TestRequire_ATokenIsUselessFromTheMomentItIsRevoked(t *testing.T) {
	b := setup(t)
	token := b.token()
	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
		user, _, err := b.identify(request(http.MethodPost, "Authorization", scheme+" "+token, "Origin", "http://evil.example"))
		require.NoError(t, err, "a program has no origin that matters")
		require.Equal(t, "admin", user.Name)
		require.True(t, user.Admin)
	}
	tokens, err := b.store.Users.Tokens(t.Context(), b.admin.ID)
	require.NoError(t, err)
	require.NoError(t, b.store.Users.RevokeToken(t.Context(), b.admin.ID, tokens[0].ID))
	isSignIn(t, b.refused(request(http.MethodGet, "Authorization", "Bearer "+token)))
}

func TestRequire_AWrongTokenIsNotRescuedByACookie(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	isSignIn(t, b.refused(request(http.MethodGet, "Authorization", "Bearer wrong", "Cookie", cookie.Name+"="+cookie.Value)))
}

func TestRequire_CookiesCountOnlyForOurOwnPages(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		method  string
		headers []string
		in      bool
	}{
		"our page":                          {http.MethodPost, []string{"Origin", "http://127.0.0.1:8080", "Sec-Fetch-Site", "same-origin"}, true},
		"our page, reading":                 {http.MethodGet, nil, true},
		"a program that keeps cookies":      {http.MethodPost, nil, true},
		"typed by a person":                 {http.MethodGet, []string{"Sec-Fetch-Site", "none"}, true},
		"a page of another site":            {http.MethodPost, []string{"Origin", "http://evil.example"}, false},
		"a page of another port":            {http.MethodPost, []string{"Origin", "http://127.0.0.1:3000"}, false},
		"a page of another port, reading":   {http.MethodGet, []string{"Origin", "http://127.0.0.1:3000"}, false},
		"a page of a name that resembles":   {http.MethodPost, []string{"Origin", "http://127.0.0.1:8080.evil.example"}, false},
		"a page without an origin":          {http.MethodPost, []string{"Origin", "null"}, false},
		"a nonsensical origin":              {http.MethodPost, []string{"Origin", "http://[::"}, false},
		"a form of another site, no origin": {http.MethodPost, []string{"Sec-Fetch-Site", "cross-site"}, false},
		"a form of another port, no origin": {http.MethodDelete, []string{"Sec-Fetch-Site", "same-site"}, false},
		"a WebSocket of another port":       {http.MethodGet, []string{"Origin", "http://127.0.0.1:3000", "Connection", "Upgrade", "Upgrade", "websocket"}, false},
		"a WebSocket of our page":           {http.MethodGet, []string{"Origin", "http://127.0.0.1:8080", "Connection", "Upgrade", "Upgrade", "websocket"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := b.page(c.method, cookie, c.headers...)
			user, _, err := b.identify(r)
			if c.in {
				require.NoError(t, err)
				require.Equal(t, "admin", user.Name)
				return
			}
			require.Equal(t, fault.Denied, fault.KindOf(err))
		})
	}
}

func TestSignIn_GivesACookieThatScriptsCannotReadAndOtherSitesCannotSend(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
	require.False(t, cookie.Secure, "on loopback there is no TLS")
	require.Equal(t, "/", cookie.Path)
	require.Equal(t, 30*24*60*60, cookie.MaxAge)
	require.Len(t, cookie.Value, 43, "256 random bits")
	behind, err := b.signIn(request(http.MethodPost, "X-Forwarded-Proto", "https"), "admin", password)
	require.NoError(t, err)
	require.True(t, behind.Secure, "behind a proxy that speaks TLS")
	require.NotEqual(t, cookie.Value, behind.Value)
}

func TestSignIn_NeverTakesACookieThatWasPlanted(t *testing.T) {
	b := setup(t)
	b.withPassword()
	before, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	after, err := b.signIn(b.page(http.MethodPost, before), "admin", password)
	require.NoError(t, err)
	require.NotEqual(t, before.Value, after.Value)
	isSignIn(t, b.refused(b.page(http.MethodGet, before)))
	_, err = b.signIn(request(http.MethodPost, "Cookie", auth.CookieName+"=planted"), "admin", password)
	require.NoError(t, err)
	isSignIn(t, b.refused(request(http.MethodGet, "Cookie", auth.CookieName+"=planted")))
}

func TestSignIn_TellsNotWhetherTheNameOrThePasswordIsWrong(t *testing.T) {
	b := setup(t)
	_, err := b.store.Users.CreateUser(t.Context(), "bob", users.RoleMember) // has no password yet
	require.NoError(t, err)
	b.withPassword()
	var texts []string
	for _, c := range [][2]string{{"admin", "wrong"}, {"nobody", password}, {"bob", ""}, {"bob", "no user has this password"}, {"adm\x00in", password}, {"adm\xffin", password}, {"Admin", password}} {
		_, err := b.signIn(request(http.MethodPost), c[0], c[1])
		isSignIn(t, err)
		texts = append(texts, err.Error())
	}
	for _, text := range texts {
		require.Equal(t, texts[0], text)
	}
}

func TestSignIn_GuessingIsSlowedDownHoweverManyGuessAtOnce(t *testing.T) {
	b := setup(t)
	b.withPassword()
	var wg sync.WaitGroup
	var mu sync.Mutex
	tried, limited := 0, 0
	for range 40 {
		wg.Go(func() {
			_, err := b.SignIn(httptest.NewRecorder(), request(http.MethodPost), auth.Credentials{Name: "admin", Password: "wrong"})
			mu.Lock()
			defer mu.Unlock()
			if fault.Is(err, fault.RateLimited) {
				limited++
			} else {
				tried++
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, tried, 5, "guesses that were checked")
	require.Equal(t, 40, tried+limited)
	_, err := b.signIn(request(http.MethodPost), "admin", password)
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	require.Positive(t, fault.After(err))
	_, err = b.signIn(request(http.MethodPost), "someone else", password)
	isSignIn(t, err)
}

func TestSignIn_ARightPasswordForgetsTheWrongOnes(t *testing.T) {
	b := setup(t)
	b.withPassword()
	for range 4 {
		for range 4 {
			_, err := b.signIn(request(http.MethodPost), "admin", "wrong")
			isSignIn(t, err)
		}
		_, err := b.signIn(request(http.MethodPost), "admin", password)
		require.NoError(t, err)
	}
}

func TestSignInByLink_WorksOnceHoweverManyUseItAtOnce(t *testing.T) {
	b := setup(t)
	link, err := b.NewLink(t.Context(), b.admin.ID, "http://127.0.0.1:8080/")
	require.NoError(t, err)
	token, ok := strings.CutPrefix(link, "http://127.0.0.1:8080/login#token=")
	require.True(t, ok, "the token is in the fragment, which is not sent: %s", link)
	var wg sync.WaitGroup
	var mu sync.Mutex
	in := 0
	for range 10 {
		wg.Go(func() {
			w := httptest.NewRecorder()
			login, err := b.SignInByLink(w, request(http.MethodPost), token, false)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && login.User.ID == b.admin.ID && len(w.Result().Cookies()) == 1 {
				in++
			}
		})
	}
	wg.Wait()
	require.Equal(t, 1, in)
}

func TestSignInByLink_AnExpiredLinkIsNoLink(t *testing.T) {
	b := setup(t)
	token, hash := secret.NewToken()
	require.NoError(t, b.store.Users.CreateLoginLink(t.Context(), b.admin.ID, hash, time.Now().Add(-time.Second)))
	_, err := b.SignInByLink(httptest.NewRecorder(), request(http.MethodPost), token, false)
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.ErrorContains(t, err, "xbot login-link")
}

func TestSignOut_EndsThisLoginOnly(t *testing.T) {
	b := setup(t)
	b.withPassword()
	one, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	other, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	require.NoError(t, b.SignOut(w, b.page(http.MethodPost, one)))
	require.Negative(t, w.Result().Cookies()[0].MaxAge, "the browser forgets the cookie")
	isSignIn(t, b.refused(b.page(http.MethodGet, one)))
	_, _, err = b.identify(b.page(http.MethodGet, other))
	require.NoError(t, err)
	require.NoError(t, b.SignOut(httptest.NewRecorder(), request(http.MethodPost)), "a program has no login to end")
}

func TestSetPassword_AsksForTheCurrentOneAndSignsOutOtherBrowsers(t *testing.T) {
	b := setup(t)
	b.withPassword()
	mine, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	other, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	r := b.page(http.MethodPost, mine)
	require.Equal(t, fault.Denied, fault.KindOf(b.change(r, auth.PasswordChange{Current: "wrong", New: "another good one"})))
	for _, bad := range []string{"", "too short", strings.Repeat("x", 73)} {
		require.Equal(t, fault.Invalid, fault.KindOf(b.change(r, auth.PasswordChange{Current: password, New: bad})), bad)
	}
	require.NoError(t, b.change(r, auth.PasswordChange{Current: password, New: "another good one"}))
	_, _, err = b.identify(b.page(http.MethodGet, mine))
	require.NoError(t, err)
	isSignIn(t, b.refused(b.page(http.MethodGet, other)))
	_, err = b.signIn(request(http.MethodPost), "admin", password)
	isSignIn(t, err)
	_, err = b.signIn(request(http.MethodPost), "admin", "another good one")
	require.NoError(t, err)
}

func TestSetPassword_ThroughATokenSignsOutEveryBrowser(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	token := request(http.MethodPost, "Authorization", "Bearer "+b.token(), "Cookie", cookie.Name+"="+cookie.Value)
	require.NoError(t, b.change(token, auth.PasswordChange{Current: password, New: "another good one"}))
	isSignIn(t, b.refused(b.page(http.MethodGet, cookie)))
}

func TestSetPassword_TheCurrentOneCannotBeGuessedThere(t *testing.T) {
	b := setup(t)
	b.withPassword()
	r := request(http.MethodPost, "Authorization", "Bearer "+b.token())
	var err error
	for range 6 {
		err = b.change(r, auth.PasswordChange{Current: "wrong", New: "another good one"})
	}
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	require.Equal(t, fault.RateLimited, fault.KindOf(b.change(r, auth.PasswordChange{Current: password, New: "another good one"})))
}

func TestRequire_SlidesALoginThatIsUsed(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	r := func() *http.Request { return b.page(http.MethodGet, cookie) }
	_, response, err := b.identify(r())
	require.NoError(t, err)
	require.Empty(t, response.Cookies(), "a login is not written at each request")
	_, err = b.pool.Exec(t.Context(), "UPDATE web_sessions SET last_seen_at = now() - interval '2 hours', expires_at = now() + interval '1 day'")
	require.NoError(t, err)
	_, response, err = b.identify(r())
	require.NoError(t, err)
	require.Equal(t, cookie.Value, response.Cookies()[0].Value)
	require.Equal(t, 30*24*60*60, response.Cookies()[0].MaxAge)
	var left bool
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT expires_at > now() + interval '29 days' FROM web_sessions").Scan(&left))
	require.True(t, left)
	_, err = b.pool.Exec(t.Context(), "UPDATE web_sessions SET expires_at = now() - interval '1 second'")
	require.NoError(t, err)
	isSignIn(t, b.refused(r()))
}

func TestStill_EndsWithTheCredentialsOfTheRequest(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	token := b.token()
	contexts := map[string]context.Context{}
	for name, r := range map[string]*http.Request{
		"cookie": b.page(http.MethodGet, cookie), "token": request(http.MethodGet, "Authorization", "Bearer "+token),
	} {
		b.Require(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { contexts[name] = r.Context() }),
			func(_ http.ResponseWriter, _ *http.Request, err error) { require.NoError(t, err) }).ServeHTTP(httptest.NewRecorder(), r)
		require.NoError(t, auth.Still(contexts[name]))
	}
	require.NoError(t, b.SignOut(httptest.NewRecorder(), b.page(http.MethodPost, cookie)))
	isSignIn(t, auth.Still(contexts["cookie"]))
	require.NoError(t, auth.Still(contexts["token"]))
	tokens, err := b.store.Users.Tokens(t.Context(), b.admin.ID)
	require.NoError(t, err)
	require.NoError(t, b.store.Users.RevokeToken(t.Context(), b.admin.ID, tokens[0].ID))
	isSignIn(t, auth.Still(contexts["token"]))
	isSignIn(t, auth.Still(t.Context()))
}

func TestHosts_AnswerOnlyForOurNames(t *testing.T) {
	t.Parallel()
	h := auth.Hosts{Allowed: []string{"xbot.example"}}
	for host, ours := range map[string]bool{
		"127.0.0.1:8080": true, "127.0.0.1": true, "127.9.9.9:1": true, "[::1]:8080": true, "[::1]": true, "localhost": true,
		"LocalHost:8080": true, "app.localhost:8080": true, "xbot.example": true, "XBOT.example:443": true,
		"evil.example": false, "xbot.example.evil.example": false, "evilxbot.example": false, "localhost.evil.example": false,
		"notlocalhost": false, "127.0.0.1.evil.example": false, "10.0.0.1": false, "0.0.0.0": false, "": false, ":8080": false, "[::]:80": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		err := h.Check(r)
		if ours {
			require.NoError(t, err, host)
			continue
		}
		require.Equal(t, fault.Denied, fault.KindOf(err), host)
		require.ErrorContains(t, err, "XBOT_ALLOWED_HOSTS")
	}
}
