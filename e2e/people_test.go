package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"xbot/ingress/oidc/oidctest"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/local"
	"xbot/internal/extension/oauth/oauthtest"
	"xbot/internal/fault"
)

func TestPeople_WhoeverIsDisabledIsOutAtOnceThoughTheServerDiesRightThen(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx := t.Context()
	link, err := s.operate("user", "add", "Lena")
	require.NoError(t, err, link)
	require.Contains(t, link, s.url+"/login#token=")
	token, err := s.operate("token", "create", "--user", "Lena", "--scope", "chat", "--days", "30", "laptop")
	require.NoError(t, err, token)
	lena := *s
	lena.client = apiclient.New(apiclient.Endpoint{URL: s.url, Token: token})
	t.Cleanup(lena.client.Close)
	_, err = lena.client.CreateToken(ctx, apiclient.CreateTokenRequest{Name: "wider"})
	require.Equal(t, fault.Denied, fault.KindOf(err), "a token for chats makes no other")

	k := lena.newTalk()
	k.send("stream 4000 50ms")
	k.untilDelta(time.Minute)
	k.send("say later")
	watching := make(chan error, 1)
	go func() {
		for u := range lena.client.Watch(ctx, k.key, 0) {
			if u.Lost != nil && u.Retry == 0 {
				watching <- u.Lost
				return
			}
		}
		watching <- context.Cause(ctx)
	}()

	said, err := s.operate("user", "disable", "Lena")
	require.NoError(t, err, said)
	select {
	case err := <-watching:
		require.Equal(t, fault.Denied, fault.KindOf(err), "%v", err)
	case <-time.After(10 * time.Second): // without the word of the database it would be at the next ping
		require.Fail(t, "her stream goes on")
	}
	s.crash()
	s.boot()
	_, err = lena.client.Me(ctx)
	require.Equal(t, fault.Denied, fault.KindOf(err))

	require.Eventually(t, func() bool {
		var states, said string
		require.NoError(t, s.database().QueryRow(ctx, `SELECT coalesce((SELECT string_agg(state, ' ') FROM turns WHERE session_key = $1), ''),
			coalesce((SELECT string_agg(content, ' ') FROM messages WHERE session_key = $1 AND role = 'notice'), '')`, k.key).Scan(&states, &said))
		return states == "stopped" && strings.Contains(said, "an administrator has disabled this account")
	}, time.Minute, 50*time.Millisecond, "the one turn of hers that began was stopped")
	said, err = s.operate("user", "disable", "admin")
	require.Error(t, err)
	require.Contains(t, said, "last administrator")
	said, err = s.operate("user", "enable", "Lena")
	require.NoError(t, err, said)
	_, err = lena.client.Me(ctx)
	require.Equal(t, fault.Denied, fault.KindOf(err), "what was revoked stays so")
	people, err := s.operate("user", "list")
	require.NoError(t, err)
	require.Regexp(t, `Lena +member +active +1 `, people)
}

func TestPeople_ProgramsBesideTheServerAreTheNextAdministratorsOnceTheirsIsGone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	mine := func() string {
		beside := apiclient.New(&local.Server{Home: s.home})
		defer beside.Close()
		me, err := beside.Me(t.Context())
		if err != nil {
			return err.Error()
		}
		return me.User.Name + " " + me.User.Role
	}
	require.Eventually(t, func() bool { return mine() == "admin admin" }, time.Minute, 50*time.Millisecond)
	said, err := s.operate("user", "add", "Lena", "--role", "admin")
	require.NoError(t, err, said)
	before, err := (&local.Server{Home: s.home}).Endpoint(t.Context())
	require.NoError(t, err)
	said, err = s.operate("user", "role", "admin", "member")
	require.NoError(t, err, said)
	require.Eventually(t, func() bool { return mine() == "Lena admin" }, time.Minute, 50*time.Millisecond)
	former := apiclient.New(before)
	defer former.Close()
	require.Eventually(t, func() bool {
		_, err := former.Me(t.Context())
		return fault.Is(err, fault.Denied)
	}, time.Minute, 50*time.Millisecond, "what the former administrator's programs read is void")
	said, err = s.operate("user", "delete", "admin", "--yes")
	require.NoError(t, err, said)
	require.Equal(t, "Lena admin", mine())
}

