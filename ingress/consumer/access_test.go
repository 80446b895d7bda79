package consumer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/consumer"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/user/users"
)

// routes are all of the API, for a conversation and a file.
func routes(t *testing.T, conversation string) (out [][2]string) {
	t.Helper()
	for path, item := range consumer.Document().Paths {
		at := strings.NewReplacer("{id}", conversation, "{path}", "x.txt").Replace(path)
		for method, o := range map[string]any{http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPatch: item.Patch, http.MethodDelete: item.Delete, http.MethodPut: item.Put} {
			if data, err := json.Marshal(o); err == nil && string(data) != "null" {
				out = append(out, [2]string{method, at})
			}
		}
	}
	require.Greater(t, len(out), 12)
	return out
}

// bodyOf is one that a route reads.
func bodyOf(route [2]string, conversation string) any {
	switch {
	case route[1] == "/api/v1/chat":
		return object{"conversation_id": conversation, "message": "hi"}
	case route[1] == "/api/v1/chat/completions":
		return object{"model": "x", "conversation_id": conversation, "messages": []object{{"role": "user", "content": "hi"}}}
	case route[0] == http.MethodPatch:
		return object{"title": "mine"}
	case route[0] == http.MethodPost && strings.HasSuffix(route[1], "/conversations"):
		return object{}
	}
	return nil
}

func TestAccess_OnlyAKeyOfAServiceOpensAnything(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	token, hash := secret.NewToken()
	_, err := b.Users.CreateToken(t.Context(), b.User.ID, users.Token{Name: "all", Scope: users.ScopeAdmin}, hash)
	require.NoError(t, err)
	for _, route := range routes(t, c.ID) {
		for what, headers := range map[string][]string{
			"nothing":                nil,
			"a token of a person":    {"Authorization", "Bearer " + token},
			"a cookie":               {"Cookie", "xbot_session=" + b.key},
			"basic":                  {"Authorization", "Basic " + b.key},
			"no scheme":              {"Authorization", b.key},
			"another key":            {"Authorization", "Bearer sk-svc-" + strings.Repeat("0", 48)},
			"the key in the address": {"X-Api-Key", b.key},
		} {
			got := b.do("", route[0], route[1]+"?key="+b.key+"&token="+b.key, bodyOf(route, c.ID), headers...)
			require.Equal(t, http.StatusUnauthorized, got.status, "%v with %s: %s", route, what, got.body)
			require.NotContains(t, string(got.body), b.service.Name)
		}
	}
	require.NoError(t, b.Services.RevokeServiceKey(t.Context(), b.service.ID, b.caller(b.key).Key))
	require.Equal(t, "unauthorized", b.do(b.key, http.MethodGet, "/api/v1/service", nil).problem(http.StatusUnauthorized))
}

func TestAccess_NobodyReachesAConversationOfAnotherKey(t *testing.T) {
	b := setup(t)
	b.onRunner()
	c := b.conversation()
	b.chats(c, "the colour is heliotrope", "Idempotency-Key", "k").until("accepted")
	second := b.keyOf(b.service)
	_, foreign := b.offer(service.Patch{Name: new("Another")})
	house := "agent:main:web:thread:t" // the session of a person
	for _, key := range []string{second, foreign} {
		for _, route := range routes(t, "{id}") {
			if !strings.Contains(route[1], "{id}") && !strings.Contains(route[1], "/chat") {
				continue
			}
			same := ""
			for _, id := range []string{"0123456789", c.ID, house, string(c.Session), "x", strings.ToUpper(c.ID)} {
				at := strings.ReplaceAll(route[1], "{id}", strings.ReplaceAll(id, ":", "%3A"))
				got := b.do(key, route[0], at, bodyOf(route, id), "Idempotency-Key", "k")
				require.Equal(t, http.StatusNotFound, got.status, "%v %s: %s", route, id, got.body)
				require.NotContains(t, string(got.body), "heliotrope")
				if same == "" {
					same = string(got.body)
				}
				require.Equal(t, same, string(got.body), "%v %s: the answer does not say what there is", route, id)
			}
		}
	}
	var read consumer.ConversationWithMessages
	b.do(b.key, http.MethodGet, at(c, ""), nil).is(http.StatusOK, &read)
	require.Equal(t, "the colour is heliotrope", read.Title)
	require.Len(t, read.Transcript, 1, "nobody has stopped or renamed it, or written there")
}

