package auth_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

func (b *bundle) scoped(scope users.Scope) string {
	b.t.Helper()
	token, hash := secret.NewToken()
	_, err := b.store.Users.CreateToken(b.t.Context(), b.admin.ID, users.Token{Name: "script", Scope: scope}, hash)
	require.NoError(b.t, err)
	return token
}

func TestScope_ATokenMayWhatItWasMadeFor(t *testing.T) {
	b := setup(t)
	tokens := map[users.Scope]string{}
	for _, scope := range []users.Scope{users.ScopeRead, users.ScopeChat, users.ScopeAdmin} {
		tokens[scope] = b.scoped(scope)
	}
	socket := []string{"Upgrade", "websocket"}
	for _, c := range []struct {
		method, path string
		header       []string
		may          []users.Scope
	}{
		{http.MethodGet, "/api/me", nil, []users.Scope{users.ScopeRead, users.ScopeChat, users.ScopeAdmin}},
		{http.MethodHead, "/api/sessions/a/files/content", nil, []users.Scope{users.ScopeRead, users.ScopeChat, users.ScopeAdmin}},
		{http.MethodGet, "/api/sessions/a/ws", socket, []users.Scope{users.ScopeChat, users.ScopeAdmin}},
		{http.MethodPost, "/api/sessions", nil, []users.Scope{users.ScopeChat, users.ScopeAdmin}},
		{http.MethodPost, "/api/sessions/a/messages", nil, []users.Scope{users.ScopeChat, users.ScopeAdmin}},
		{http.MethodDelete, "/api/sessions/a", nil, []users.Scope{users.ScopeChat, users.ScopeAdmin}},
		{http.MethodPost, "/api/transcriptions", nil, []users.Scope{users.ScopeChat, users.ScopeAdmin}},
		{http.MethodPost, "/api/sessionsx", nil, []users.Scope{users.ScopeAdmin}},
		{http.MethodPost, "/api/tokens", nil, []users.Scope{users.ScopeAdmin}},
		{http.MethodPut, "/api/policy", nil, []users.Scope{users.ScopeAdmin}},
		{http.MethodPost, "/api/me/password", nil, []users.Scope{users.ScopeAdmin}},
		{http.MethodPost, "/api/users", nil, []users.Scope{users.ScopeAdmin}},
		{http.MethodPost, "/mcp", nil, []users.Scope{users.ScopeRead, users.ScopeChat, users.ScopeAdmin}},
		{http.MethodPost, "/mcp/x", nil, []users.Scope{users.ScopeAdmin}},
		{"GETX", "/api/me", nil, []users.Scope{users.ScopeAdmin}},
	} {
		for scope, token := range tokens {
			r := request(c.method, append(c.header, "Authorization", "Bearer "+token)...)
			r.URL.Path = c.path
			user, _, err := b.identify(r)
			for _, may := range c.may {
				if may == scope {
					require.NoError(t, err, "%s %s by %s", c.method, c.path, scope)
					require.Equal(t, scope == users.ScopeAdmin, user.Admin, "others are no administrator's")
				}
			}
			if err != nil {
				require.NotContains(t, c.may, scope, "%s %s", c.method, c.path)
				require.Equal(t, fault.Denied, fault.KindOf(err))
			} else {
				require.Contains(t, c.may, scope, "%s %s", c.method, c.path)
			}
		}
	}
}

