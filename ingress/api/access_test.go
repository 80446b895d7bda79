package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api"
	"xbot/ingress/api/account"
	"xbot/ingress/api/messages"
	"xbot/ingress/auth"
	"xbot/internal/chat"
)

// endpoints are all paths and methods of the document.
func endpoints(t *testing.T) (out [][2]string) {
	t.Helper()
	data, err := json.Marshal(api.Document())
	require.NoError(t, err)
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(data, &doc))
	for path, methods := range doc.Paths {
		for method := range methods {
			out = append(out, [2]string{strings.ToUpper(method), path})
		}
	}
	require.Greater(t, len(out), 15)
	return out
}

// public are the paths that need no user.
var public = []string{"/api/login", "/api/login/link", "/api/join", "/api/shared/{token}"}

func TestAPI_EveryEndpointButThePublicOnesAsksForCredentials(t *testing.T) {
	b := setup(t)
	mine := b.alice.session("agent:main:web:thread:mine")
	all := append(endpoints(t), [2]string{http.MethodGet, "/api/sessions/{key}/ws"}, [2]string{http.MethodGet, "/api/nothing"}, [2]string{http.MethodPost, "/api/sessions/{key}/ws"})
	for _, e := range all {
		if slices.Contains(public, e[1]) {
			continue
		}
		at := strings.NewReplacer("{key}", string(mine.Key), "{id}", "1", "{step}", "0").Replace(e[1])
		for name, p := range map[string]*person{"nobody": nil, "a wrong token": {bundle: b, token: "wrong"}} {
			a := b.do(p, e[0], at, nil)
			a.problem(http.StatusUnauthorized)
			require.Equal(t, "Bearer", a.header.Get("WWW-Authenticate"), "%s %s by %s", e[0], at, name)
		}
	}
}

// inSession is where an endpoint of a session is, and a body that it reads before it looks whose the session is.
func inSession(e [2]string, key chat.SessionKey) (at string, with any) {
	switch {
	case strings.HasSuffix(e[1], "/messages") && e[0] == http.MethodPost:
		with = map[string]any{"client_message_id": "x", "text": "x"}
	case strings.HasSuffix(e[1], "/approvals/{call_id}"):
		with = map[string]any{"decision": "allow"}
	case strings.HasSuffix(e[1], "/approvals"):
		with = map[string]any{"answers": []object{{"call_id": "t1.0.0", "decision": "allow"}}}
	case strings.HasSuffix(e[1], "/actions/{call_id}"):
		with = map[string]any{"client": aPage, "outcome": "done"}
	case strings.HasSuffix(e[1], "/links"):
		with = map[string]any{"path": "x"}
	case strings.HasSuffix(e[1], "/files/text"):
		with = map[string]any{"path": "x", "text": "x"}
		if e[0] == http.MethodPatch {
			with = map[string]any{"path": "x", "old": "x", "new": "y"}
		}
	case strings.HasSuffix(e[1], "/files/move"), strings.HasSuffix(e[1], "/files/copy"):
		with = map[string]any{"from": "x", "to": "y"}
	case strings.HasSuffix(e[1], "/files/folders"):
		with = map[string]any{"folder": "x"}
	case e[0] == http.MethodPatch:
		with = map[string]any{"title": "taken over"}
	case strings.HasSuffix(e[1], "/rewind"):
		with = map[string]any{"client_message_id": "x", "message_id": 1}
	case strings.HasSuffix(e[1], "/rating") && e[0] == http.MethodPut:
		with = map[string]any{"helpful": true}
	case strings.HasSuffix(e[1], "/branch"):
		with = map[string]any{"message_id": 1}
	case strings.HasSuffix(e[1], "/again"):
		with = map[string]any{"client_message_id": "x", "text": "x"}
	case strings.HasSuffix(e[1], "/fork"), strings.HasSuffix(e[1], "/shares"):
		with = map[string]any{}
	case strings.HasSuffix(e[1], "/compact"):
		with = map[string]any{"client_message_id": "x"}
	case strings.HasSuffix(e[1], "/queue/{inbox_id}") && e[0] == http.MethodPut:
		with = map[string]any{"text": "x"}
	case strings.HasSuffix(e[1], "/context") && e[0] == http.MethodPut:
		with = map[string]any{"mode": "none"}
	}
	at = strings.NewReplacer("{key}", string(key), "{step}", "0", "{inbox_id}", "1", "{id}", "1", "{hash}", strings.Repeat("0", 64)).Replace(e[1])
	if strings.Contains(at, "/files") && e[0] != http.MethodPost {
		at += "?path=x"
	}
	return at, with
}

