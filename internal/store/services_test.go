package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
)

// service makes a service of the administrator, with a key; change is what it differs in from the defaults.
func (b *bundle) service(change service.Patch) (service.Service, string) {
	b.t.Helper()
	if change.Name == nil {
		change.Name = new("Help desk")
	}
	d, err := service.Defaults().Apply(change)
	require.NoError(b.t, err)
	made, err := b.Services.AddService(b.t.Context(), b.user.ID, d, true)
	require.NoError(b.t, err)
	return made, b.key(made)
}

func (b *bundle) key(of service.Service) string {
	b.t.Helper()
	_, key, err := b.Services.AddServiceKey(b.t.Context(), of.ID, "shop")
	require.NoError(b.t, err)
	return key
}

func (b *bundle) caller(key string) servicestore.Caller {
	b.t.Helper()
	by, err := b.Services.CallerOf(b.t.Context(), secret.HashToken(key))
	require.NoError(b.t, err)
	return by
}

func (b *bundle) beginWith(by servicestore.Caller) service.Conversation {
	b.t.Helper()
	c, err := b.Services.BeginConversation(b.t.Context(), servicestore.NewConversation{Caller: by, Source: service.SourceAPI})
	require.NoError(b.t, err)
	return c
}

func TestServices_AKeyIsKnownByItsHashUntilItIsRevokedOrRotated(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	made, key := b.service(service.Patch{})
	require.True(t, strings.HasPrefix(key, "sk-svc-"))
	require.Len(t, key, len("sk-svc-")+48)
	by := b.caller(key)
	require.Equal(t, made.ID, by.Service.ID)
	require.Equal(t, b.user.ID, by.Service.Admin)
	list, err := b.Services.ServiceKeys(ctx, made.ID)
	require.NoError(t, err)
	require.Equal(t, key[:12], list[0].Prefix)
	require.NotNil(t, list[0].LastUsedAt)
	used := *list[0].LastUsedAt
	b.caller(key)
	list, err = b.Services.ServiceKeys(ctx, made.ID)
	require.NoError(t, err)
	require.Equal(t, used, *list[0].LastUsedAt, "it is not written at every use")

	c := b.beginWith(by)
	turned, other, err := b.Services.RotateServiceKey(ctx, made.ID, by.Key)
	require.NoError(t, err)
	require.Equal(t, by.Key, turned.ID)
	_, err = b.Services.CallerOf(ctx, secret.HashToken(key))
	require.Equal(t, fault.NotFound, b.kind(err), "the secret of before")
	_, err = b.Services.ConsumerConversation(ctx, b.caller(other), c.ID)
	require.NoError(t, err, "its conversations stay its own")

	require.Equal(t, fault.NotFound, b.kind(b.Services.RevokeServiceKey(ctx, "svc_00000000", by.Key)), "of another service")
	require.NoError(t, b.Services.RevokeServiceKey(ctx, made.ID, by.Key))
	_, err = b.Services.CallerOf(ctx, secret.HashToken(other))
	require.Equal(t, fault.NotFound, b.kind(err))
	_, _, err = b.Services.RotateServiceKey(ctx, made.ID, by.Key)
	require.Equal(t, fault.NotFound, b.kind(err))
}

func TestServices_AConversationIsFoundWithItsOwnKeyAlone(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	made, key := b.service(service.Patch{})
	_, elsewhere := b.service(service.Patch{})
	c := b.beginWith(b.caller(key))
	require.Regexp(t, `^[0-9a-f]{10}$`, c.ID)
	require.Equal(t, service.SessionKey(made.ID, c.ID), c.Session)
	of, id, ok := service.Of(c.Session)
	require.True(t, ok)
	require.Equal(t, []string{made.ID, c.ID}, []string{of, id})
	for name, other := range map[string]string{"another key of the service": b.key(made), "another service": elsewhere} {
		_, err := b.Services.ConsumerConversation(ctx, b.caller(other), c.ID)
		require.Equal(t, fault.NotFound, b.kind(err), name)
	}
	owner, err := b.Users.SessionOwner(ctx, c.Session)
	require.NoError(t, err)
	require.Equal(t, made.ID+"/"+c.Key+"/"+c.ID, owner.Name)
	second := b.beginWith(b.caller(key))
	require.NotEqual(t, c.User, second.User, "each conversation is somebody of its own")
	sees, err := b.Conversations.Sessions(ctx, b.user.ID, "", 10)
	require.NoError(t, err)
	require.Len(t, sees, 1, "they are not the administrator's")
}

