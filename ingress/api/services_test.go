package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/account"
	"xbot/ingress/api/services"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/session"
	"xbot/internal/user/users"
)

// service makes a service of the person.
func (p *person) service(about object) services.ServiceView {
	p.t.Helper()
	if about["name"] == nil {
		about["name"] = "Help desk"
	}
	var made services.ServiceView
	p.post("/api/services", about).is(http.StatusCreated, &made)
	return made
}

// serviceKey makes a key of a service, and returns who uses the service with it.
func (p *person) serviceKey(of string) (services.NewServiceKey, servicestore.Caller) {
	p.t.Helper()
	var made services.NewServiceKey
	p.post("/api/services/"+of+"/keys", object{"name": "shop"}).is(http.StatusCreated, &made)
	by, err := p.store.Services.CallerOf(p.t.Context(), secret.HashToken(made.Secret))
	require.NoError(p.t, err)
	return made, by
}

// consumed is a conversation of a consumer, in which a model called a tool.
func (b *bundle) consumed(by servicestore.Caller, title string) service.Conversation {
	b.t.Helper()
	ctx := b.t.Context()
	c, err := b.store.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: by, Source: service.SourceWeb, Title: title})
	require.NoError(b.t, err)
	_, err = b.store.Turns.Accept(ctx, engine.NewRow{Session: c.Session, User: c.User, Channel: service.Channel, PlatformID: "m1", Text: "Where is my parcel?"})
	require.NoError(b.t, err)
	turn := chat.TurnID("t-" + c.ID)
	b.claim(c.Session, turn)
	step := chat.Step{Session: c.Session, Turn: turn}
	_, _, _, err = b.store.Turns.BeginStep(ctx, step)
	require.NoError(b.t, err)
	_, err = b.store.Turns.CommitStep(ctx, step, chat.Answer{Text: "I look.", Finish: "tool_calls", Model: "demo/demo", Calls: []chat.ToolCall{
		{ID: chat.CallID(string(turn) + ".0.0"), Name: "Read", Class: chat.ClassRead, Arguments: `{"file_path":"docs/parcels.md"}`},
	}})
	require.NoError(b.t, err)
	return c
}

func serviceChanges(p *person, kind string) []chat.SettingChange {
	p.t.Helper()
	var log account.ChangesBody
	p.get("/api/changes?installation=true&kind="+kind).is(http.StatusOK, &log)
	return log.Changes
}

func TestServices_AnAdministratorPublishesChangesAndWithdrawsOne(t *testing.T) {
	b := setup(t)
	made := b.alice.service(object{})
	require.Regexp(t, `^svc_[0-9a-f]{8}$`, made.ID)
	require.Equal(t, b.alice.user.ID, made.Admin)
	require.Equal(t, "alice", made.AdminName)
	require.True(t, made.Published)
	require.Equal(t, []string{"*"}, made.AllowedDocs)
	require.Equal(t, 1000, made.MaxConversations)
	require.Equal(t, service.Limits{RequestsPerMinute: 60, Concurrent: 4, PicturesPerDay: 100, SpeechCharactersPerDay: 100_000, VideoSecondsPerDay: 60}, made.Limits)
	require.Equal(t, "/s/"+made.ID, made.Page)

	carol, err := b.store.Users.CreateUser(t.Context(), "carol", users.RoleAdmin)
	require.NoError(t, err)
	other, at := b.person(carol), "/api/services/"+made.ID
	var changed services.ServiceView
	b.do(other, http.MethodPatch, at, object{"published": false, "allowed_docs": []string{"faq/*.md"}, "research_tools": true, "revision": made.Revision}).is(http.StatusOK, &changed)
	require.False(t, changed.Published)
	require.Equal(t, []string{"faq/*.md"}, changed.AllowedDocs)
	require.Equal(t, []service.Capability{service.Web}, changed.Capabilities)
	require.Equal(t, "Help desk", changed.Name, "what is left out stays")
	require.Equal(t, "alice", changed.AdminName, "it stays whose it was")
	b.do(other, http.MethodPatch, at, object{"name": "Mine", "revision": made.Revision}).problem(http.StatusConflict)
	b.do(other, http.MethodPatch, at, object{"limits": object{"tokens_per_day": 9}}).is(http.StatusOK, nil)
	b.do(other, http.MethodPatch, at, object{"limits": object{"requests_per_minute": 5}}).is(http.StatusOK, &changed)
	require.Equal(t, service.Limits{RequestsPerMinute: 5, Concurrent: 4, TokensPerDay: 9, PicturesPerDay: 100, SpeechCharactersPerDay: 100_000, VideoSecondsPerDay: 60}, changed.Limits, "limits that are left out stay")
	require.Contains(t, b.do(b.alice, http.MethodPatch, at, object{"origins": []string{"https://shop.example/x"}}).problem(http.StatusBadRequest), "https://shop.example")
	require.Contains(t, b.alice.post("/api/services", object{}).problem(http.StatusBadRequest), "name the service")

	var list services.ServicesBody
	other.get("/api/services").is(http.StatusOK, &list)
	require.Len(t, list.Services, 1)
	require.Equal(t, changed.Definition, list.Services[0].Definition)

	log := serviceChanges(b.alice, "service")
	require.Len(t, log, 4)
	require.Equal(t, []string{"carol", "carol", "carol", "alice"}, []string{log[0].ChangedBy, log[1].ChangedBy, log[2].ChangedBy, log[3].ChangedBy})
	require.Equal(t, made.ID, log[0].Name)
	require.Contains(t, string(log[2].After), `"published"`)
	require.Contains(t, b.bob.get("/api/services").problem(http.StatusForbidden), "administrators")
}