func TestPeople_DisablingCutsAConnectedRunnerAndAnOpenSocketAtOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx := t.Context()
	said, err := s.operate("user", "add", "Lena")
	require.NoError(t, err, said)
	token, err := s.operate("token", "create", "--user", "Lena", "--days", "30", "laptop")
	require.NoError(t, err, token)
	lena := *s
	lena.client = apiclient.New(apiclient.Endpoint{URL: s.url, Token: token})
	t.Cleanup(lena.client.Close)
	l, k := lena.newLaptop(), lena.newTalk()

	at := "ws" + strings.TrimPrefix(s.url, "http") + "/api/sessions/" + string(k.key) + "/ws"
	header := http.Header{"Authorization": {"Bearer " + token}}
	socket, answer, err := websocket.DefaultDialer.DialContext(ctx, at, header)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	t.Cleanup(func() { _ = socket.Close() }) // it is closed by then
	_, hello, err := socket.ReadMessage()
	require.NoError(t, err)
	require.Contains(t, string(hello), "hello")
	closed := make(chan error, 1)
	go func() {
		for {
			if _, _, err := socket.ReadMessage(); err != nil {
				closed <- err
				return
			}
		}
	}()

	refused := func() int { return strings.Count(l.out.String(), "unknown or was revoked") }
	require.Zero(t, refused())
	said, err = s.operate("user", "disable", "Lena")
	require.NoError(t, err, said)
	require.Eventually(t, func() bool { return refused() > 0 }, 10*time.Second, 10*time.Millisecond, "her runner works on")
	select {
	case err := <-closed:
		require.Error(t, err)
	case <-time.After(10 * time.Second): // without the word of the database it would be at the next ping
		require.Fail(t, "her socket is open")
	}
	_, answer, err = websocket.DefaultDialer.DialContext(ctx, at, header)
	require.Error(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusUnauthorized, answer.StatusCode)

	said, err = s.operate("user", "enable", "Lena")
	require.NoError(t, err, said)
	l.kill()
	l.start() // it prints anew
	require.Eventually(t, func() bool { return refused() > 0 }, time.Minute, 10*time.Millisecond, "its token brings it back")
	runners, err := s.operate("runner", "list")
	require.NoError(t, err, runners)
	require.NotContains(t, runners, "laptop")
}

func TestPeople_NoCommandRemovesTheLastAdministrator(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	said, err := s.operate("user", "add", "--role", "admin", "Lena")
	require.NoError(t, err, said)
	said, err = s.operate("user", "disable", "Lena")
	require.NoError(t, err, said)
	for _, command := range [][]string{{"role", "admin", "member"}, {"disable", "admin"}, {"delete", "--yes", "admin"}} {
		said, err := s.operate(append([]string{"user"}, command...)...)
		require.Error(t, err, "one who is disabled does not count")
		require.Contains(t, said, "last administrator", command)
	}
	people, err := s.operate("user", "list")
	require.NoError(t, err)
	require.Regexp(t, `admin +admin +active `, people)

	said, err = s.operate("user", "enable", "Lena")
	require.NoError(t, err, said)
	said, err = s.operate("user", "role", "admin", "member")
	require.NoError(t, err, said)
	said, err = s.operate("user", "role", "Lena", "member")
	require.Error(t, err)
	require.Contains(t, said, "last administrator")
}

func TestPeople_AnInvitationOfTheCommandMakesAnAccount(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	link, err := s.operate("user", "invite", "--note", "the team", "--uses", "2")
	require.NoError(t, err, link)
	at, token, ok := strings.Cut(link, "#token=")
	require.True(t, ok, link)
	require.Equal(t, s.url+"/join", at)
	body, err := json.Marshal(map[string]string{"token": token, "username": "Tom", "password": "correct horse battery"})
	require.NoError(t, err)
	answer, err := http.Post(s.url+"/api/join", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	link, err = s.operate("user", "passwd", "Tom")
	require.NoError(t, err, link)
	require.Contains(t, link, "/login#token=")
	said, err := s.operate("user", "role", "Tom", "admin")
	require.NoError(t, err, said)
	people, err := s.operate("user", "list")
	require.NoError(t, err)
	require.Regexp(t, `Tom +admin +active +0 `, people)
	require.NotContains(t, s.out.String(), token, "no log has it")
}

func TestPeople_ComeByAnOpenIDProvider(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t)
	provider.Info = map[string]any{"sub": "u-1", "groups": []string{"ops"}}
	s := newServer(t, "XBOT_OIDC_ISSUER="+provider.URL, "XBOT_OIDC_CLIENT_ID="+oidctest.ClientID, "XBOT_OIDC_CLIENT_SECRET="+oidctest.ClientSecret,
		"XBOT_OIDC_NAME=Example ID", "XBOT_OIDC_ADMIN_GROUPS=ops")
	state, err := s.client.LoginState(t.Context())
	require.NoError(t, err)
	require.Equal(t, "Example ID", state.SignOn)

	b := s.browser()
	b.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/login" {
			return http.ErrUseLastResponse
		}
		return nil
	}
	answer, err := b.Get(s.url + "/oidc/login")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	_, token, ok := strings.Cut(answer.Header.Get("Location"), "/login#token=")
	require.True(t, ok, answer.Header.Get("Location"))
	body, err := json.Marshal(map[string]string{"token": token})
	require.NoError(t, err)
	answer, err = http.Post(s.url+"/api/login", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusForbidden, answer.StatusCode, "the link is for the browser that has come from the provider")
	answer, err = b.Post(s.url+"/api/login", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	var in apiclient.SignedIn
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&in))
	require.NoError(t, answer.Body.Close())
	require.Equal(t, "lena", in.User.Name)
	require.Equal(t, "admin", in.User.Role)
	require.False(t, in.MustSetPassword, "the provider is how she comes again")
	for _, secret := range []string{token, oidctest.ClientSecret} {
		require.NotContains(t, s.out.String(), secret)
	}
}

