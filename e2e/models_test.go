package e2e

import (
	"encoding/hex"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
)

// Keys of the providers of these tests.
const (
	sharedKey = "sk-of-the-installation-7311"
	ownKey    = "sk-of-a-person-and-nobody-else-4242"
	mistyped  = "sk-mistyped-and-worth-nothing-0815"
)

// keyed makes a scripted provider that takes one key alone.
func keyed(t *testing.T, key string) *llmtest.Server {
	script := llmtest.New(t)
	script.Handle(func(r llmtest.Request) llmtest.Reply {
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			return llmtest.Reply{Status: http.StatusUnauthorized, Error: "Incorrect API key provided: " + strings.TrimPrefix(got, "Bearer ")}
		}
		return llmtest.Run(r)
	})
	return script
}

// subscribe adds the installation's subscription at a provider.
func (s *server) subscribe(name string, at *llmtest.Server, key string) chat.Subscription {
	s.t.Helper()
	made, err := s.client.CreateSubscription(s.t.Context(), apiclient.SubscriptionDraft{
		Shared: true, Name: name, Provider: chat.ProviderOpenAI, BaseURL: at.BaseURL(), Key: key, Models: []chat.SubscribedModel{{ID: "scripted"}},
	})
	require.NoError(s.t, err)
	return made
}

func TestModels_WhatPeopleEnterAnswersTheNextMessageThoughTheServerDiesAndItsKeyIsNowhere(t *testing.T) {
	t.Parallel()
	ours, mine := keyed(t, sharedKey), keyed(t, ownKey)
	s := newServer(t, "LLM_BASE_URL=", "LLM_MODEL=", "LLM_API_KEY=", "XBOT_HTTP_ALLOW=127.0.0.1")
	k := s.newTalk()
	says := func(line string) chat.Turn { return k.untilEnded(time.Minute, k.send(line)) }
	require.Equal(t, chat.TurnDone, says("hello").State, "the demo answers")
	require.Zero(t, ours.Count())

	s.subscribe("acme", ours, sharedKey)
	s.crash()
	s.boot()
	require.Equal(t, chat.TurnDone, says("say with ours").State)
	require.Equal(t, "scripted", ours.Requests()[0].Model)

	k.send("/set-llm mine base_url=" + mine.BaseURL() + " api_key=" + ownKey + " models=large,small")
	k.untilNotice(time.Minute, "Saved")
	k.send("/llm mine/small")
	k.untilNotice(time.Minute, "`mine/small` answers you")
	require.Equal(t, chat.TurnDone, says("say with mine").State)
	require.Equal(t, "small", mine.Requests()[0].Model)

	k.send("/set-llm mine api_key=" + mistyped)
	k.untilNotice(time.Minute, mistyped[len(mistyped)-4:])
	require.Equal(t, chat.TurnFailed, says("say in vain").State)
	require.Contains(t, k.dump(), "does not accept the API key")

	said, err := s.operate("key", "rotate")
	require.NoError(t, err, said)
	k.send("/llm default")
	k.untilNotice(time.Minute, "`acme/scripted` answers you")
	require.Equal(t, []string{"with ours", "with mine"}, k.answers()[1:])
	k.wellFormed()
	k = s.newTalk() // what got no answer would be asked again here
	require.Equal(t, chat.TurnDone, says("say ours again").State)
	require.Equal(t, []string{"ours again"}, k.answers())
	k.wellFormed()
	for _, key := range []string{sharedKey, ownKey, mistyped} {
		s.nowhere(key)
	}
}

// signing answers as Gemini does: it signs a call, and refuses the result of one that comes back without its signature.
func signing(r llmtest.Request) llmtest.Reply {
	switch body := string(r.Raw); {
	case len(r.Tools) == 0:
		return llmtest.Reply{Text: "title"}
	case !strings.Contains(body, `"role":"tool"`):
		return llmtest.Reply{Body: `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"Shell",` +
			`"arguments":"{\"command\":\"echo gem\",\"reason\":\"t\"}"},"extra_content":{"google":{"thought_signature":"SIG-OF-THE-CALL"}}}]}}]}` +
			"\n\ndata: [DONE]\n\n"}
	case !strings.Contains(body, "SIG-OF-THE-CALL"):
		return llmtest.Reply{Status: http.StatusBadRequest, Error: "a signature is wanted"}
	}
	return llmtest.Reply{Text: "signed"}
}

