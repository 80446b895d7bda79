package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/account"
	"xbot/ingress/api/messages"
	"xbot/internal/chat"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

// by is the person with a token of a scope.
func (p *person) by(scope users.Scope) *person {
	p.t.Helper()
	token, hash := secret.NewToken()
	_, err := p.store.Users.CreateToken(p.t.Context(), p.user.ID, users.Token{Name: string(scope), Scope: scope}, hash)
	require.NoError(p.t, err)
	return &person{bundle: p.bundle, user: p.user, token: token}
}

func TestScopes_HoldAtEveryEndpoint(t *testing.T) {
	b := setup(t)
	hers := b.hers()
	reads, chats, all := b.alice.by(users.ScopeRead), b.alice.by(users.ScopeChat), b.alice.by(users.ScopeAdmin)
	state := func() map[string][]string {
		rows := b.rows()
		delete(rows, "api_tokens") // they say when they were used
		return rows
	}
	before := state()
	var every [][2]string // with where it is
	for _, e := range endpoints(t) {
		if slices.Contains(public, e[1]) {
			continue
		}
		at := place(hers, e[1])
		switch {
		case strings.Contains(e[1], "{key}"): // a conversation that is not there is no reason to be refused
			at = strings.NewReplacer("{key}", "agent:main:web:thread:none", "{step}", "0", "{inbox_id}", "1", "{id}", "1", "{hash}", strings.Repeat("0", 64)).Replace(e[1])
		case at == "":
			at = e[1]
		}
		require.NotContains(t, strings.NewReplacer("{call_id}", "", "{turn}", "").Replace(at), "{")
		every = append(every, [2]string{e[0], at})
	}
	for _, e := range every {
		ofConversations := e[1] == "/api/sessions" || e[1] == "/api/transcriptions" || strings.HasPrefix(e[1], "/api/sessions/")
		if e[0] == http.MethodGet {
			forbidden := b.do(b.bob, e[0], e[1], nil).status == http.StatusForbidden // it is an administrator's
			for _, p := range []*person{reads, chats} {
				got := b.do(p, e[0], e[1], nil)
				require.Equal(t, forbidden, got.status == http.StatusForbidden, "%s: %s", e, got.body)
				require.NotContains(t, string(got.body), "scope of this token", e)
			}
			continue
		}
		require.Contains(t, b.do(reads, e[0], e[1], object{}).problem(http.StatusForbidden), `"read"`, e)
		if !ofConversations {
			require.Contains(t, b.do(chats, e[0], e[1], object{}).problem(http.StatusForbidden), `"chat"`, e)
		}
	}
	require.Equal(t, before, state(), "nothing was changed")
	for _, e := range every {
		require.NotContains(t, string(b.do(all, e[0], e[1], nil).body), "scope of this token", e)
	}
}

func TestScopes_ATokenForConversationsAdministersNothingInThem(t *testing.T) {
	b := setup(t)
	b.bridge(from("m1", "u1", "hello"))
	waiting := func() []users.Pairing {
		var body account.PairingsBody
		b.alice.get("/api/pairings").is(http.StatusOK, &body)
		return body.Pairings
	}
	code := waiting()[0].Code
	deferring, call := b.alice.deferred()
	chats, talk := b.alice.by(users.ScopeChat), b.alice.session("agent:main:web:thread:hers").Key
	b.alice.post("/api/runners", object{"name": "laptop"}).is(http.StatusCreated, nil)
	ordinary := path(deferring, "/approvals/"+string(call))

	require.Contains(t, chats.post(ordinary, object{"decision": "allow"}).problem(http.StatusForbidden), "administrator")
	for i, line := range []string{"/pair approve " + code, "/hooks allow " + string(call), "/link", "/runner create box", "/runner revoke laptop", "/runner use local", "/runner use default"} {
		chats.say(talk, "c"+string(rune('0'+i)), line).is(http.StatusAccepted, nil)
	}
	chats.say(deferring, "c9", "/approve").is(http.StatusAccepted, nil)
	require.Len(t, waiting(), 1, "nobody was let in")
	require.Len(t, b.waitingForAdministrators(), 1, "nothing was decided")
	var said messages.Transcript
	b.alice.get(path(talk, "/messages")).is(http.StatusOK, &said)
	refused := 0
	for _, m := range said.Messages {
		if m.Role == chat.RoleNotice {
			require.Contains(t, m.Content, "scope of this token")
			refused++
		}
	}
	require.Equal(t, 7, refused)
	require.Empty(t, b.alice.runners().Active)
	chats.say(talk, "d0", "/runner use laptop").is(http.StatusAccepted, nil)
	require.Equal(t, "laptop", b.alice.runners().Active, "of one's own it may choose")

	b.alice.say(talk, "a1", "/pair approve "+code).is(http.StatusAccepted, nil)
	require.Empty(t, waiting())
	b.alice.post(ordinary, object{"decision": "allow"}).is(http.StatusOK, nil)
	require.Empty(t, b.waitingForAdministrators())
}