func TestServices_WhatOneNamesHasToBeItsAdministrators(t *testing.T) {
	b := setup(t)
	said := b.alice.post("/api/services", object{"name": "x", "model": "demo/dem0"}).problem(http.StatusBadRequest)
	require.Contains(t, said, "demo/demo", "a near one is named")
	require.Contains(t, b.alice.post("/api/services", object{"name": "x", "system_prompt_version_id": 1}).problem(http.StatusBadRequest), "version 1")
	require.Contains(t, b.alice.post("/api/services", object{"name": "x", "user_profile_version_id": 7}).problem(http.StatusBadRequest), "version 7")

	require.NoError(t, b.store.Prompts.SetPrompt(t.Context(), b.alice.user.ID, chat.PromptSystem, chat.PromptDraft{Content: "You sell tulips."}, b.alice.user.ID))
	b.do(b.alice, http.MethodPut, "/api/profile", object{"content": "A shop.", "timezone": "", "revision": 0}).is(http.StatusOK, nil)
	made := b.alice.service(object{"model": "demo:demo", "system_prompt_version_id": 1, "user_profile_version_id": 1})
	require.Equal(t, "demo/demo", made.Model)

	carol, err := b.store.Users.CreateUser(t.Context(), "carol", users.RoleAdmin)
	require.NoError(t, err)
	other := b.person(carol)
	b.do(other, http.MethodPatch, "/api/services/"+made.ID, object{"system_prompt_version_id": 1}).is(http.StatusOK, nil)
	other.post("/api/services", object{"name": "hers", "system_prompt_version_id": 1}).problem(http.StatusBadRequest)
}

func TestServices_AKeyIsShownOnceRotatedAndRevokedAtOnce(t *testing.T) {
	b := setup(t)
	at := "/api/services/" + b.alice.service(object{}).ID
	made, by := b.alice.serviceKey(strings.TrimPrefix(at, "/api/services/"))
	require.True(t, strings.HasPrefix(made.Secret, service.KeyPrefix))
	require.Equal(t, made.Secret[:12], made.Prefix)
	listed := b.alice.get(at + "/keys")
	var list services.ServiceKeysBody
	listed.is(http.StatusOK, &list)
	require.Len(t, list.Keys, 1)
	require.NotNil(t, list.Keys[0].LastUsedAt)
	require.NotContains(t, string(listed.body), made.Secret)
	good := func(key string) bool {
		_, err := b.store.Services.CallerOf(t.Context(), secret.HashToken(key))
		return !fault.Is(err, fault.NotFound)
	}

	var turned services.NewServiceKey
	b.alice.post(at+"/keys/"+made.ID+"/rotate", nil).is(http.StatusOK, &turned)
	require.Equal(t, made.ID, turned.ID)
	require.False(t, good(made.Secret))
	require.True(t, good(turned.Secret))
	b.alice.delete(at+"/keys/"+by.Key).is(http.StatusNoContent, nil)
	require.False(t, good(turned.Secret))
	b.alice.delete(at + "/keys/" + by.Key).problem(http.StatusNotFound)
	b.alice.post(at+"/keys/"+by.Key+"/rotate", nil).problem(http.StatusNotFound)

	log := serviceChanges(b.alice, "service_key")
	require.Len(t, log, 3)
	for _, c := range log {
		require.Equal(t, "alice", c.ChangedBy)
	}
	all, err := json.Marshal(log)
	require.NoError(t, err)
	require.NotContains(t, string(all), made.Secret)
	require.NotContains(t, b.log.String(), made.Secret)
}