func TestModels_StateOfAProviderGoesBackWithItsCallAndToNoOtherModel(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.model.Handle(signing)
	k := s.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("do it")).State)
	require.Equal(t, []string{"signed"}, k.answers())
	k.wellFormed()

	other := keyed(t, sharedKey)
	s.subscribe("acme", other, sharedKey)
	k.send("/model acme/scripted")
	k.untilNotice(time.Minute, "acme/scripted")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say hello")).State)
	require.NotZero(t, other.Count())
	for _, r := range other.Requests() {
		require.NotContains(t, string(r.Raw), "SIG-OF-THE-CALL")
	}
}

func TestModels_AStepKeepsTheModelThatItBeganWithAndTheNextMessageHasTheNewOneInEveryProcess(t *testing.T) {
	t.Parallel()
	before, after := keyed(t, sharedKey), keyed(t, ownKey)
	p := newParts(t, "LLM_BASE_URL=", "LLM_MODEL=", "LLM_API_KEY=", "XBOT_HTTP_ALLOW=127.0.0.1")
	made := p.subscribe("acme", before, sharedKey)
	running := p.send("stream 300 50ms")
	p.untilDelta(time.Minute)
	_, err := p.client.SetSubscription(t.Context(), made.ID, apiclient.SubscriptionDraft{
		Shared: true, Name: "acme", Provider: chat.ProviderOpenAI, BaseURL: after.BaseURL(), Key: ownKey, Models: []chat.SubscribedModel{{ID: "renewed"}}, Revision: made.Revision,
	})
	require.NoError(t, err)

	beside := p.newTalk()
	require.Equal(t, chat.TurnDone, beside.untilEnded(time.Minute, beside.send("say the new one")).State)
	require.Equal(t, "acme/renewed", beside.lastModel())
	require.Equal(t, []int{1, 1}, []int{before.Count(), after.Count()})
	require.Empty(t, p.answers(), "the step goes on meanwhile")

	require.Equal(t, chat.TurnDone, p.untilEnded(time.Minute, running).State)
	require.Equal(t, "acme/scripted", p.lastModel())
	require.Equal(t, []int{1, 1}, []int{before.Count(), after.Count()}, "it was asked once, of the old one")
	require.Equal(t, chat.TurnDone, p.untilEnded(time.Minute, p.send("say next")).State)
	require.Equal(t, "acme/renewed", p.lastModel())
	require.Equal(t, []int{1, 2}, []int{before.Count(), after.Count()})
	p.wellFormed()
}

// nowhere looks for a secret in everything that the server has written: both databases, and its logs.
func (s *server) nowhere(secret string) {
	s.t.Helper()
	hexed := hex.EncodeToString([]byte(secret)) // as bytes are shown
	clean := func(text, where string) {
		require.NotContains(s.t, text, secret, where)
		require.NotContains(s.t, strings.ToLower(text), hexed, where)
	}
	clean(s.everything(), "Temporal")
	db, ctx := s.database(), s.t.Context()
	rows, err := db.Query(ctx, "SELECT table_schema || '.' || quote_ident(table_name) FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'")
	require.NoError(s.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(s.t, err)
	require.Greater(s.t, len(tables), 30)
	for _, table := range tables {
		rows, err := db.Query(ctx, "SELECT t::text FROM "+table+" t")
		require.NoError(s.t, err)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(s.t, err)
		clean(strings.Join(all, "\n"), table)
	}
	require.NoError(s.t, filepath.WalkDir(filepath.Join(s.home, "logs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		clean(string(data), path)
		return err
	}))
	clean(s.out.String(), "the terminal")
}