func TestServices_AsManyConversationsAsItMayHave(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	_, key := b.service(service.Patch{MaxConversations: new(3)})
	by := b.caller(key)
	var all sync.WaitGroup
	made := make(chan error, 10)
	for range 10 {
		all.Go(func() {
			_, err := b.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: by, Source: service.SourceAPI})
			made <- err
		})
	}
	all.Wait()
	close(made)
	begun := 0
	for err := range made {
		if err == nil {
			begun++
			continue
		}
		require.Equal(t, fault.Conflict, b.kind(err))
	}
	require.Equal(t, 3, begun)
	list, err := b.Services.ServiceConversations(ctx, by.Service.ID, servicestore.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.NoError(t, b.Services.DeleteConsumerConversation(ctx, list[0]))
	_, err = b.Services.ConsumerConversation(ctx, by, list[0].ID)
	require.Equal(t, fault.NotFound, b.kind(err), "it is gone at once")
	b.beginWith(by)
}

func TestServices_AProgramsUserHasOneConversation(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	made, key := b.service(service.Patch{})
	begin := func(key, user string) string {
		c, err := b.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: b.caller(key), Source: service.SourceAPI, External: user})
		require.NoError(t, err)
		return c.ID
	}
	first := begin(key, "u1")
	require.Equal(t, first, begin(key, "u1"))
	require.NotEqual(t, first, begin(key, "u2"))
	require.NotEqual(t, first, begin(b.key(made), "u1"), "of another key")
	c, err := b.Services.ConsumerConversation(ctx, b.caller(key), first)
	require.NoError(t, err)
	require.NoError(t, b.Services.DeleteConsumerConversation(ctx, c))
	require.NotEqual(t, first, begin(key, "u1"), "a deleted one is not continued")
}

func TestServices_AChangeLeavesWhatItDoesNotNameAndIsOfOneRevision(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	made, _ := b.service(service.Patch{Description: new("Answers questions"), Capabilities: &[]service.Capability{service.Image}})
	changed, err := b.Services.ChangeService(ctx, made.ID, made.Revision, service.Patch{Model: new("openai:gpt-x"), ResearchTools: new(true), Published: new(false)})
	require.NoError(t, err)
	require.Equal(t, "Answers questions", changed.Description)
	require.Equal(t, "openai/gpt-x", changed.Model)
	require.Equal(t, []service.Capability{service.Image, service.Web}, changed.Capabilities)
	require.False(t, changed.Open())
	now, err := b.Services.Service(ctx, made.ID)
	require.NoError(t, err)
	require.Equal(t, changed.Definition, now.Definition)
	require.False(t, now.Published)
	_, err = b.Services.ChangeService(ctx, made.ID, made.Revision, service.Patch{Name: new("x")})
	require.Equal(t, fault.Conflict, b.kind(err))
	_, err = b.Services.ChangeService(ctx, made.ID, 0, service.Patch{Name: new("")})
	require.Equal(t, fault.Invalid, b.kind(err))
}

