package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/sessions"
	"xbot/internal/chat"
)

// shared is a conversation of alice's with a question and an answer, and a link to it.
func (b *bundle) shared() (s chat.Session, made sessions.NewShareLink, at string) {
	b.t.Helper()
	s = b.alice.session("agent:main:web:thread:mine")
	b.alice.say(s.Key, "m1", "a question").is(http.StatusAccepted, nil)
	b.claim(s.Key, "t1")
	b.reply(s.Key, "t1", "an answer")
	b.finish(s.Key, "t1")
	b.alice.post(path(s.Key, "/shares"), map[string]any{}).is(http.StatusCreated, &made)
	require.Regexp(b.t, `^/shared/[\w-]{43}$`, made.Link)
	return s, made, "/api" + made.Link
}

func (b *bundle) read(at string) (body sessions.SharedBody) {
	b.t.Helper()
	b.do(nil, http.MethodGet, at, nil).is(http.StatusOK, &body)
	return body
}

func TestShares_ALinkIsReadWithoutSigningInUntilItIsRevoked(t *testing.T) {
	b := setup(t)
	s, made, at := b.shared()
	require.WithinDuration(t, time.Now().Add(7*24*time.Hour), made.ExpiresAt, time.Minute)
	a := b.do(nil, http.MethodGet, at, nil)
	a.is(http.StatusOK, nil)
	require.Equal(t, []string{"noindex", "no-referrer", "no-store"}, []string{a.header.Get("X-Robots-Tag"), a.header.Get("Referrer-Policy"), a.header.Get("Cache-Control")})
	got := b.read(at)
	require.Len(t, got.Messages, 2)
	require.Equal(t, []string{"a question", "an answer"}, []string{got.Messages[0].Text, got.Messages[1].Text})
	require.Equal(t, []chat.Role{chat.RoleUser, chat.RoleAssistant}, []chat.Role{got.Messages[0].Role, got.Messages[1].Role})
	b.do(nil, http.MethodPost, at, nil).problem(http.StatusUnauthorized) // it is read alone

	b.alice.say(s.Key, "m2", "said later").is(http.StatusAccepted, nil)
	b.claim(s.Key, "t2")
	require.Equal(t, got, b.read(at))

	list := b.alice.get(path(s.Key, "/shares"))
	var shares sessions.ShareList
	list.is(http.StatusOK, &shares)
	require.Len(t, shares.Shares, 1)
	require.Equal(t, made.ShareLink, shares.Shares[0])
	require.NotContains(t, string(list.body), strings.TrimPrefix(made.Link, "/shared/"), "the token is shown once")

	one := path(s.Key, fmt.Sprint("/shares/", made.ID))
	b.bob.delete(one).problem(http.StatusNotFound)
	b.read(at)
	b.alice.delete(one).is(http.StatusNoContent, nil)
	b.alice.delete(one).problem(http.StatusNotFound)
	b.do(nil, http.MethodGet, at, nil).problem(http.StatusNotFound)
}

func TestShares_AnUnknownARevokedAndAnExpiredLinkAnswerTheSame(t *testing.T) {
	b := setup(t)
	s, revoked, at := b.shared()
	b.alice.delete(path(s.Key, fmt.Sprint("/shares/", revoked.ID))).is(http.StatusNoContent, nil)
	var expired, deleted sessions.NewShareLink
	b.alice.post(path(s.Key, "/shares"), map[string]any{"expires_in": 90}).is(http.StatusCreated, &expired)
	_, err := b.pool.Exec(t.Context(), `UPDATE shares SET expires_at = now()`)
	require.NoError(t, err)
	b.alice.post(path(s.Key, "/shares"), map[string]any{"expires_in": 1}).is(http.StatusCreated, &deleted)
	b.alice.delete(path(s.Key, "")).is(http.StatusNoContent, nil)

	unknown := b.do(nil, http.MethodGet, "/api/shared/"+strings.Repeat("x", 43), nil)
	unknown.problem(http.StatusNotFound)
	for _, link := range []string{at, "/api" + expired.Link, "/api" + deleted.Link, "/api/shared/x", "/api/shared/%00", "/api/shared/" + strings.Repeat("x", 2000)} {
		a := b.do(nil, http.MethodGet, link, nil)
		a.problem(http.StatusNotFound)
		require.Equal(t, string(unknown.body), string(a.body), "%s", link)
	}
}

func TestShares_AreMadeByTheOwnerAloneForOneTo90Days(t *testing.T) {
	b := setup(t)
	s, _, _ := b.shared()
	at := path(s.Key, "/shares")
	for _, body := range []any{map[string]any{"expires_in": 0}, map[string]any{"expires_in": 91}, map[string]any{"expires_in": -1}, map[string]any{"expires_in": "7"}, map[string]any{"forever": true}} {
		b.alice.post(at, body).problem(http.StatusUnprocessableEntity)
	}
	b.alice.delete(at + "/x").problem(http.StatusUnprocessableEntity)
	theirs := b.bob.session("agent:main:web:thread:bobs")
	b.alice.post(path(theirs.Key, "/shares"), map[string]any{}).problem(http.StatusNotFound) // an administrator neither
	b.alice.get(path(theirs.Key, "/shares")).problem(http.StatusNotFound)
}

func TestShares_NameFilesAndPicturesAndTellNothingOfWhereTheyAre(t *testing.T) {
	b := setup(t)
	s, _, _ := b.shared()
	text := "look\n[file: plan.pdf · 12 bytes · /srv/home/alice/plan.pdf]\n[image: cat.png · 9 bytes · /srv/home/alice/cat.png]\n[voice transcript] hello\n[audio: a.amr · 7 bytes · /srv/home/alice/a.amr]\n[voice transcript: not made: there is no key for it: let an administrator set STT_API_KEY]"
	pictures := `[{"hash":"secrethash","media_type":"image/png","width":1,"height":1,"name":"cat.png","path":"/srv/home/alice/cat.png"},{"hash":"secrethash","media_type":"image/png","width":1,"height":1}]`
	_, err := b.pool.Exec(t.Context(), `INSERT INTO messages (session_key, role, content, pictures) VALUES ($1, 'user', $2, $3::jsonb)`, s.Key, text, pictures)
	require.NoError(t, err)
	var made sessions.NewShareLink
	b.alice.post(path(s.Key, "/shares"), map[string]any{}).is(http.StatusCreated, &made)
	got := b.read("/api" + made.Link).Messages[2]
	require.Equal(t, "look\n[voice transcript] hello\n[voice]", got.Text)
	require.Equal(t, []string{"plan.pdf", "cat.png", "a.amr", ""}, got.Files)
	raw := string(b.do(nil, http.MethodGet, "/api"+made.Link, nil).body)
	for _, hidden := range []string{"/srv/home", "secrethash", "reasoning", "STT_API_KEY", string(s.Key)} {
		require.NotContains(t, raw, hidden)
	}
}

func TestShares_ALinkHasTheWholeAddressWhereTheOperatorSaidWhichPeopleUse(t *testing.T) {
	b := setup(t)
	s, made, _ := b.shared()
	require.Empty(t, made.URL, "a client knows by which address it has reached the server")
	b.base.Info.URL = "https://xbot.example/"
	b.alice.post(path(s.Key, "/shares"), map[string]any{}).is(http.StatusCreated, &made)
	require.Equal(t, "https://xbot.example"+made.Link, made.URL)
}
