package oauth_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/extension/oauth/oauthtest"
	"xbot/internal/fault"
	"xbot/internal/user/users"
)

// evil marks the parts of hostile responses that must not be shown, logged or stored.
const evil = "hello-from-evil"

// says answers with a status, a media type and a body.
func says(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // the client may have enough
	}
}

// endless answers with a body that begins as given and repeats the rest until the client leaves.
func endless(kind, begin, rest string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, err := w.Write([]byte(begin))
		for err == nil {
			_, err = w.Write([]byte(rest))
		}
	}
}

// refusedAnswers are answers of a token endpoint from which no token may be taken. inside is an address that no request may reach.
func refusedAnswers(inside string) map[string]http.HandlerFunc {
	const object, form, page = "application/json", "application/x-www-form-urlencoded", "text/html; charset=utf-8"
	redirect := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside, status) }
	}
	return map[string]http.HandlerFunc{
		"nothing":                     says(200, object, ""),
		"null":                        says(200, object, "null"),
		"a list":                      says(200, object, `["`+evil+`"]`),
		"a text":                      says(200, object, `"`+evil+`"`),
		"no token":                    says(200, object, `{"refresh_token":"`+evil+`"}`),
		"an empty token":              says(200, object, `{"access_token":"","refresh_token":"`+evil+`"}`),
		"a token that is a number":    says(200, object, `{"access_token":42}`),
		"a token that is an object":   says(200, object, `{"access_token":{"x":"`+evil+`"}}`),
		"a refusal with status 200":   says(200, object, `{"code":20003,"error":"invalid_grant","error_description":"`+strings.Repeat("x", 1<<16)+`"}`),
		"Feishu's refusal":            says(400, object, `{"code":20004,"error":"invalid_grant","error_description":"`+strings.Repeat("y", 1<<16)+`"}`),
		"a refusal with line breaks":  says(400, object, `{"error":"bad\r\nX-Evil: 1","error_description":"a\u0000b\u202ec\n\nd"}`),
		"a page":                      says(200, page, "<!doctype html><title>"+evil+"</title>"),
		"a page that says it is JSON": says(200, object, "<!doctype html><title>"+evil+"</title>"),
		"a page with status 500":      says(500, page, "<h1>"+evil+"</h1>"),
		"deep lists":                  says(200, object, `{"access_token":"t","x":`+strings.Repeat("[", 200_000)),
		"deep objects":                says(200, object, strings.Repeat(`{"a":`, 100_000)+"1"+strings.Repeat("}", 100_000)),
		"a token of 10 MB":            says(200, object, `{"access_token":"`+strings.Repeat("x", 10<<20)+`"}`),
		"a token over the limit":      says(200, object, `{"access_token":"`+strings.Repeat("x", 16<<10+1)+`"}`),
		"a refresh token over it":     says(200, object, `{"access_token":"t","refresh_token":"`+strings.Repeat("x", 16<<10+1)+`"}`),
		"JSON without end":            endless(object, `{"access_token":"t","x":"`, strings.Repeat("y", 1<<16)),
		"white space without end":     endless(object, "", strings.Repeat(" ", 1<<16)),
		"a form without end":          endless(form, "access_token=", strings.Repeat("y", 1<<16)),
		"an error without end": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			endless(object, "", strings.Repeat("z", 1<<16))(w, r)
		},
		"a line break in the token":         says(200, object, `{"access_token":"a\r\nX-Evil: 1"}`),
		"a line break in the refresh token": says(200, object, `{"access_token":"t","refresh_token":"a\nb"}`),
		"a NUL in the token":                says(200, object, `{"access_token":"a\u0000b"}`),
		"a tab in the token":                says(200, object, `{"access_token":"a\tb"}`),
		"a blank in the token":              says(200, object, `{"access_token":"a b"}`),
		"letters beyond ASCII":              says(200, object, `{"access_token":"ключ"}`),
		"a mark that turns the text":        says(200, object, `{"access_token":"a\u202eb"}`),
		"no UTF-8":                          says(200, object, "{\"access_token\":\"a\xff\xfeb\"}"),
		"a line break in a form":            says(200, form, "access_token=a%0d%0aX-Evil:%201"),
		"redirect 301":                      redirect(http.StatusMovedPermanently),
		"redirect 302":                      redirect(http.StatusFound),
		"redirect 303":                      redirect(http.StatusSeeOther),
		"redirect 307":                      redirect(http.StatusTemporaryRedirect),
		"redirect 308":                      redirect(http.StatusPermanentRedirect),
		"half of the answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"access_token":"` + evil)) // the rest never comes
		},
		"a connection that breaks": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
}

// TestAttack_AnswersOfATokenEndpoint sends hostile answers to a new connection and to a renewal: the first stores nothing, the second keeps the
// token that holds.
func TestAttack_AnswersOfATokenEndpoint(t *testing.T) {
	b := setup(t)
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(inside.Close)
	check := func(name string, err error) {
		t.Helper()
		require.Error(t, err, name)
		require.Less(t, len(err.Error()), 700, name)
		require.NotContains(t, err.Error(), evil, name)
		require.NotRegexp(t, `[\x00-\x1f\x{202e}]`, err.Error(), name)
	}
	answers := refusedAnswers(inside.URL)
	for name, answer := range answers {
		b.provider.Rule(oauthtest.Rules{BreakAt: "/token", Break: answer})
		_, err := b.Finish(t.Context(), b.back())
		check(name, err)
	}
	all, err := b.List(t.Context(), b.user)
	require.NoError(t, err)
	require.Empty(t, all, "nothing is stored")

	b.provider.Rule(oauthtest.Rules{Life: time.Hour})
	b.connect()
	good := b.token()
	for name, answer := range answers {
		b.ends(30 * time.Second) // it is to be renewed, and holds still
		b.provider.Rule(oauthtest.Rules{BreakAt: "/token", Break: answer})
		token, err := b.Token(t.Context(), b.user, "acme")
		if name == "a refusal with status 200" || name == "Feishu's refusal" || name == "a refusal with line breaks" {
			check(name, err) // it is for good, and the account has to be connected again
			b.provider.Rule(oauthtest.Rules{Life: time.Hour})
			b.connect()
			good = b.token()
			continue
		}
		if err == nil {
			require.Equal(t, good, token, name)
			continue
		}
		check(name, err) // a token that came and cannot be used
		require.Equal(t, fault.Unavailable, fault.KindOf(err), name)
	}
	require.Empty(t, b.account().Problem)
}

// TestAttack_OddAnswersThatHoldAToken has answers whose token is good and whose other members are not: they cost themselves alone.
func TestAttack_OddAnswersThatHoldAToken(t *testing.T) {
	b := setup(t)
	for name, body := range map[string]string{
		"a life below zero":      `{"access_token":"good","expires_in":-1}`,
		"a life of centuries":    `{"access_token":"good","expires_in":99999999999999}`,
		"a life as a text":       `{"access_token":"good","expires_in":"3600"}`,
		"a kind with line break": `{"access_token":"good","token_type":"Bearer\r\nX-Evil: 1"}`,
		"scopes as a list":       `{"access_token":"good","scope":["read","` + evil + `"]}`,
		"many scopes":            `{"access_token":"good","scope":"` + strings.Repeat("s ", 50_000) + `"}`,
		"scopes of odd letters":  `{"access_token":"good","scope":"re\u0000ad \"x\" \\ \u202e` + evil + `\u202e"}`,
		"another tenant":         `{"access_token":"good","open_id":"ou_of_somebody_else","tenant_key":"other","union_id":"on_x"}`,
	} {
		b.provider.Rule(oauthtest.Rules{BreakAt: "/token", Break: says(200, "application/json", body)})
		done, err := b.Finish(t.Context(), b.back())
		require.NoError(t, err, name)
		require.Equal(t, b.user, done.User, name)
		for _, scope := range b.account().Scopes {
			require.NotContains(t, scope, evil, name)
			require.NotRegexp(t, `[^!-~]`, scope, name)
		}
		require.LessOrEqual(t, len(b.account().Scopes), 64, name)
	}
}

// TestAttack_AccountEndpoint sends hostile responses of the account endpoint. They only set a label of bounded length.
func TestAttack_AccountEndpoint(t *testing.T) {
	b := setup(t)
	for name, answer := range map[string]http.HandlerFunc{
		"nothing":       says(200, "application/json", ""),
		"a page":        says(200, "text/html", "<script>"+evil+"</script>"),
		"without end":   endless("application/json", `{"email":"`, strings.Repeat("x", 1<<16)),
		"deep":          says(200, "application/json", strings.Repeat(`{"data":`, 9_000)+`{"email":"`+evil+`"}`+strings.Repeat("}", 9_000)),
		"below a level": says(200, "application/json", `{"data":{"user":{"email":"`+evil+`"}}}`),
		"control marks": says(200, "application/json", `{"name":"a\r\n\u0000\u001bb\u202e"}`),
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		},
		"a long name": says(200, "application/json", `{"email":"`+strings.Repeat("z", 1<<19)+`"}`),
		"the token": func(w http.ResponseWriter, r *http.Request) {
			says(200, "application/json", `{"email":"`+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+`"}`)(w, r)
		},
	} {
		b.provider.Rule(oauthtest.Rules{BreakAt: "/account", Break: answer})
		label := b.connect().Label
		require.Less(t, len(label), 300, name)
		require.NotContains(t, label, evil, name)
		require.NotContains(t, label, b.token(), name)
		require.NotRegexp(t, `[\x00-\x1f]`, label, name)
	}
}