func TestAPI_NobodyReachesASessionOfSomebodyElse(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	b.alice.say(s.Key, "m1", "a secret").is(http.StatusAccepted, nil)
	b.claim(s.Key, "t1")
	before, err := b.store.Conversations.EventsAfter(t.Context(), s.Key, 0, 100)
	require.NoError(t, err)

	for _, e := range endpoints(t) {
		if !strings.Contains(e[1], "{key}") {
			continue
		}
		at, with := inSession(e, s.Key)
		detail := b.do(b.bob, e[0], at, with).problem(http.StatusNotFound)
		require.Contains(t, detail, "there is no session", "%s %s: it looks as if it did not exist", e[0], e[1])
	}
	b.bob.get(path(s.Key, "/ws")).problem(http.StatusNotFound)
	b.bob.post("/api/sessions", map[string]any{"key": s.Key}).problem(http.StatusNotFound)
	var list struct{ Sessions []chat.Session }
	b.bob.get("/api/sessions").is(http.StatusOK, &list)
	require.Empty(t, list.Sessions)

	after, err := b.store.Conversations.EventsAfter(t.Context(), s.Key, 0, 100)
	require.NoError(t, err)
	require.Equal(t, before, after, "nothing happened to it")
	stop, err := b.store.Turns.StopRequested(t.Context(), s.Key, "t1")
	require.NoError(t, err)
	require.False(t, stop)
}

func TestAPI_TokensOfSomebodyElseAreNotMine(t *testing.T) {
	b := setup(t)
	var made struct {
		ID    int64
		Token string
	}
	b.alice.post("/api/tokens", map[string]string{"name": "script"}).is(http.StatusCreated, &made)
	b.bob.delete(fmt.Sprint("/api/tokens/", made.ID)).problem(http.StatusNotFound)
	var list struct{ Tokens []struct{ ID int64 } }
	b.bob.get("/api/tokens").is(http.StatusOK, &list)
	for _, token := range list.Tokens {
		require.NotEqual(t, made.ID, token.ID)
	}
}

func TestAPI_WhatIsNoEndpointIsAProblemToo(t *testing.T) {
	b := setup(t)
	for _, c := range [][2]string{{http.MethodGet, "/api/nothing"}, {http.MethodPut, "/api/me"}, {http.MethodPatch, "/api/tokens"}, {http.MethodGet, "/api/"}} {
		b.do(b.alice, c[0], c[1], nil).problem(http.StatusNotFound)
	}
}