func TestServices_EachChangeIsReadByAllProcesses(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	version, none, err := b.Services.ServicesAfter(ctx, 0)
	require.NoError(t, err)
	require.Empty(t, none)
	changed := func(what string) []string {
		now, agents, err := b.Services.ServicesAfter(ctx, version)
		require.NoError(t, err)
		require.Greater(t, now, version, what)
		version = now
		_, again, err := b.Services.ServicesAfter(ctx, now)
		require.NoError(t, err)
		require.Nil(t, again, "nothing has changed since")
		out := []string{}
		for _, a := range agents {
			out = append(out, a.ID)
		}
		return out
	}
	made, _ := b.service(service.Patch{})
	require.Equal(t, []string{made.ID}, changed("a new one"))
	_, err = b.Services.ChangeService(ctx, made.ID, 0, service.Patch{Name: new("x")})
	require.NoError(t, err)
	changed("a change")
	require.NoError(t, b.Services.DeleteService(ctx, made.ID, b.user.ID))
	require.Empty(t, changed("its deletion"))
}

func TestServices_WithTheAdministratorShutOutNobodyUsesThem(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	bob, err := b.Users.CreateUser(ctx, "bob", "admin")
	require.NoError(t, err)
	d, err := service.Defaults().Apply(service.Patch{Name: new("his")})
	require.NoError(t, err)
	made, err := b.Services.AddService(ctx, bob.ID, d, true)
	require.NoError(t, err)
	key := b.key(made)
	require.True(t, b.caller(key).Service.Open())
	require.NoError(t, b.Users.Disable(ctx, bob.ID, &b.user.ID))
	require.False(t, b.caller(key).Service.Open())
}

func TestServices_TheModelsAndKeysAreTheAdministrators(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	require.NoError(t, b.ToolKeys.SetToolKey(ctx, toolKey(b.user.ID, 0), b.user.ID))
	_, key := b.service(service.Patch{})
	c := b.beginWith(b.caller(key))
	list, err := b.ToolKeys.ToolKeys(ctx, c.User)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, b.user.ID, list[0].User)
	w, err := b.Settings.ModelWanted(ctx, c.Session)
	require.NoError(t, err)
	require.Equal(t, b.user.ID, w.User)
	require.False(t, w.Admin, "their rights are not")
	require.Equal(t, b.caller(key).Service.ID, w.Agent)
}

func TestServices_ConsumersShareTheTurnsOfTheirService(t *testing.T) {
	b := setup(t)
	made, key := b.service(service.Patch{})
	var tenants []chat.UserID
	for range 2 {
		c := b.beginWith(b.caller(key))
		var tenant chat.UserID
		require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT user_id FROM session_tenants WHERE session_key = $1", c.Session).Scan(&tenant))
		tenants = append(tenants, tenant)
	}
	require.Equal(t, []chat.UserID{made.User, made.User}, tenants)
}

func TestServices_GoWithTheirConversationsAndTheseWithTheirUsers(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	bob, err := b.Users.CreateUser(ctx, "bob", "admin")
	require.NoError(t, err)
	d, err := service.Defaults().Apply(service.Patch{Name: new("his")})
	require.NoError(t, err)
	made, err := b.Services.AddService(ctx, bob.ID, d, true)
	require.NoError(t, err)
	key := b.key(made)
	one, two := b.beginWith(b.caller(key)), b.beginWith(b.caller(key))
	require.NoError(t, b.Users.Delete(ctx, bob.ID, &b.user.ID))

	left, err := b.Services.DeletionBelow(ctx, bob.ID, 10)
	require.NoError(t, err)
	require.Equal(t, 1, left, "his service")
	_, err = b.Services.CallerOf(ctx, secret.HashToken(key))
	require.Equal(t, fault.NotFound, b.kind(err))
	left, err = b.Services.DeletionBelow(ctx, made.User, 1)
	require.NoError(t, err)
	require.Equal(t, 2, left, "its conversations")
	left, err = b.Services.DeletionBelow(ctx, made.User, 1)
	require.NoError(t, err)
	require.Equal(t, 2, left, "some at a time, and each has a workflow of its own")
	due, err := b.DeletionsToStart(ctx)
	require.NoError(t, err)
	require.ElementsMatch(t, []chat.UserID{bob.ID, made.User, one.User, two.User}, due)

	require.Error(t, b.Users.EndDeletion(ctx, made.User), "not before its conversations")
	for _, c := range []service.Conversation{one, two} {
		require.NoError(t, b.Agents.DeleteSession(ctx, c.Session))
		require.NoError(t, b.Users.EndDeletion(ctx, c.User))
		require.Empty(t, b.left(c.User))
	}
	for _, id := range []chat.UserID{made.User, bob.ID} {
		require.NoError(t, b.Users.EndDeletion(ctx, id))
		require.Empty(t, b.left(id))
	}
	var names int
	require.NoError(t, b.pool.QueryRow(ctx, "SELECT count(*) FROM users WHERE name LIKE 'svc_%'").Scan(&names))
	require.Zero(t, names)
}