func TestAccess_AWithdrawnServiceSaysSoAndGoesOnLater(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	_, err := b.Services.ChangeService(t.Context(), b.service.ID, 0, service.Patch{Published: new(false)})
	require.NoError(t, err)
	for _, route := range routes(t, c.ID) {
		require.Equal(t, http.StatusForbidden, b.do(b.key, route[0], route[1], bodyOf(route, c.ID)).status, route)
	}
	_, err = b.Services.ChangeService(t.Context(), b.service.ID, 0, service.Patch{Published: new(true)})
	require.NoError(t, err)
	b.do(b.key, http.MethodGet, at(c, ""), nil).is(http.StatusOK, nil)
}

func TestAccess_WhoGuessesIsSlowedAndNobodyElseOfTheirAddress(t *testing.T) {
	b := setup(t)
	b.do(b.key, http.MethodGet, "/api/v1/service", nil, "X-From", "1.1.1.1").is(http.StatusOK, nil)
	wrong := func(n int, from string) answered {
		return b.do(fmt.Sprintf("sk-svc-%048x", n), http.MethodGet, "/api/v1/service", nil, "X-From", from)
	}
	for n := range 20 {
		require.Equal(t, http.StatusUnauthorized, wrong(n, "1.1.1.1").status)
	}
	got := wrong(100, "1.1.1.1")
	require.Equal(t, "rate_limited", got.problem(http.StatusTooManyRequests))
	require.NotEmpty(t, got.header.Get("Retry-After"))
	b.do(b.key, http.MethodGet, "/api/v1/service", nil, "X-From", "1.1.1.1").is(http.StatusOK, nil)
	b.do(b.keyOf(b.service), http.MethodGet, "/api/v1/service", nil, "X-From", "1.1.1.1").is(http.StatusOK, nil) // never seen here
	require.Equal(t, http.StatusUnauthorized, wrong(100, "2.2.2.2").status)
	require.NoError(t, b.Services.RevokeServiceKey(t.Context(), b.service.ID, b.caller(b.key).Key))
	require.Equal(t, http.StatusUnauthorized, b.do(b.key, http.MethodGet, "/api/v1/service", nil, "X-From", "1.1.1.1").status, "who knew a key may learn that it is revoked")
}

func TestAccess_AGoodKeyPassesBesideAFloodOfWrongOnes(t *testing.T) {
	b := setup(t)
	keys := []string{b.keyOf(b.service), b.keyOf(b.service), b.keyOf(b.service)}
	var flood sync.WaitGroup
	for n := range 50 {
		flood.Go(func() {
			for m := range 4 {
				got := b.request(t.Context(), fmt.Sprintf("sk-svc-%048x", 1000*n+m), http.MethodGet, "/api/v1/service", nil, "X-From", "1.1.1.1")
				_ = got.Body.Close()
			}
		})
	}
	for _, key := range keys {
		b.do(key, http.MethodGet, "/api/v1/service", nil, "X-From", "1.1.1.1").is(http.StatusOK, nil)
	}
	flood.Wait()
}

