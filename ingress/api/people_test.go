package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/user/users"
)

func (b *bundle) users() map[string]users.Account {
	b.t.Helper()
	var list struct{ Users []users.Account }
	b.alice.get("/api/users").is(http.StatusOK, &list)
	out := map[string]users.Account{}
	for _, u := range list.Users {
		out[u.Name] = u
	}
	return out
}

func TestUsers_AreForAdministratorsOnly(t *testing.T) {
	b := setup(t)
	for _, e := range endpoints(t) {
		if !strings.HasPrefix(e[1], "/api/users") && !strings.HasPrefix(e[1], "/api/invites") {
			continue
		}
		at := strings.NewReplacer("{id}", fmt.Sprint(b.alice.user.ID)).Replace(e[1])
		var with any
		if e[0] != http.MethodGet && e[0] != http.MethodDelete {
			with = map[string]any{}
		}
		if e[0] == http.MethodPost && e[1] == "/api/users" {
			with = map[string]any{"name": "mallory", "role": "admin"}
		}
		b.do(b.bob, e[0], at, with).problem(http.StatusForbidden)
	}
	require.Len(t, b.users(), 2)
}

func TestUsers_OneIsAddedSignsInByTheLinkAndIsDisabled(t *testing.T) {
	b := setup(t)
	var made struct {
		ID   int64
		Link string
	}
	b.alice.post("/api/users", map[string]any{"name": "carol"}).is(http.StatusCreated, &made)
	b.alice.post("/api/users", map[string]any{"name": "Carol"}).problem(http.StatusConflict)
	link, token, ok := strings.Cut(made.Link, "#token=")
	require.True(t, ok)
	require.Equal(t, "/login", link)
	var in struct {
		User            struct{ Name, Role string }
		MustSetPassword bool `json:"must_set_password"`
	}
	b.do(nil, http.MethodPost, "/api/login", map[string]any{"token": token}).is(http.StatusOK, &in)
	require.Equal(t, "carol", in.User.Name)
	require.Equal(t, "member", in.User.Role)
	require.True(t, in.MustSetPassword)

	carol, err := b.store.Users.UserByName(t.Context(), "carol")
	require.NoError(t, err)
	hers := b.person(carol)
	hers.get("/api/me").is(http.StatusOK, nil)
	at := fmt.Sprint("/api/users/", made.ID)
	b.do(b.alice, http.MethodPatch, at, map[string]any{"disabled": true}).is(http.StatusNoContent, nil)
	hers.get("/api/me").problem(http.StatusUnauthorized)
	require.Equal(t, "alice", b.users()["carol"].DisabledBy)
	b.alice.post(at+"/sign-in-link", map[string]any{}).problem(http.StatusConflict)
	b.do(b.alice, http.MethodPatch, at, map[string]any{"disabled": false, "role": "admin"}).is(http.StatusNoContent, nil)
	require.Equal(t, "admin", b.users()["carol"].Role)
	b.alice.post(at+"/sign-in-link", map[string]any{}).is(http.StatusCreated, nil)

	me := fmt.Sprint("/api/users/", b.alice.user.ID)
	b.do(b.alice, http.MethodPatch, me, map[string]any{"disabled": true}).problem(http.StatusConflict)
	b.do(b.alice, http.MethodPatch, "/api/users/4711", map[string]any{"disabled": true}).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodPatch, "/api/users/4711", map[string]any{"role": "owner"}).problem(http.StatusUnprocessableEntity)
}

func TestUsers_OneIsDeletedButNobodyDeletesThemselves(t *testing.T) {
	b := setup(t)
	at := fmt.Sprint("/api/users/", b.bob.user.ID)
	b.do(b.bob, http.MethodDelete, at, nil).problem(http.StatusForbidden)
	b.alice.delete(fmt.Sprint("/api/users/", b.alice.user.ID)).problem(http.StatusConflict)
	b.alice.delete("/api/users/4711").problem(http.StatusNotFound)
	b.alice.delete(at).is(http.StatusAccepted, nil)
	b.bob.get("/api/me").problem(http.StatusUnauthorized)
	require.NotNil(t, b.users()["bob"].DeletingSince)
	require.Contains(t, b.do(b.alice, http.MethodPatch, at, map[string]any{"disabled": false}).problem(http.StatusConflict), "cannot be taken back")
}