func TestServices_AreListedByWhenTheirConversationsWereUsed(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	made, key := b.service(service.Patch{})
	first, second := b.beginWith(b.caller(key)), b.beginWith(b.caller(key))
	_, err := b.pool.Exec(ctx, "UPDATE sessions SET last_interaction_at = now() + interval '1 hour' WHERE key = $1", first.Session)
	require.NoError(t, err)
	list, err := b.Services.ServiceConversations(ctx, made.ID, servicestore.Page{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, first.ID, list[0].ID)
	list, err = b.Services.ServiceConversations(ctx, made.ID, servicestore.Page{Limit: 10, Before: list[0].UpdatedAt.Add(-time.Millisecond)})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, second.ID, list[0].ID)
}

func TestServiceRoom_IsThatOfAConsumerAndOfNobodyElse(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	made, key := b.service(service.Patch{AllowedDocs: &[]string{"faq/**"}, AllowedScripts: &[]string{}})
	c := b.beginWith(b.caller(key))
	_, ok, err := b.Services.ServiceStorage(ctx, b.user.ID)
	require.NoError(t, err)
	require.False(t, ok, "a person has runners")
	_, ok, err = b.Services.ServiceStorage(ctx, made.User)
	require.True(t, ok)
	require.Equal(t, fault.Denied, fault.KindOf(err), "the service itself speaks with nobody")

	room, ok, err := b.Services.ServiceStorage(ctx, c.User)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, service.FileSystem{
		Service: made.ID, Conversation: c.ID, Session: c.Session, Admin: b.user.ID, Docs: []string{"faq/**"}, Scripts: []string{},
	}, room)
	choice, err := b.Runners.RunnerChoice(ctx, c.User, "")
	require.NoError(t, err)
	require.True(t, choice.Outside)

	for _, step := range []struct{ runner, leave, want string }{{"laptop", "", "laptop"}, {"desk", "", "laptop"}, {"desk", "laptop", "desk"}, {"other", "laptop", "desk"}} {
		kept, err := b.Services.KeepServiceStorage(ctx, c.User, step.runner, step.leave)
		require.NoError(t, err)
		require.Equal(t, step.want, kept, "%+v", step)
	}
	_, err = b.Services.KeepServiceStorage(ctx, b.user.ID, "laptop", "")
	require.Equal(t, fault.Denied, fault.KindOf(err))

	require.NoError(t, b.Services.DeleteConsumerConversation(ctx, c))
	_, ok, err = b.Services.ServiceStorage(ctx, c.User)
	require.True(t, ok)
	require.Equal(t, fault.Denied, fault.KindOf(err), "it is being deleted")
	left, err := b.Services.ServiceStorageLeft(ctx, c.User)
	require.NoError(t, err)
	require.Equal(t, service.FileSystem{Service: made.ID, Conversation: c.ID, Admin: b.user.ID, Runner: "desk"}, left)
	require.NoError(t, b.Services.ServiceStorageGone(ctx, c.User))
	_, err = b.Services.ServiceStorageLeft(ctx, c.User)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestServicePrompt_IsOfTheVersionsThatTheServiceNamesAndElseOfThoseInForce(t *testing.T) {
	b := setup(t)
	ctx, admin := t.Context(), b.user.ID
	write := func(section, text string, from int) {
		require.NoError(t, b.Prompts.SetPrompt(ctx, admin, section, chat.PromptDraft{Content: text, From: from}, admin))
	}
	write(chat.PromptSystem, "one", 0)
	write(chat.PromptSystem, "two", 1)
	write("web", "our web", 0)
	write("documents", "our papers", 0)
	write("documents", "", 1)
	profile, err := b.Memory.SetProfile(ctx, admin, chat.UserProfile{Content: "first", Timezone: "Asia/Tokyo"})
	require.NoError(t, err)
	_, err = b.Memory.SetProfile(ctx, admin, chat.UserProfile{Content: "second", Timezone: "Asia/Tokyo", Revision: profile.Revision})
	require.NoError(t, err)

	made, key := b.service(service.Patch{})
	c := b.beginWith(b.caller(key))
	got, err := b.Services.ServicePrompt(ctx, c.User)
	require.NoError(t, err)
	require.Equal(t, []string{"two", "second", "Asia/Tokyo", "Help desk"}, []string{got.System, got.Profile, got.Timezone, got.Name})
	require.Equal(t, map[string]string{"web": "our web"}, got.Sections)

	_, err = b.Services.ChangeService(ctx, made.ID, 0, service.Patch{PromptVersion: new(1), ProfileVersion: new(profile.Revision)})
	require.NoError(t, err)
	got, err = b.Services.ServicePrompt(ctx, c.User)
	require.NoError(t, err)
	require.Equal(t, []string{"one", "first"}, []string{got.System, got.Profile})
	_, err = b.Services.ServicePrompt(ctx, admin)
	require.Equal(t, fault.Denied, fault.KindOf(err))
	scene, err := b.Turns.Scene(ctx, c.Session, "")
	require.NoError(t, err)
	require.True(t, scene.Outside)
}