func TestAccess_ProgramsInPagesOfOtherSitesMayAskWithTheirKey(t *testing.T) {
	b := setup(t)
	got := b.do("", http.MethodOptions, "/api/v1/chat", nil, "Origin", "https://shop.example", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,idempotency-key").is(http.StatusNoContent, nil)
	require.Equal(t, "*", got.header.Get("Access-Control-Allow-Origin"))
	require.Empty(t, got.header.Get("Access-Control-Allow-Credentials"), "what a browser sends by itself does not count")
	require.Contains(t, got.header.Get("Access-Control-Allow-Headers"), "Authorization")
	got = b.do(b.key, http.MethodGet, "/api/v1/service", nil, "Origin", "https://shop.example").is(http.StatusOK, nil)
	require.Equal(t, "*", got.header.Get("Access-Control-Allow-Origin"))
	b.do("", http.MethodGet, "/api/v1/openapi.json", nil).is(http.StatusOK, nil)
}

func TestLimits_EachIsAnsweredWithWhenToTryAgain(t *testing.T) {
	b := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 1000, Concurrent: 4, TokensPerDay: 1000}.Patch()})
	c := b.conversation()
	var got sync.Map
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			r := b.request(t.Context(), b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": fmt.Sprint(n)})
			_ = r.Body.Close()
			got.Store(n, [2]string{fmt.Sprint(r.StatusCode), r.Header.Get("Retry-After")})
		})
	}
	all.Wait()
	counts := map[string]int{}
	got.Range(func(_, v any) bool {
		pair, _ := v.([2]string)
		counts[pair[0]]++
		if pair[0] == "429" && pair[1] == "" {
			t.Error("no Retry-After")
		}
		return true
	})
	require.Equal(t, map[string]int{"200": 4, "429": 46}, counts)
	var read consumer.ConversationWithMessages
	b.do(b.key, http.MethodGet, at(c, ""), nil).is(http.StatusOK, &read)
	require.Len(t, read.Transcript, 4, "reading takes no place")

	_, err := b.Pool.Exec(t.Context(), "INSERT INTO service_tokens (service_id, day, key_id, model, prompt_tokens) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 'key_000000', 'm', 1000)", b.service.ID)
	require.NoError(t, err)
	spent := b.do(b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": "more"})
	require.Equal(t, "rate_limited", spent.problem(http.StatusTooManyRequests))
	require.Contains(t, string(spent.body), "tokens of today")

	_, err = b.Services.ChangeService(t.Context(), b.service.ID, 0, service.Patch{Limits: service.Limits{RequestsPerMinute: 1, Concurrent: 1}.Patch()})
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the minute may turn in between
		r := b.do(b.key, http.MethodGet, at(c, "/nothing"), nil)
		return r.status == http.StatusTooManyRequests && r.header.Get("Retry-After") != ""
	}, 5*time.Second, time.Millisecond)
}

func TestRecord_EachRequestIsWrittenWithoutWhatWasSaid(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	r := b.chats(c, "a secret question")
	r.until("accepted")
	b.claims(c, "t1").answers("an answer")
	r.until("done")
	r.close()
	b.do(b.key, http.MethodGet, at(c, ""), nil, "X-Xbot-Channel", "web").is(http.StatusOK, nil)
	b.do(b.key, http.MethodGet, "/api/v1/conversations/0000000000", nil).is(http.StatusNotFound, nil)
	b.do(b.key, http.MethodGet, "/api/v1/none", nil).is(http.StatusNotFound, nil)
	var seen []string
	require.Eventually(t, func() bool {
		list, err := b.ServiceUsage.ServiceRequests(t.Context(), b.service.ID, 10)
		require.NoError(t, err)
		seen = nil
		for _, q := range list {
			require.Equal(t, c.Key, q.Key)
			seen = append([]string{fmt.Sprint(q.Endpoint, " ", q.Source, " ", q.Status, " ", q.Conversation == c.ID, " ", q.Turn)}, seen...)
		}
		return len(seen) == 5
	}, 10*time.Second, 10*time.Millisecond)
	require.ElementsMatch(t, []string{
		"POST /api/v1/conversations api 201 true ", "POST /api/v1/chat api 200 true t1", "GET /api/v1/conversations/{id} web 200 true ",
		"GET /api/v1/conversations/{id} api 404 false ", "unknown api 404 false ",
	}, seen)
}

func TestRecord_ACleanStopLosesNothing(t *testing.T) {
	b := setup(t)
	for range 20 {
		b.do(b.key, http.MethodGet, "/api/v1/service", nil).is(http.StatusOK, nil)
	}
	b.shut()
	list, err := b.ServiceUsage.ServiceRequests(t.Context(), b.service.ID, 100)
	require.NoError(t, err)
	require.Len(t, list, 20)
}

