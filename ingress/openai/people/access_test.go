package people_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/auth"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/users"
)

// routes are all that there are; ID stands for the id of a response.
var routes = [][2]string{
	{http.MethodPost, chats}, {http.MethodPost, "/v1/responses"}, {http.MethodGet, "/v1/responses/ID"}, {http.MethodPost, "/v1/responses/ID/cancel"},
	{http.MethodDelete, "/v1/responses/ID"}, {http.MethodGet, "/v1/responses/ID/input_items"}, {http.MethodGet, "/v1/models/"}, {http.MethodPost, chats + "/"},
	{http.MethodGet, "/v1/models"}, {http.MethodGet, "/v1/models/xbot"}, {http.MethodPost, "/v1/embeddings"}, {http.MethodGet, "/v1/"},
}

func TestAccess_EveryRouteNeedsATokenAndNoCookieCounts(t *testing.T) {
	b := setup(t)
	const login = "a-login-of-a-browser"
	for _, r := range routes {
		for name, headers := range map[string][]string{
			"nothing": nil, "a wrong key": {"Authorization", "Bearer sk-wrong"}, "a key of a service": {"Authorization", "Bearer sk-svc-000000000000000000000000000000000000000000000000"},
			"a cookie": {"Cookie", auth.CookieName + "=" + login}, "no scheme": {"Authorization", b.token}, "Basic": {"Authorization", "Basic " + b.token},
			"a cookie of our own page": {"Cookie", auth.CookieName + "=" + login, "Origin", b.url, "Sec-Fetch-Site", "same-origin"},
		} {
			got := b.do("", r[0], r[1], says("hi"), headers...)
			require.Equal(t, "invalid_api_key", got.fails(http.StatusUnauthorized).Code, "%s with %s", r, name)
			require.NotEmpty(t, got.header.Get("WWW-Authenticate"))
		}
	}
	require.Empty(t, b.sent())
}

func TestAccess_APageOfAnotherSiteAsksWithAToken(t *testing.T) {
	b := setup(t)
	const origin = "app://obsidian.md"
	got := b.do("", http.MethodOptions, chats, nil, "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type,x-stainless-os")
	got.is(http.StatusNoContent, nil)
	require.Equal(t, "*", got.header.Get("Access-Control-Allow-Origin"))
	require.Contains(t, got.header.Get("Access-Control-Allow-Headers"), "Authorization")
	require.Empty(t, got.header.Get("Access-Control-Allow-Credentials"), "cookies do not count")
	got = b.do(b.token, http.MethodPost, chats, says("hi"), "Origin", origin, "Sec-Fetch-Site", "cross-site")
	got.is(http.StatusOK, nil)
	require.Equal(t, "*", got.header.Get("Access-Control-Allow-Origin"))
}

func TestAccess_ATokenThatReadsAsksNothing(t *testing.T) {
	b := setup(t)
	reads := b.tokenOf(b.User, users.ScopeRead)
	id := b.respond("hi").ID
	for _, path := range []string{chats, "/v1/responses", "/v1/responses/" + id + "/cancel"} {
		require.Equal(t, "permission_denied", b.do(reads, http.MethodPost, path, says("hi", object{"input": "hi"})).fails(http.StatusForbidden).Code, path)
	}
	b.do(reads, http.MethodGet, "/v1/responses/"+id, nil).is(http.StatusOK, nil)
	require.Len(t, b.sent(), 1)
	b.do(b.tokenOf(b.User, users.ScopeAdmin), http.MethodPost, chats, says("hi")).is(http.StatusOK, nil)
}

func TestAccess_NobodyReachesAConversationOrAResponseOfSomebodyElse(t *testing.T) {
	b := setup(t)
	bob, err := b.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	his := b.tokenOf(bob, users.ScopeChat)
	var hers, same completion
	b.post(chats, says("secret", object{"user": "carol"}), "Idempotency-Key", "k").is(http.StatusOK, &hers)
	response := b.respond("secret")
	before := len(b.sent())

	for _, r := range [][2]string{{http.MethodGet, "/v1/responses/" + response.ID}, {http.MethodPost, "/v1/responses/" + response.ID + "/cancel"}, {http.MethodDelete, "/v1/responses/" + response.ID}, {http.MethodGet, "/v1/responses/" + response.ID + "/input_items"}} {
		require.Equal(t, "response_not_found", b.do(his, r[0], r[1], nil).fails(http.StatusNotFound).Code)
	}
	for _, id := range []string{hers.Conversation, response.Conversation.ID} {
		require.Equal(t, "conversation_not_found", b.do(his, http.MethodPost, chats, says("x", object{"conversation_id": id})).fails(http.StatusNotFound).Code)
	}
	require.Equal(t, "previous_response_not_found", b.do(his, http.MethodPost, "/v1/responses", object{"model": "xbot", "input": "x", "previous_response_id": response.ID}).fails(http.StatusNotFound).Code)
	require.Len(t, b.sent(), before, "nothing was asked")

	b.do(his, http.MethodPost, chats, says("secret", object{"user": "carol"}), "Idempotency-Key", "k").is(http.StatusOK, &same)
	require.NotEqual(t, hers.ID, same.ID, "the same key and the same name of another person are others")
	var last conversation.Transcript
	all, err := b.Conversations.Sessions(t.Context(), bob.ID, "", 10)
	require.NoError(t, err)
	require.Len(t, all, 1)
	last = b.Transcript(all[0].Key)
	require.Len(t, last.Messages, 2)

	guessed := "resp_" + response.ID[5:21] + "000000000000000000000000"
	require.Equal(t, "response_not_found", b.do(b.token, http.MethodGet, "/v1/responses/"+guessed, nil).fails(http.StatusNotFound).Code)
	for _, id := range []string{"resp_", "resp_zz", "x", "resp_ffffffffffffffff"} {
		require.Equal(t, "response_not_found", b.do(b.token, http.MethodGet, "/v1/responses/"+id, nil).fails(http.StatusNotFound).Code)
	}
	require.Equal(t, "unknown_url", b.post("/v1/embeddings", object{}).fails(http.StatusNotFound).Code)
}
