package e2e

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/store"
	"xbot/internal/turn/engine"
)

// consumed has a consumer say something to a service with one of its keys, and waits for the answer.
func (s *server) consumed(key, text string) service.Conversation {
	s.t.Helper()
	ctx, rows := s.t.Context(), store.New(s.database(), store.Options{})
	by, err := rows.Services.CallerOf(ctx, secret.HashToken(key))
	require.NoError(s.t, err)
	c, err := rows.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: by, Source: service.SourceAPI, Title: text})
	require.NoError(s.t, err)
	_, err = rows.Turns.Accept(ctx, engine.NewRow{Session: c.Session, User: c.User, Channel: service.Channel, PlatformID: "m1", Text: text})
	require.NoError(s.t, err)
	require.Eventually(s.t, func() bool {
		n := 0
		err := s.database().QueryRow(ctx, "SELECT count(*) FROM messages WHERE session_key = $1 AND role = 'assistant'", c.Session).Scan(&n)
		return err == nil && n > 0
	}, time.Minute, 50*time.Millisecond, "the service answers")
	return c
}

var (
	aService = regexp.MustCompile(`svc_[0-9a-f]{8}`)
	aKey     = regexp.MustCompile(`sk-svc-[0-9a-f]{48}`)
)

func TestServices_OneIsMadeByTheCommandAndDeletedWithItsConversationsWhereverTheServerDies(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const word = "heliotrope-of-a-consumer"
	require.Contains(t, s.operated("service", "list"), "No agent is published")
	id := aService.FindString(s.operated("service", "create", "Help desk", "--docs", "faq/*.md", "--can", "web", "--question", "Where is it, please?"))
	said, err := s.operate("service", "create", "x", "--model", "nobody/knows-it")
	require.Error(t, err)
	require.Contains(t, said, "near ones are")
	key := aKey.FindString(s.operated("service", "key", "add", id, "shop"))
	require.NotContains(t, s.operated("service", "key", "list", "help desk"), key, "it is shown once")
	c := s.consumed(key, "say "+word)
	require.Equal(t, 1, strings.Count(s.operated("service", "conversations", id, "-q", "heliotrope"), c.ID))
	require.Contains(t, s.operated("service", "conversations", id, "--show", c.ID), word)
	require.Contains(t, s.operated("service", "set", id, "--concurrent", "2"), "2 at once of a key")
	require.Contains(t, s.operated("service", "withdraw", id), "withdrawn")
	require.Contains(t, s.operated("service", "publish", id), "/s/"+id)
	mine := s.newTalk()
	mine.untilEnded(time.Minute, mine.send("say of the administrator"))

	for _, query := range []string{"XbotUser = '" + id + "/" + c.Key + "/" + c.ID + "'", "XbotUser STARTS_WITH '" + id + "/" + c.Key + "/'", "XbotSession STARTS_WITH 'agent:" + id + ":'"} {
		require.Eventually(t, func() bool { return s.found("WorkflowType = 'Turn' AND "+query) == 1 }, time.Minute, 100*time.Millisecond, "operators find its turn: %s", query)
	}
	said, err = s.operate("sessions", "--delete", string(c.Session))
	require.Error(t, err, "its user would stay")
	require.Contains(t, said, "at its service")
	turned := aKey.FindString(s.operated("service", "key", "rotate", id, c.Key))
	require.NotEqual(t, key, turned)
	held := s.held("BEFORE DELETE ON sessions", "OLD.agent = '"+id+"'")
	s.operated("service", "delete", "--yes", id)
	_, err = s.client.GetService(t.Context(), id)
	require.Equal(t, fault.NotFound, fault.KindOf(err), "nobody finds it from then on")
	_, err = store.New(s.database(), store.Options{}).Services.CallerOf(t.Context(), secret.HashToken(turned))
	require.Equal(t, fault.NotFound, fault.KindOf(err), "its keys are useless")
	for _, next := range [][2]string{
		{"BEFORE DELETE ON users", "OLD.kind = 'consumer'"},
		{"BEFORE DELETE ON users", "OLD.kind = 'service'"},
		{},
	} {
		held.waitsWithin(3*time.Minute, 1) // Temporal deletes histories after half a minute
		s.crash()
		held.release()
		if next[0] != "" {
			held = s.held(next[0], next[1])
		}
		s.boot()
	}
	s.nothingOfServices()
	s.nowhere(word)
	require.Equal(t, []string{"of the administrator"}, mine.answers())
}

func TestServices_CommandsPrintWhatTheyChangedForPrograms(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	prints := func(arguments ...string) (one apiclient.ServiceView) {
		t.Helper()
		said := s.operated(append([]string{"service"}, append(arguments, "--json")...)...)
		require.NoError(t, json.Unmarshal([]byte(said), &one), "%s", said)
		return one
	}
	made := prints("create", "Help desk", "--withdrawn")
	require.False(t, made.Published)
	require.True(t, prints("publish", made.ID).Published)
	require.Equal(t, 2, prints("set", "help desk", "--concurrent", "2").Limits.Concurrent)
	require.False(t, prints("withdraw", made.ID).Published)
	require.Equal(t, made.ID, prints("show", made.ID).ID)
	for _, said := range []string{"n\n", "\n", ""} {
		_, err := s.operateWith(said, "service", "delete", made.ID, "--json")
		require.Error(t, err, "nobody wants it")
	}
	require.Equal(t, made.ID, prints("show", made.ID).ID)
	require.Equal(t, made.ID, prints("delete", made.ID, "--yes").ID)
	require.Equal(t, "[]", s.operated("service", "list", "--json"))
}

func TestServices_GoWithTheirAdministrator(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const word = "heliotrope-of-a-consumer"
	s.operated("user", "add", "Lena", "--role", "admin")
	lena := apiclient.New(apiclient.Endpoint{URL: s.url, Token: s.operated("token", "create", "--user", "Lena", "--scope", "administration")})
	t.Cleanup(lena.Close)
	made, err := lena.CreateService(t.Context(), apiclient.NewService{Name: new("Hers")})
	require.NoError(t, err)
	require.Contains(t, s.operated("service", "list"), "Lena", "other administrators see it")
	key, err := lena.CreateServiceKey(t.Context(), made.ID, "shop")
	require.NoError(t, err)
	s.consumed(key.Key, "say "+word)
	s.consumed(key.Key, "say "+word)

	s.operated("user", "disable", "Lena")
	require.Contains(t, s.operated("service", "show", made.ID), "closed")
	s.operated("user", "delete", "--yes", "Lena")
	s.nothingOfServices()
	s.nowhere(word)
	require.NotContains(t, s.operated("user", "list"), "Lena")
}

// nothingOfServices waits until no row and no run of any service is left.
func (s *server) nothingOfServices() {
	s.t.Helper()
	left := map[string]int{}
	require.Eventually(s.t, func() bool {
		sum := 0
		for _, from := range []string{
			"services", "service_keys", "service_conversations", "users WHERE kind IN ('service', 'consumer')", "sessions WHERE agent LIKE 'svc%'",
			"messages WHERE session_key LIKE 'agent:svc%'", "inbox WHERE session_key LIKE 'agent:svc%'", "turns WHERE session_key LIKE 'agent:svc%'", "deletions WHERE ended_at IS NULL",
		} {
			n := 1
			if err := s.database().QueryRow(s.t.Context(), "SELECT count(*)::int FROM "+from).Scan(&n); err != nil { // the server is about to be back
				n = 1
			}
			left[from], sum = n, sum+n
		}
		return sum == 0
	}, 4*time.Minute, 200*time.Millisecond, "%v", left)
}