// TestAttack_ConnectionsOfOneAccountTakeFewDatabaseConnections renews an account at a provider that does not answer while the same account is
// connected many times.
func TestAttack_ConnectionsOfOneAccountTakeFewDatabaseConnections(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{Life: time.Hour})
	b.connect()
	b.ends(30 * time.Second)
	came, release := b.heldRefresh()
	var all sync.WaitGroup
	all.Go(func() { _, _ = b.Token(context.Background(), b.user, "acme") })
	<-came
	const many = 8
	before := b.provider.Count("/account")
	for range many {
		back := b.back()
		all.Go(func() { _, _ = b.Finish(context.Background(), back) })
	}
	require.Eventually(t, func() bool { return b.provider.Count("/account") == before+many && b.waiting() > 1 }, 10*time.Second, time.Millisecond, "all have their tokens")
	bob, err := b.store.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	mine := b.user
	b.user = bob.ID
	b.connect() // another user waits for nobody
	b.user = mine
	require.LessOrEqual(t, b.waiting(), 2, "the others wait without a database connection")
	release()
	all.Wait()
	_, ok := b.provider.Accepts(b.token())
	require.True(t, ok)
}

// TestAttack_ThousandsOfFlowsOfOnePersonCostOthersNothing begins many flows: those of a person are bounded, and another person's goes on.
func TestAttack_ThousandsOfFlowsOfOnePersonCostOthersNothing(t *testing.T) {
	b := setup(t)
	bob, err := b.store.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	ann := b.user
	b.user = bob.ID
	his := b.back()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 250 {
				_, err := b.Begin(context.Background(), oauth.Ticket{User: ann, Provider: "acme"}, browser)
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	_, err = b.Begin(t.Context(), oauth.Ticket{User: ann, Provider: "acme"}, browser)
	require.NoError(t, err)
	var kept int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM oauth_flows WHERE user_id = $1", ann).Scan(&kept))
	require.Equal(t, 10, kept)
	_, err = b.Finish(t.Context(), his)
	require.NoError(t, err)
}

// TestAttack_ReturnsOfABrowser has what somebody may send to the address to which providers send browsers back. Nothing is stored, and no code is
// redeemed for another flow.
func TestAttack_ReturnsOfABrowser(t *testing.T) {
	b := setup(t)
	feishu := b.draft()
	feishu.ID, feishu.Name, feishu.Issuer = "feishu", "Feishu", "" // it does not say who it is
	b.save(feishu)
	bob, err := b.store.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	for _, provider := range []string{"acme", "feishu"} {
		b.provider.Rule(oauthtest.Rules{Silent: provider == "feishu"})
		for name, c := range map[string]struct {
			change func(r, other *oauth.Return)
			want   error // nil: any
		}{
			"no state":                    {func(r, _ *oauth.Return) { r.State = "" }, oauthstore.ErrNoFlow},
			"a made-up state":             {func(r, _ *oauth.Return) { r.State = strings.Repeat("a", 32) }, oauthstore.ErrNoFlow},
			"the state in capitals":       {func(r, _ *oauth.Return) { r.State = strings.ToUpper(r.State) + "A" }, oauthstore.ErrNoFlow},
			"a blank behind the state":    {func(r, _ *oauth.Return) { r.State += " " }, oauthstore.ErrNoFlow},
			"a NUL in the state":          {func(r, _ *oauth.Return) { r.State += "\x00" }, oauthstore.ErrNoFlow},
			"a long state":                {func(r, _ *oauth.Return) { r.State = strings.Repeat("s", 1<<20) }, oauthstore.ErrNoFlow},
			"no cookie":                   {func(r, _ *oauth.Return) { r.Browser = "" }, oauthstore.ErrNoFlow},
			"another browser":             {func(r, _ *oauth.Return) { r.Browser = "another" }, oauthstore.ErrNoFlow},
			"another person":              {func(r, _ *oauth.Return) { r.Person = bob.ID }, oauth.ErrOtherLogin},
			"no code":                     {func(r, _ *oauth.Return) { r.Code = "" }, nil},
			"a made-up code":              {func(r, _ *oauth.Return) { r.Code = "code-x" }, nil},
			"a code with a line break":    {func(r, _ *oauth.Return) { r.Code += "\r\nX: 1" }, nil},
			"a code with more parameters": {func(r, _ *oauth.Return) { r.Code += "&client_id=x&code_verifier=y" }, nil},
			"a long code":                 {func(r, _ *oauth.Return) { r.Code = strings.Repeat("c", 60_000) }, nil},
			"the code of another flow":    {func(r, other *oauth.Return) { r.Code = other.Code }, nil},
			"an error":                    {func(r, _ *oauth.Return) { r.Error, r.Description = "x\r\ny", strings.Repeat("d\n", 50_000) }, nil},
		} {
			other, r := b.backFrom(provider), b.backFrom(provider)
			changed := r
			c.change(&changed, &other)
			_, err := b.Finish(t.Context(), changed)
			require.Error(t, err, name)
			if c.want != nil {
				require.ErrorIs(t, err, c.want, name)
			}
			require.Less(t, len(err.Error()), 700, name)
			require.NotContains(t, err.Error(), "\n", name)
			all, err := b.List(t.Context(), b.user)
			require.NoError(t, err)
			require.Empty(t, all, name)
		}
		r := b.backFrom(provider)
		_, err = b.Finish(t.Context(), r)
		require.NoError(t, err)
		_, err = b.Finish(t.Context(), r)
		require.ErrorIs(t, err, oauthstore.ErrNoFlow, "a state counts once")
		again := b.backFrom(provider)
		again.Code = r.Code
		_, err = b.Finish(t.Context(), again)
		require.Error(t, err, "a code counts once, also with a state that is good")
		_, err := b.Disconnect(t.Context(), b.user, provider)
		require.NoError(t, err)
	}
	theirs, err := b.List(t.Context(), bob.ID)
	require.NoError(t, err)
	require.Empty(t, theirs)
}

// TestAttack_OneFeishuAccountOfTwoPeople connects one account for two people: each acts with tokens of their own, and the end of one leaves the
// other's.
func TestAttack_OneFeishuAccountOfTwoPeople(t *testing.T) {
	b := setup(t)
	bob, err := b.store.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	people := []chat.UserID{b.user, bob.ID}
	var given []string
	for _, b.user = range people {
		require.Equal(t, "lena@example.com", b.connect().Label)
		given = append(given, b.token())
	}
	require.NotEqual(t, given[0], given[1])
	_, err = b.Disconnect(t.Context(), people[0], "acme")
	require.NoError(t, err)
	_, err = b.Token(t.Context(), people[0], "acme")
	require.Error(t, err)
	b.user = people[1]
	require.Equal(t, given[1], b.token())
	_, ok := b.provider.Accepts(given[1])
	require.True(t, ok)
}