func TestAPI_RefusesBadInputWithAProblem(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	route := path(s.Key, "/messages")
	for name, c := range map[string]struct {
		method, path string
		body         any
		status       int
	}{
		"no JSON":                       {http.MethodPost, route, "{", 400},
		"no body":                       {http.MethodPost, route, nil, 400},
		"another type":                  {http.MethodPost, route, `{"client_message_id":1,"text":"x"}`, 422},
		"no id":                         {http.MethodPost, route, `{"text":"x"}`, 422},
		"an empty id":                   {http.MethodPost, route, `{"client_message_id":"","text":"x"}`, 422},
		"an id that is too long":        {http.MethodPost, route, fmt.Sprintf(`{"client_message_id":%q,"text":"x"}`, strings.Repeat("x", 129)), 422},
		"an id with too many bytes":     {http.MethodPost, route, fmt.Sprintf(`{"client_message_id":%q,"text":"x"}`, strings.Repeat("字", 43)), 400},
		"an id with NUL":                {http.MethodPost, route, `{"client_message_id":"a\u0000b","text":"x"}`, 400},
		"an empty text":                 {http.MethodPost, route, `{"client_message_id":"a","text":""}`, 400},
		"a text of NUL":                 {http.MethodPost, route, `{"client_message_id":"a","text":"\u0000"}`, 400},
		"a text that is too long":       {http.MethodPost, route, fmt.Sprintf(`{"client_message_id":"a","text":%q}`, strings.Repeat("x", 200_001)), 413},
		"a body that is too long":       {http.MethodPost, route, fmt.Sprintf(`{"client_message_id":"a","text":%q}`, strings.Repeat("x", 900_000)), 413},
		"an unknown field":              {http.MethodPost, route, `{"client_message_id":"a","text":"x","role":"assistant"}`, 422},
		"a negative cursor":             {http.MethodGet, route + "?after=-1", nil, 422},
		"a cursor that is no number":    {http.MethodGet, route + "?before=x", nil, 422},
		"a cursor beyond all numbers":   {http.MethodGet, route + "?after=99999999999999999999", nil, 422},
		"a limit of nothing":            {http.MethodGet, route + "?limit=0", nil, 422},
		"a limit that is too large":     {http.MethodGet, route + "?limit=501", nil, 422},
		"a limit that is negative":      {http.MethodGet, path(s.Key, "/turns?limit=-1"), nil, 422},
		"a key that is none":            {http.MethodGet, "/api/sessions/x", nil, 400},
		"a key with a space":            {http.MethodGet, "/api/sessions/agent:main:web:thread:a%20b", nil, 400},
		"a key with NUL":                {http.MethodGet, "/api/sessions/agent:main:web:thread:a%00b", nil, 400},
		"a key that is no UTF-8":        {http.MethodGet, "/api/sessions/agent:main:web:thread:%ff", nil, 400},
		"a key that is too long":        {http.MethodGet, path(chat.SessionKey("agent:main:web:thread:"+strings.Repeat("x", 200)), ""), nil, 422},
		"a key of many wide characters": {http.MethodGet, path(chat.SessionKey("agent:main:web:thread:"+strings.Repeat("字", 100)), ""), nil, 400},
		"a session of a channel":        {http.MethodPost, "/api/sessions", `{"key":"agent:main:feishu:dm:ou_1"}`, 400},
		"a session of no channel":       {http.MethodPost, "/api/sessions", `{"key":"agent:main:main"}`, 400},
		"a session without a name":      {http.MethodPost, "/api/sessions", `{"key":"x"}`, 400},
		"a title that is too long":      {http.MethodPost, "/api/sessions", fmt.Sprintf(`{"title":%q}`, strings.Repeat("x", 201)), 422},
		"a token without a name":        {http.MethodPost, "/api/tokens", `{"name":""}`, 422},
		"a token that is no number":     {http.MethodDelete, "/api/tokens/x", nil, 422},
		"a token that is negative":      {http.MethodDelete, "/api/tokens/-1", nil, 404},
		"events after nothing":          {http.MethodGet, path(s.Key, "/events?after=x"), nil, 422},
		"a WebSocket after nothing":     {http.MethodGet, path(s.Key, "/ws?after=x"), nil, 400},
		"a WebSocket after less":        {http.MethodGet, path(s.Key, "/ws?after=-1"), nil, 400},
		"a login with nothing":          {http.MethodPost, "/api/login", `{}`, 400},
		"a login without a name":        {http.MethodPost, "/api/login", `{"password":"x"}`, 400},
		"a login with a wrong name":     {http.MethodPost, "/api/login", `{"username":"a\u0000","password":"x"}`, 401},
		"a login with a wrong link":     {http.MethodPost, "/api/login", `{"token":"x"}`, 403},
		"a password that is too short":  {http.MethodPost, "/api/me/password", `{"password":"short"}`, 400},
	} {
		t.Run(name, func(t *testing.T) {
			b.do(b.alice, c.method, c.path, c.body).problem(c.status)
		})
	}
	var transcript messages.Transcript
	b.alice.get(route).is(http.StatusOK, &transcript)
	require.Empty(t, transcript.Queued, "none of it was accepted")
}