func TestConversations_AreNamedFoundAndDeleted(t *testing.T) {
	b := setup(t, service.Patch{MaxConversations: new(2), Welcome: new("Hi"), Questions: &[]string{"What now?"}, Model: new("acme/secret-model")})
	var about consumer.About
	got := b.do(b.key, http.MethodGet, "/api/v1/service", nil).is(http.StatusOK, &about)
	require.Equal(t, consumer.About{ID: b.service.ID, Name: "Help desk", Welcome: "Hi", Questions: []string{"What now?"}, Model: b.service.ID}, about)
	require.NotContains(t, string(got.body), "secret-model", "what answers is not the consumer's matter")
	var made consumer.ConversationWithMessages
	b.do(b.key, http.MethodPost, "/api/v1/conversations", object{"title": "  My\n garden "}, "X-Xbot-Channel", "web").is(http.StatusCreated, &made)
	require.Equal(t, []any{"My garden", service.SourceWeb, 0}, []any{made.Title, made.Source, made.Messages})
	require.NotNil(t, made.Transcript)
	c, err := b.Services.ConsumerConversation(t.Context(), b.caller(b.key), made.ID)
	require.NoError(t, err)
	b.chats(c, "a question").until("accepted")
	var named consumer.Conversation
	b.do(b.key, http.MethodPatch, at(c, ""), object{"title": "Roses"}).is(http.StatusOK, &named)
	require.Equal(t, "Roses", named.Title)
	b.do(b.key, http.MethodGet, at(c, ""), nil).is(http.StatusOK, &named)
	require.Equal(t, "Roses", named.Title, "a message changes no title")
	require.Equal(t, "invalid", b.do(b.key, http.MethodPatch, at(c, ""), object{"title": " "}).problem(http.StatusBadRequest))

	long := b.conversation()
	b.chats(long, strings.Repeat("长", 40)+"\nmore").until("accepted")
	b.do(b.key, http.MethodGet, at(long, ""), nil).is(http.StatusOK, &named)
	require.Equal(t, strings.Repeat("长", 30), named.Title)
	require.Equal(t, "conflict", b.do(b.key, http.MethodPost, "/api/v1/conversations", object{}).problem(http.StatusConflict), "as many as there may be")
	b.do(b.key, http.MethodDelete, at(c, ""), nil).is(http.StatusNoContent, nil)
	require.Equal(t, "not_found", b.do(b.key, http.MethodGet, at(c, ""), nil).problem(http.StatusNotFound))
	require.Equal(t, "not_found", b.do(b.key, http.MethodDelete, at(c, ""), nil).problem(http.StatusNotFound))
	due, err := b.Store.Users.DeletionsToStart(t.Context())
	require.NoError(t, err)
	require.Contains(t, due, c.User)
}

func TestAccess_ARequestOfVeryManyPartsIsNotTakenApart(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	many := "[" + strings.Repeat("{},", 150_000) + "{}]"
	for path, body := range map[string]string{
		"/api/v1/chat":             `{"conversation_id": "` + c.ID + `", "message": ` + many + `}`,
		"/api/v1/chat/completions": `{"model": "x", "messages": ` + many + `}`,
		"/api/v1/conversations":    `{"title": ` + many + `}`,
	} {
		got := b.do(b.key, http.MethodPost, path, []byte(body))
		require.Contains(t, []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge}, got.status, "%s: %.500s", path, got.body)
		require.Contains(t, string(got.body), "more than 100000 members and elements", path)
		require.Less(t, len(got.body), 1000, path)
	}
	long := strings.Repeat(`,{["`, 40_000) // within a text it is a text
	quoted, err := json.Marshal(long)
	require.NoError(t, err)
	b.stream(b.key, http.MethodPost, "/api/v1/chat", []byte(`{"conversation_id": "`+c.ID+`", "message": `+string(quoted)+`}`)).until("accepted")
}