func TestPeople_WhoeverIsDeletedIsGoneWithAllTheyHadWhereverTheServerDies(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "LLM_VISION=on", "XBOT_HTTP_ALLOW=127.0.0.1"), oauthtest.New(t)
	s.provides(p)
	ctx := t.Context()
	const name, word = `O'Lena \ 1`, "heliotrope-of-hers"
	link, err := s.operate("user", "add", name)
	require.NoError(t, err, link)
	token, err := s.operate("token", "create", "--user", name, "--days", "30", "laptop")
	require.NoError(t, err, token)
	lena := *s
	lena.client = apiclient.New(apiclient.Endpoint{URL: s.url, Token: token})
	t.Cleanup(lena.client.Close)
	c := s.browser()
	s.signInAs(name, c)
	status, page, _ := s.visit(c, http.MethodGet, s.leaves(c, lena.link("")))
	require.Equal(t, http.StatusOK, status, page)
	require.Equal(t, 1, p.Live())
	link = lena.owned(word)
	mine := s.newTalk()
	mine.untilEnded(time.Minute, mine.send("say of the administrator"))
	var id int64
	require.NoError(t, s.database().QueryRow(ctx, `SELECT id FROM users WHERE name = $1`, name).Scan(&id))

	said, err := s.operate("user", "delete", name)
	require.Error(t, err, "nobody typed the name")
	require.Contains(t, said, "nothing was deleted")
	said, err = s.operate("user", "delete", "--yes", "admin")
	require.Error(t, err)
	require.Contains(t, said, "last administrator")
	hers := "OLD.user_id = " + strconv.FormatInt(id, 10)
	held := s.held("BEFORE UPDATE ON cron_jobs", "NEW.state = 'deleted'")
	said, err = s.operate("user", "delete", "--yes", name)
	require.NoError(t, err, said)
	_, err = lena.client.Me(ctx)
	require.Equal(t, fault.Denied, fault.KindOf(err), "she is out at once")
	waiting := 1
	for _, next := range [][]string{
		{"BEFORE DELETE ON sessions", hers},
		{"BEFORE DELETE ON sessions", hers}, // another one
		{"BEFORE DELETE ON prompts", "true", "BEFORE UPDATE ON inbox_files", "NEW.state = 'removed'"},
		{"BEFORE DELETE ON users", "true"},
		{"BEFORE UPDATE ON deletions", "NEW.ended_at IS NOT NULL"},
		{},
	} {
		held.waitsWithin(3*time.Minute, waiting) // Temporal deletes histories after half a minute
		people, err := s.operate("user", "list")
		require.NoError(t, err)
		require.Regexp(t, `O'Lena .* being deleted `, people)
		s.crash()
		held.release()
		if waiting = len(next) / 2; waiting > 0 {
			held = s.held(next[0], next[1])
		}
		if waiting > 1 {
			held.also(next[2], next[3])
		}
		s.boot()
	}
	require.Eventually(t, func() bool {
		people, err := s.operate("user", "list")
		return err == nil && !strings.Contains(people, "Lena")
	}, time.Minute, 100*time.Millisecond)
	s.nowhere(word)
	require.Zero(t, p.Live(), "the provider was told that her account is disconnected")
	for _, table := range []string{"sessions WHERE key <> '" + string(mine.key) + "'", "pictures", "inbox_files", "shares", "runners WHERE name <> 'local'"} {
		require.Zero(t, one[int](t, s.database(), "SELECT count(*)::int FROM "+table), table)
	}
	status, _ = s.public(link)
	require.Equal(t, http.StatusNotFound, status, "what she shared is read by nobody")
	require.Equal(t, []string{"of the administrator"}, mine.answers(), "others keep what is theirs")
	mine.untilEnded(time.Minute, mine.send("say still here"))
	link, err = s.operate("user", "add", name)
	require.NoError(t, err, "the name is free again: %s", link)
	small(t, "deletion", s.captureRun("deletion", "delete-person/"+strconv.FormatInt(id, 10), ""), 300, 60<<10)
}