func TestServicePrompt_AVersionThatAServiceWorksWithIsNotDeleted(t *testing.T) {
	b := setup(t)
	ctx, admin := t.Context(), b.user.ID
	for n := range 3 {
		require.NoError(t, b.Prompts.SetPrompt(ctx, admin, chat.PromptSystem, chat.PromptDraft{Content: fmt.Sprint("prompt ", n+1), From: n}, admin))
		_, err := b.Memory.SetProfile(ctx, admin, chat.UserProfile{Content: fmt.Sprint("profile ", n+1), Revision: n})
		require.NoError(t, err)
	}
	made, key := b.service(service.Patch{Name: new("Shop"), PromptVersion: new(1), ProfileVersion: new(1)})
	c := b.beginWith(b.caller(key))
	for _, err := range []error{b.Prompts.DeletePromptVersion(ctx, admin, chat.PromptSystem, 1), b.Memory.DeleteProfileVersion(ctx, admin, 1)} {
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		require.ErrorContains(t, err, "version 1 is what Shop answers with: choose another version for it first")
	}
	got, err := b.Services.ServicePrompt(ctx, c.User)
	require.NoError(t, err)
	require.Equal(t, []string{"prompt 1", "profile 1"}, []string{got.System, got.Profile})
	require.NoError(t, b.Prompts.DeletePromptVersion(ctx, admin, chat.PromptSystem, 2))
	require.NoError(t, b.Memory.DeleteProfileVersion(ctx, admin, 2))

	_, err = b.Services.ChangeService(ctx, made.ID, 0, service.Patch{PromptVersion: new(0), ProfileVersion: new(0)})
	require.NoError(t, err)
	require.NoError(t, b.Prompts.DeletePromptVersion(ctx, admin, chat.PromptSystem, 1))
	require.NoError(t, b.Memory.DeleteProfileVersion(ctx, admin, 1))

	_, err = b.Services.ChangeService(ctx, made.ID, 0, service.Patch{PromptVersion: new(1), ProfileVersion: new(1)})
	require.NoError(t, err, "the store takes what was checked before")
	got, err = b.Services.ServicePrompt(ctx, c.User)
	require.NoError(t, err)
	require.Equal(t, []string{"prompt 3", "profile 3"}, []string{got.System, got.Profile}, "a version that went at the same moment is the one in force")
}