func TestAPI_HidesWhyItCannotServeAndLogsIt(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	_, err := b.pool.Exec(t.Context(), "ALTER TABLE inbox RENAME TO elsewhere")
	require.NoError(t, err)
	detail := b.alice.say(s.Key, "m1", "a secret").problem(http.StatusInternalServerError)
	require.NotContains(t, detail, "inbox")
	require.Contains(t, b.log.String(), "inbox")
	require.NotContains(t, b.log.String(), "a secret", "no log holds what people wrote")
	require.NotContains(t, b.log.String(), b.alice.token)

	b.pool.Close()
	b.alice.get("/api/me").problem(http.StatusServiceUnavailable)
	require.Contains(t, b.log.String(), "request not served for now")
}

func TestAPI_AnswersAreKeptByNobody(t *testing.T) {
	b := setup(t)
	require.Equal(t, "no-store", b.alice.get("/api/me").header.Get("Cache-Control"))
	require.Equal(t, "no-store", b.do(nil, http.MethodGet, "/api/me", nil).header.Get("Cache-Control"))
}

func TestLogin_ByLinkOnceThenByPassword(t *testing.T) {
	b := setup(t)
	var state account.LoginState
	b.do(nil, http.MethodGet, "/api/login", nil).is(http.StatusOK, &state)
	require.Equal(t, account.LoginState{NeedsPassword: false, Demo: true, Version: "1.2.3"}, state)

	link, err := b.auth.NewLink(t.Context(), b.alice.user.ID, b.url)
	require.NoError(t, err)
	_, token, _ := strings.Cut(link, "#token=")
	page := b.browser()
	var in account.SignedIn
	page.do(http.MethodPost, "/api/login", `{"token":"`+token+`"}`).is(http.StatusOK, &in)
	require.NotEmpty(t, in.PageKey)
	require.NotEmpty(t, in.Browser)
	in.PageKey, in.Browser = "", ""
	require.Equal(t, account.SignedIn{User: account.User{ID: b.alice.user.ID, Name: "alice", Role: "admin"}, MustSetPassword: true}, in)
	b.browser().do(http.MethodPost, "/api/login", `{"token":"`+token+`"}`).problem(http.StatusForbidden)

	page.do(http.MethodPost, "/api/me/password", `{"password":"long enough to keep"}`).is(http.StatusNoContent, nil)
	b.do(nil, http.MethodGet, "/api/login", nil).is(http.StatusOK, &state)
	require.True(t, state.NeedsPassword)
	second := b.browser()
	second.do(http.MethodPost, "/api/login", `{"username":"alice","password":"wrong"}`).problem(http.StatusUnauthorized)
	second.do(http.MethodPost, "/api/login", `{"username":"alice","password":"long enough to keep"}`).is(http.StatusOK, &in)
	require.False(t, in.MustSetPassword)

	second.do(http.MethodPost, "/api/me/password", `{"password":"another good one","current":"long enough to keep"}`).is(http.StatusNoContent, nil)
	second.do(http.MethodGet, "/api/me", "").is(http.StatusOK, nil)
	page.do(http.MethodGet, "/api/me", "").problem(http.StatusUnauthorized)
	second.do(http.MethodPost, "/api/logout", "").is(http.StatusNoContent, nil)
	second.do(http.MethodGet, "/api/me", "").problem(http.StatusUnauthorized)
}