func TestUsers_TheLastAdministratorStaysOne(t *testing.T) {
	b := setup(t)
	change := func(by, whom *person, body object) int {
		return b.do(by, http.MethodPatch, fmt.Sprint("/api/users/", whom.user.ID), body).status
	}
	carol, err := b.store.Users.CreateUser(t.Context(), "carol", users.RoleAdmin)
	require.NoError(t, err)
	other := b.person(carol)
	require.Equal(t, http.StatusNoContent, change(b.alice, other, object{"disabled": true}))

	at := fmt.Sprint("/api/users/", b.alice.user.ID)
	require.Contains(t, b.do(b.alice, http.MethodPatch, at, object{"role": "member"}).problem(http.StatusConflict), "last administrator", "one who is disabled does not count")
	b.do(b.alice, http.MethodPatch, at, object{"disabled": true}).problem(http.StatusConflict)
	b.do(b.alice, http.MethodPatch, at, object{"role": "member", "disabled": true}).problem(http.StatusConflict)
	b.alice.delete(at).problem(http.StatusConflict)
	require.Equal(t, "admin", b.users()["alice"].Role)
	require.Nil(t, b.users()["alice"].DisabledAt)
	require.Nil(t, b.users()["alice"].DeletingSince)
}

func TestUsers_OfTwoAdministratorsWhoRemoveEachOtherOneStays(t *testing.T) {
	b := setup(t)
	for _, how := range []func(by *person, at string) answer{
		func(by *person, at string) answer { return b.do(by, http.MethodPatch, at, object{"role": "member"}) },
		func(by *person, at string) answer { return b.do(by, http.MethodPatch, at, object{"disabled": true}) },
		func(by *person, at string) answer { return by.delete(at) },
	} {
		var two [2]*person
		_, err := b.pool.Exec(t.Context(), "UPDATE users SET role = 'member'")
		require.NoError(t, err)
		for i, name := range []string{"one", "other"} {
			user, err := b.store.Users.CreateUser(t.Context(), name, users.RoleAdmin)
			require.NoError(t, err)
			two[i] = b.person(user)
		}
		var all sync.WaitGroup
		var done [2]bool
		for i, by := range two {
			all.Go(func() {
				done[i] = how(by, fmt.Sprint("/api/users/", two[1-i].user.ID)).status < http.StatusMultipleChoices
			})
		}
		all.Wait()
		require.NotEqual(t, done[0], done[1], "one of them went")
		_, err = b.pool.Exec(t.Context(), "UPDATE users SET name = name || id WHERE name IN ('one', 'other')")
		require.NoError(t, err)
	}
}

func TestInvites_LetSomebodyMakeAnAccountAndCanBeWithdrawn(t *testing.T) {
	b := setup(t)
	var made struct {
		ID   int64
		Link string
	}
	b.alice.post("/api/invites", map[string]any{"note": "for the team", "uses": 2}).is(http.StatusCreated, &made)
	path, token, _ := strings.Cut(made.Link, "#token=")
	require.Equal(t, "/join", path)
	join := func(name string) answer {
		return b.do(nil, http.MethodPost, "/api/join", map[string]any{"token": token, "username": name, "password": "correct horse battery"})
	}
	a := join("carol")
	var in struct{ User struct{ Name, Role string } }
	a.is(http.StatusCreated, &in)
	require.Equal(t, "carol", in.User.Name)
	require.Contains(t, a.header.Get("Set-Cookie"), "HttpOnly")
	join("CAROL").problem(http.StatusConflict)

	var list struct{ Invites []users.Invite }
	b.alice.get("/api/invites").is(http.StatusOK, &list)
	require.Len(t, list.Invites, 1)
	require.Equal(t, 1, list.Invites[0].Used)
	require.Equal(t, "for the team", list.Invites[0].Note)
	require.NotContains(t, string(b.alice.get("/api/invites").body), token)
	b.alice.delete(fmt.Sprint("/api/invites/", made.ID)).is(http.StatusNoContent, nil)
	b.alice.delete(fmt.Sprint("/api/invites/", made.ID)).problem(http.StatusNotFound)
	require.Contains(t, join("dave").problem(http.StatusForbidden), "ask for a new one")
}

func TestTokens_OfANarrowScopeDoNotAdminister(t *testing.T) {
	b := setup(t)
	var made struct{ Token string }
	b.alice.post("/api/tokens", map[string]any{"name": "reader", "scope": "read", "days": 1}).is(http.StatusCreated, &made)
	reader := &person{bundle: b, user: b.alice.user, token: made.Token}
	reader.get("/api/me").is(http.StatusOK, nil)
	require.Contains(t, reader.post("/api/tokens", map[string]any{"name": "wider"}).problem(http.StatusForbidden), "scope")
	reader.get("/api/users").problem(http.StatusForbidden)
}