func TestServicePrompt_AVersionThatAServiceWorksWithIsKeptHoweverManyComeAfterIt(t *testing.T) {
	b := setup(t)
	ctx, admin := t.Context(), b.user.ID
	b.service(service.Patch{PromptVersion: new(1), ProfileVersion: new(1)})
	for n := range 203 {
		require.NoError(t, b.Prompts.SetPrompt(ctx, admin, chat.PromptSystem, chat.PromptDraft{Content: fmt.Sprint("prompt ", n+1), From: n}, admin))
	}
	for n := range 103 {
		_, err := b.Memory.SetProfile(ctx, admin, chat.UserProfile{Content: fmt.Sprint("profile ", n+1), Revision: n})
		require.NoError(t, err)
	}
	prompts, err := b.Prompts.PromptVersions(ctx, admin, chat.PromptSystem)
	require.NoError(t, err)
	profiles, err := b.Memory.ProfileVersions(ctx, admin)
	require.NoError(t, err)
	require.Equal(t, []int{4, 1, 4, 1}, []int{prompts[199].Version, prompts[200].Version, profiles[99].Version, profiles[100].Version})
	require.Len(t, prompts, 201)
	require.Len(t, profiles, 101)
}

func TestServices_KeysThatAreMadeAtOnceExceedNoLimit(t *testing.T) {
	b := setup(t)
	made, _ := b.service(service.Patch{})
	for range 95 {
		b.key(made)
	}
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			if _, _, err := b.Services.AddServiceKey(t.Context(), made.ID, "more"); err != nil && !fault.Is(err, fault.Conflict) {
				t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
	figures, err := b.ServiceUsage.ServiceFigures(t.Context(), made.ID)
	require.NoError(t, err)
	require.Equal(t, 100, figures[made.ID].Keys)
	_, _, err = b.Services.AddServiceKey(t.Context(), "svc_00000000", "none")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestServices_TheDeletionOfWhoeverHasNoneIsNoChangeOfServices(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	made, key := b.service(service.Patch{})
	version := func() int { return b.count("SELECT version FROM services_version") }
	was := version()
	c := b.beginWith(b.caller(key))
	require.NoError(t, b.Services.DeleteConsumerConversation(ctx, c))
	for range 3 { // steps
		_, err := b.Services.DeletionBelow(ctx, c.User, 10)
		require.NoError(t, err)
	}
	require.NoError(t, b.Agents.DeleteSession(ctx, c.Session))
	require.NoError(t, b.Users.EndDeletion(ctx, c.User))
	require.Equal(t, was, version())
	_, err := b.Services.ChangeService(ctx, made.ID, 0, service.Patch{Published: new(false)})
	require.NoError(t, err)
	require.Equal(t, was+1, version())
}

func TestServices_WhatAnEarlierVersionAcceptedCanBeWithdrawn(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	made, _ := b.service(service.Patch{})
	_, err := b.pool.Exec(ctx, `UPDATE services SET definition = jsonb_set(definition, '{allowed_docs}', '["{faq,guides}/*.md"]') WHERE id = $1`, made.ID)
	require.NoError(t, err)
	got, err := b.Services.ChangeService(ctx, made.ID, 0, service.Patch{Published: new(false)})
	require.NoError(t, err)
	require.False(t, got.Published)
	_, err = b.Services.ChangeService(ctx, made.ID, 0, service.Patch{Description: new("parcels")})
	require.Equal(t, fault.Invalid, b.kind(err))
}