func TestServices_ConversationsAreReadFoundAndDeletedByAdministrators(t *testing.T) {
	b := setup(t)
	made := b.alice.service(object{})
	_, by := b.alice.serviceKey(made.ID)
	at := "/api/services/" + made.ID + "/conversations"
	parcel, other := b.consumed(by, "A parcel"), b.consumed(by, "Tulips")

	var list services.ConsumerConversations
	b.alice.get(at).is(http.StatusOK, &list)
	require.Len(t, list.Conversations, 2)
	require.False(t, list.More)
	b.alice.get(at+"?q=PARCEL").is(http.StatusOK, &list)
	require.Equal(t, []string{parcel.ID}, []string{list.Conversations[0].ID})
	var page services.ConsumerConversations
	b.alice.get(at+"?limit=1").is(http.StatusOK, &page)
	require.True(t, page.More)
	first := page.Conversations[0]
	b.alice.get(at+"?limit=1&before="+url.QueryEscape(first.UpdatedAt.Format("2006-01-02T15:04:05.999999999Z07:00"))).is(http.StatusOK, &page)
	require.Len(t, page.Conversations, 1)
	require.NotEqual(t, first.ID, page.Conversations[0].ID)

	var said services.ConsumerTranscript
	b.alice.get(at+"/"+parcel.ID).is(http.StatusOK, &said)
	require.Equal(t, parcel.Session, said.Conversation.Session)
	require.Equal(t, by.Key, said.Conversation.Key)
	require.True(t, said.Conversation.Running)
	require.Len(t, said.Messages, 2)
	require.Equal(t, "Where is my parcel?", said.Messages[0].Content)
	require.Equal(t, "Read", said.Messages[1].ToolCalls[0].Name, "with the calls of tools")
	b.alice.get("/api/services/" + b.alice.service(object{}).ID + "/conversations/" + parcel.ID).problem(http.StatusNotFound)

	b.alice.delete(at+"/"+parcel.ID).is(http.StatusAccepted, nil)
	b.alice.get(at + "/" + parcel.ID).problem(http.StatusNotFound)
	b.alice.get(at).is(http.StatusOK, &list)
	require.Equal(t, other.ID, list.Conversations[0].ID)
	b.alice.delete("/api/services/"+made.ID).is(http.StatusAccepted, nil)
	b.alice.get("/api/services/" + made.ID).problem(http.StatusNotFound)
	b.alice.get(at + "/" + other.ID).problem(http.StatusNotFound)
}