func TestLogin_PagesOfOtherSitesCanNeitherSignInNorAct(t *testing.T) {
	b := setup(t)
	link, err := b.auth.NewLink(t.Context(), b.alice.user.ID, b.url)
	require.NoError(t, err)
	_, token, _ := strings.Cut(link, "#token=")
	page := b.browser()
	page.origin = "http://evil.example"
	page.do(http.MethodPost, "/api/login", `{"token":"`+token+`"}`).problem(http.StatusForbidden)
	page.origin = b.url
	page.do(http.MethodPost, "/api/login", `{"token":"`+token+`"}`).is(http.StatusOK, nil)
	page.origin = "http://evil.example"
	for _, c := range [][2]string{{http.MethodPost, "/api/logout"}, {http.MethodPost, "/api/sessions"}, {http.MethodPost, "/api/tokens"}, {http.MethodGet, "/api/sessions"}} {
		page.do(c[0], c[1], `{}`).problem(http.StatusForbidden)
	}
	page.origin = ""
	page.do(http.MethodGet, "/api/me", "").is(http.StatusOK, nil)
}

func TestLogin_TooManyGuessesAreToldWhenToTryAgain(t *testing.T) {
	b := setup(t)
	page := b.browser()
	for range 5 {
		page.do(http.MethodPost, "/api/login", `{"username":"alice","password":"wrong"}`).problem(http.StatusUnauthorized)
	}
	a := page.do(http.MethodPost, "/api/login", `{"username":"alice","password":"wrong"}`)
	a.problem(http.StatusTooManyRequests)
	require.NotEmpty(t, a.header.Get("Retry-After"))
	require.Empty(t, a.header.Get("Set-Cookie"))
}

func TestLogin_AServerOnAnotherPortCanDoNothingWithTheCookie(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	page := b.browser()
	page.signIn(b.alice)

	received := make(chan string, 1)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { received <- r.Header.Get("Cookie") }))
	defer other.Close()
	require.Equal(t, "127.0.0.1", strings.Split(strings.TrimPrefix(other.URL, "http://"), ":")[0], "the same host as ours")
	visit, err := page.client.Get(other.URL)
	require.NoError(t, err)
	require.NoError(t, visit.Body.Close())
	stolen := <-received
	require.Contains(t, stolen, auth.CookieName+"=", "a browser sends it to every port")

	all := append(endpoints(t), [2]string{http.MethodGet, "/api/sessions/{key}/ws"}, [2]string{http.MethodGet, "/api/sessions/{key}/files/content?path=x&pass=x"})
	for _, e := range all {
		if slices.Contains(public, e[1]) {
			continue
		}
		at := strings.NewReplacer("{key}", string(s.Key), "{id}", "1", "{step}", "0").Replace(e[1])
		r, err := http.NewRequestWithContext(t.Context(), e[0], b.url+at, nil)
		require.NoError(t, err)
		r.Header = http.Header{"Cookie": {stolen}, "Origin": {b.url}, "Sec-Fetch-Site": {"same-origin"}, "Content-Type": {"application/json"}}
		b.send(&http.Client{}, r).problem(http.StatusUnauthorized)
	}
	page.do(http.MethodGet, "/api/me", "").is(http.StatusOK, nil)
}

func TestPasses_OpenADownloadOfTheirPersonAlone(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	page, other := b.browser(), b.browser()
	page.signIn(b.alice)
	other.signIn(b.bob)
	var pass account.PassBody
	page.do(http.MethodPost, "/api/passes", `{"url":"`+path(s.Key, "/export")+`"}`).is(http.StatusCreated, &pass)
	key := page.key
	page.key = ""
	page.do(http.MethodGet, path(s.Key, "/export"), "").problem(http.StatusUnauthorized)
	page.do(http.MethodGet, pass.URL, "").is(http.StatusOK, nil)
	other.key = ""
	other.do(http.MethodGet, pass.URL, "").problem(http.StatusUnauthorized)
	page.key = key
	page.do(http.MethodPost, "/api/passes", `{"url":"https://evil.example/api/me"}`).problem(http.StatusBadRequest)
	b.alice.post("/api/passes", map[string]string{"url": "/api/me"}).problem(http.StatusBadRequest)
}