func TestJoin_MakesAnAccountAndSignsIn(t *testing.T) {
	b := setup(t)
	token, hash := secret.NewToken()
	_, err := b.store.Users.AddInvite(t.Context(), users.Invite{Role: users.RoleMember, Uses: 1, ExpiresAt: time.Now().Add(time.Hour)}, nil, hash)
	require.NoError(t, err)
	join := func(token, name, password string) (auth.Login, *httptest.ResponseRecorder, error) {
		w := httptest.NewRecorder()
		login, err := b.Join(w, request(http.MethodPost), auth.Invitation{Token: token, Credentials: auth.Credentials{Name: name, Password: password}})
		return login, w, err
	}
	for name, c := range map[string]struct {
		token, name, password string
		want                  fault.Kind
	}{
		"a short password": {token, "ann", "short", fault.Invalid},
		"a short name":     {token, "a", password, fault.Invalid},
		"a taken name":     {token, "Admin", password, fault.Conflict},
		"another token":    {"guessed", "ann", password, fault.Denied},
	} {
		_, w, err := join(c.token, c.name, c.password)
		require.Equal(t, c.want, fault.KindOf(err), name)
		require.Empty(t, w.Result().Cookies(), name)
	}
	login, w, err := join(token, "ann", password)
	require.NoError(t, err)
	require.Equal(t, "ann", login.User.Name)
	cookies := w.Result().Cookies()
	require.Len(t, cookies, 1)
	b.keys[cookies[0].Value] = login.PageKey
	who, _, err := b.identify(b.page(http.MethodGet, cookies[0]))
	require.NoError(t, err)
	require.Equal(t, "ann", who.Name)
	require.False(t, who.Admin)
	_, err = b.signIn(request(http.MethodPost), "ann", password)
	require.NoError(t, err)
	_, _, err = join(token, "bob", password)
	require.Equal(t, fault.Denied, fault.KindOf(err), "it was for one")
}

func TestDisable_ShutsOutAtTheNextRequest(t *testing.T) {
	b := setup(t)
	b.withPassword()
	other, err := b.store.Users.CreateUser(t.Context(), "other", users.RoleAdmin)
	require.NoError(t, err)
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	token := b.token()
	require.NoError(t, b.store.Users.Disable(t.Context(), b.admin.ID, &other.ID))
	isSignIn(t, b.refused(b.page(http.MethodGet, cookie)))
	isSignIn(t, b.refused(request(http.MethodGet, "Authorization", "Bearer "+token)))
	_, err = b.signIn(request(http.MethodPost), "admin", password)
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.ErrorContains(t, err, "disabled")
}

func TestMayConverse_IsForTokensThatWriteAndForLogins(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	asks := func(r *http.Request) (may error) {
		r.URL.Path = "/mcp"
		b.Require(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { may = auth.MayConverse(r.Context()) }),
			func(_ http.ResponseWriter, _ *http.Request, err error) { require.NoError(t, err) }).ServeHTTP(httptest.NewRecorder(), r)
		return may
	}
	by := func(scope users.Scope) *http.Request {
		return request(http.MethodPost, "Authorization", "Bearer "+b.scoped(scope))
	}
	require.NoError(t, asks(by(users.ScopeAdmin)))
	require.NoError(t, asks(by(users.ScopeChat)))
	require.NoError(t, asks(b.page(http.MethodPost, cookie)))
	require.Equal(t, fault.Denied, fault.KindOf(asks(by(users.ScopeRead))))
	require.Equal(t, fault.Denied, fault.KindOf(auth.MayConverse(t.Context())), "nobody was let in")
}

func TestRequireOperator_LetsAdministratorsInAlsoWithANarrowToken(t *testing.T) {
	b := setup(t)
	b.withPassword()
	cookie, err := b.signIn(request(http.MethodPost), "admin", password)
	require.NoError(t, err)
	member, err := b.store.Users.CreateUser(t.Context(), "member", users.RoleMember)
	require.NoError(t, err)
	theirs, hash := secret.NewToken()
	_, err = b.store.Users.CreateToken(t.Context(), member.ID, users.Token{Name: "script", Scope: users.ScopeAdmin}, hash)
	require.NoError(t, err)
	asks := func(r *http.Request) (refused error) {
		b.RequireOperator(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), func(_ http.ResponseWriter, _ *http.Request, err error) { refused = err }).ServeHTTP(httptest.NewRecorder(), r)
		return refused
	}
	for _, scope := range []users.Scope{users.ScopeRead, users.ScopeChat, users.ScopeAdmin} {
		require.NoError(t, asks(request(http.MethodGet, "Authorization", "Bearer "+b.scoped(scope))), scope)
	}
	require.NoError(t, asks(b.page(http.MethodGet, cookie)))
	require.Equal(t, fault.Denied, fault.KindOf(asks(request(http.MethodGet, "Authorization", "Bearer "+theirs))))
	isSignIn(t, asks(request(http.MethodGet)))
}