func TestServices_NobodyOfTheHouseBeginsAConversationWithOne(t *testing.T) {
	b := setup(t)
	made := b.alice.service(object{})
	theirs := session.Thread(made.ID, "web", "x")
	transcript := `{"type":"session","version":3}` + "\n"
	for what, try := range map[string]func() answer{
		"a session of the agent": func() answer { return b.alice.post("/api/sessions", object{"agent": made.ID}) },
		"a session by its key":   func() answer { return b.alice.post("/api/sessions", object{"key": theirs}) },
		"its main conversation": func() answer {
			return b.alice.post("/api/sessions", object{"key": session.Key{Agent: made.ID, Channel: "web", Kind: session.KindThread, ID: "a:b"}.String()})
		},
		"one that there is not": func() answer { return b.alice.post("/api/sessions", object{"agent": "svc_00000000"}) },
		"an import": func() answer {
			return b.do(b.alice, http.MethodPost, "/api/sessions/import?key="+url.QueryEscape(string(theirs)), transcript)
		},
		"of somebody who is a member": func() answer { return b.bob.post("/api/sessions", object{"agent": made.ID}) },
	} {
		got := try()
		require.Contains(t, got.problem(http.StatusForbidden), "this agent is a service", what)
	}
	for what, n := range map[string]conversation.NewSession{
		"a message of a platform":  {Key: session.Key{Agent: made.ID, Channel: "qq", Kind: session.KindDM, ID: "7"}.String(), Agent: made.ID, Arriving: true},
		"by its agent alone":       {Key: session.Thread("main", "web", "y"), Agent: made.ID},
		"by its key alone":         {Key: theirs},
		"on the services' channel": {Key: service.SessionKey(made.ID, "0123456789")},
	} {
		n.Owner, n.Channel = b.alice.user.ID, "web"
		_, err := b.store.Conversations.CreateSession(t.Context(), n)
		require.Equal(t, fault.Denied, fault.KindOf(err), what)
	}
	for _, text := range []string{
		`{"bindings": [{"agentId": "` + made.ID + `", "match": {"channel": "qq"}}]}`, // no chat of a platform is bound to one
		`{"agents": {"list": [{"id": "` + made.ID + `"}]}}`,
	} {
		got := b.alice.post("/api/policy/check", object{"text": text})
		require.Contains(t, string(got.body), "[0]", text)
	}
	require.NotContains(t, string(b.alice.get("/api/agents").body), made.ID, "people do not choose among them")
	_, by := b.alice.serviceKey(made.ID)
	of := b.consumed(by, "A parcel").Session
	for what, got := range map[string]answer{
		"a schedule that makes it":      b.alice.post("/api/cron", object{"when": "@daily", "message": "x", "target": theirs}),
		"a schedule that answers there": b.alice.post("/api/cron", object{"when": "@daily", "message": "x", "deliver": of}),
		"a trigger that tells it":       b.alice.post("/api/triggers", object{"name": "x", "session": of}),
		"a trigger that makes it":       b.alice.post("/api/triggers", object{"name": "x", "session": theirs}),
		"a copy of it":                  b.alice.post(path(of, "/fork"), object{}),
		"a message of another program":  b.alice.say(of, "m2", "hello"),
		"a schedule of a member":        b.bob.post("/api/cron", object{"when": "@daily", "message": "x", "target": of}),
	} {
		require.Contains(t, []int{http.StatusNotFound, http.StatusBadRequest, http.StatusForbidden}, got.status, "%s: %s", what, got.body)
	}
	for _, key := range []chat.SessionKey{of, theirs} {
		said, failed := b.alice.uses("send_message", object{"session": key, "text": "x", "wait": 0})
		require.True(t, failed, said)
	}
	_, err := b.store.Conversations.Fork(t.Context(), conversation.NewFork{Key: session.Thread("main", "web", "copy"), Channel: "web", From: of})
	require.Equal(t, fault.Denied, fault.KindOf(err), "whoever asks for it")
	var list struct{ Sessions []chat.Session }
	b.alice.get("/api/sessions").is(http.StatusOK, &list)
	require.Empty(t, list.Sessions)
}

func TestServices_AConsumersConversationIsReadByAdministratorsAndWrittenToByNobody(t *testing.T) {
	b := setup(t)
	made := b.alice.service(object{})
	_, by := b.alice.serviceKey(made.ID)
	c := b.consumed(by, "A parcel")
	before := b.rows()
	tried := 0
	for _, e := range endpoints(t) {
		if !strings.Contains(e[1], "{key}") || slices.Contains(public, e[1]) {
			continue
		}
		at, with := inSession(e, c.Session)
		for _, p := range []*person{b.alice, b.bob} {
			if p == b.alice && strings.HasSuffix(e[1], "/events") {
				continue // she follows it without an end
			}
			got := b.do(p, e[0], at, with)
			switch {
			case p == b.alice && (e[0] == http.MethodGet || strings.HasSuffix(e[1], "/approvals")): // she reads it, and decides calls that hooks defer to administrators: there is none
				require.Less(t, got.status, http.StatusInternalServerError, e)
			case e[0] == http.MethodDelete && e[1] == "/api/sessions/{key}" && p == b.alice:
				require.Contains(t, got.problem(http.StatusForbidden), "/api/services/"+made.ID)
			default:
				require.Contains(t, got.problem(http.StatusNotFound), "there is no ", "%s as %s", e, p.user.Name)
			}
			tried++
		}
	}
	require.Greater(t, tried, 80)
	require.Equal(t, before, b.rows(), "nothing happened to it")
	var said struct{ Messages []chat.Message }
	b.alice.get(path(c.Session, "/messages")).is(http.StatusOK, &said)
	require.Len(t, said.Messages, 2)
	b.alice.session("agent:main:web:thread:hers")
	for _, line := range []string{"/session use " + string(c.Session), "/fork " + string(c.Session)} {
		b.alice.say("agent:main:web:thread:hers", line[:5], line)
	}
	var list struct{ Sessions []chat.Session }
	b.alice.get("/api/sessions").is(http.StatusOK, &list)
	for _, s := range list.Sessions {
		require.NotContains(t, string(s.Key), made.ID)
		require.NotEqual(t, made.ID, s.Agent)
	}
}