func TestMe_SendsABrowserToTheTemporalUIByAPathOfItsOwn(t *testing.T) {
	b := setup(t)
	page, again := b.browser(), b.browser()
	page.signIn(b.alice)
	again.signIn(b.alice)
	var one, two account.Me
	page.do(http.MethodGet, "/api/me", "").is(http.StatusOK, &one)
	again.do(http.MethodGet, "/api/me", "").is(http.StatusOK, &two)
	require.Regexp(t, `^/temporal/k/[\w-]{43}/$`, one.TemporalUI)
	require.NotEqual(t, one.TemporalUI, two.TemporalUI)
}

func TestMe_TellsMembersNothingOfTheTemporalUI(t *testing.T) {
	b := setup(t)
	var me account.Me
	b.alice.get("/api/me").is(http.StatusOK, &me)
	require.Equal(t, account.Me{User: account.User{ID: b.alice.user.ID, Name: "alice", Role: "admin"}, MustSetPassword: true, Model: "demo/demo", Demo: true, Version: "1.2.3", TemporalUI: "/temporal/"}, me)
	b.bob.get("/api/me").is(http.StatusOK, &me)
	require.Equal(t, "member", me.User.Role)
	require.Empty(t, me.TemporalUI)
}

func TestTokens_AreShownOnceAndUselessOnceRevoked(t *testing.T) {
	b := setup(t)
	var made account.NewToken
	b.alice.post("/api/tokens", map[string]string{"name": "script\x00"}).is(http.StatusCreated, &made)
	script := &person{bundle: b, token: made.Token}
	script.get("/api/me").is(http.StatusOK, nil)
	list := b.alice.get("/api/tokens")
	require.NotContains(t, string(list.body), made.Token)
	require.Contains(t, string(list.body), "last_used_at")
	b.alice.delete(fmt.Sprint("/api/tokens/", made.ID)).is(http.StatusNoContent, nil)
	script.get("/api/me").problem(http.StatusUnauthorized)
	b.alice.delete(fmt.Sprint("/api/tokens/", made.ID)).problem(http.StatusNotFound)
}

func TestCookie_IsNoToken(t *testing.T) {
	b := setup(t)
	r, err := http.NewRequest(http.MethodGet, b.url+"/api/me", nil)
	require.NoError(t, err)
	r.AddCookie(&http.Cookie{Name: auth.CookieName, Value: b.alice.token})
	b.send(&http.Client{}, r).problem(http.StatusUnauthorized)
}

// TestAPI_AProblemRepeatsNoValue sends a secret in the wrong place of each kind of request.
func TestAPI_AProblemRepeatsNoValue(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	const secret = "sk-live-in-the-wrong-place"
	for name, c := range map[string]struct{ method, path, body string }{
		"a field of another type":    {http.MethodPost, path(s.Key, "/messages"), `{"client_message_id":["` + secret + `"],"text":"x"}`},
		"a field that is unknown":    {http.MethodPost, path(s.Key, "/messages"), `{"client_message_id":"a","text":"x","api_kez":"` + secret + `"}`},
		"a field that is too long":   {http.MethodPost, path(s.Key, "/messages"), `{"client_message_id":"` + strings.Repeat(secret, 20) + `","text":"x"}`},
		"a value that is not listed": {http.MethodPut, "/api/permissions/Shell", `{"rule":"` + secret + `"}`},
		"a body that is no object":   {http.MethodPost, path(s.Key, "/messages"), `"` + secret + `"`},
		"a body that is no JSON":     {http.MethodPost, path(s.Key, "/messages"), `{"text":"` + secret + `"`},
		"a time that is none":        {http.MethodPost, "/api/tokens", `{"name":"x","expires_at":"` + secret + `"}`},
		"a number that is none":      {http.MethodGet, path(s.Key, "/messages") + "?after=" + secret, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var body any
			if c.body != "" {
				body = c.body
			}
			got := b.do(b.alice, c.method, c.path, body)
			require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, got.status)
			require.NotContains(t, got.body, secret)
		})
	}
}
