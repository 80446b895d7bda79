package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	apiplugins "xbot/ingress/api/plugins"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/weblink"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

// answers are those of all plugins.
type answers struct {
	mu    sync.Mutex
	asked []bridge.Request
	says  string // JSON
	err   error  // in place of an answer
}

func (a *answers) Ask(_ context.Context, r bridge.Request, into any) error {
	a.mu.Lock()
	a.asked = append(a.asked, r)
	says, err := a.says, a.err
	a.mu.Unlock()
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(says), into)
}

// panel installs a plugin with one.
func (b *bundle) panel() (known *installed.Plugins, digest string) {
	b.t.Helper()
	files := plugin.Tree{"run": {Data: []byte("#!/bin/sh\n"), Exec: true}, "web/index.html": {Data: []byte("<p>hello")}, plugin.ManifestName: {Data: []byte(
		`{"id":"feeds","name":"Feeds","version":"1","runtime":"script","command":["./run"],"permissions":["page"],"contributes":{"widgets":[{"name":"news","title":{"en":"News"},"entry":"web/index.html"}]}}`)}}
	known = &installed.Plugins{Rows: b.store.Plugins, Key: secret.Key{1}, Starter: &starter{}}
	_, err := known.Install(b.t.Context(), files, plugin.Grant{}, b.alice.user.ID)
	require.ErrorContains(b.t, err, "asks for the permission page", "which an administrator has to give")
	_, err = known.Install(b.t.Context(), files, plugin.Grant{Permissions: []plugin.Permission{plugin.Page}}, b.alice.user.ID)
	require.NoError(b.t, err)
	return known, files.Digest()
}

const news = "/api/plugins/feeds/widgets/news"

func TestPanels_AreOpenedAndAskedByEverybodyOfTheHouse(t *testing.T) {
	b := setup(t)
	known, digest := b.panel()
	var list apiplugins.PanelList
	b.bob.get("/api/panels").is(http.StatusOK, &list)
	require.Equal(t, []apiplugins.Panel{{Plugin: "feeds", Widget: "news", Title: map[string]string{"en": "News", "zh": ""}}}, list.Panels)
	var opened apiplugins.PanelOpened
	b.bob.post(news+"/open", nil).is(http.StatusOK, &opened)
	token, file, _ := strings.Cut(strings.TrimPrefix(opened.URL, weblink.Prefix), "/")
	require.Equal(t, "web/index.html", file)
	link, err := weblink.New(secret.Key{1}).Verify(token, time.Now())
	require.NoError(t, err)
	require.Equal(t, weblink.Link{Plugin: "feeds", Digest: digest, User: b.bob.user.ID, Expires: link.Expires}, link)
	require.WithinDuration(t, time.Now().Add(weblink.Life), link.Expires, time.Minute)

	b.answers.says = `[{"title":"Quinces"},null,1.5]`
	got := b.bob.post(news, object{"params": object{"what": "news"}, "language": "zh"})
	var answer apiplugins.PanelAnswer
	got.is(http.StatusOK, &answer)
	require.JSONEq(t, b.answers.says, string(answer.Result))
	asked := b.answers.asked[0]
	require.Equal(t, "widgets/ask", asked.Method)
	require.False(t, asked.Repeat, "it may act")
	params, err := json.Marshal(asked.Params)
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"news","params":{"what":"news"},"person":"`+json.Number(strings.TrimSpace(jsonID(b.bob.user.ID))).String()+`","language":"zh"}`, string(params))
	for _, scope := range []users.Scope{users.ScopeRead, users.ScopeChat} {
		require.Contains(t, b.bob.by(scope).post(news+"/open", nil).problem(http.StatusForbidden), "scope of this token")
		require.Contains(t, b.bob.by(scope).post(news, object{}).problem(http.StatusForbidden), "scope of this token")
	}
	nobody := &person{bundle: b}
	nobody.post(news+"/open", nil).problem(http.StatusUnauthorized)
	nobody.post(news, object{}).problem(http.StatusUnauthorized)
	nobody.get("/api/panels").problem(http.StatusUnauthorized)
	b.bob.post("/api/plugins/feeds/widgets/none/open", nil).problem(http.StatusNotFound)
	require.Len(t, b.answers.asked, 1)

	require.NoError(t, known.Switch(t.Context(), "feeds", false, 0))
	require.Eventually(t, func() bool { return b.bob.post(news+"/open", nil).status == http.StatusNotFound }, time.Minute, 10*time.Millisecond)
	b.bob.post(news, object{}).problem(http.StatusNotFound)
	b.bob.get("/api/panels").is(http.StatusOK, &list)
	require.Empty(t, list.Panels)
}

func jsonID(id any) string {
	text, _ := json.Marshal(id) // a number
	return string(text)
}

func TestPanels_WhatTheyAskIsBounded(t *testing.T) {
	b := setup(t)
	b.panel()
	b.answers.says = `{}`
	b.bob.post(news, object{"params": strings.Repeat("x", 65<<10)}).problem(http.StatusRequestEntityTooLarge)
	require.Empty(t, b.answers.asked)
	b.answers.says = `"` + strings.Repeat("x", 256<<10) + `"`
	require.Contains(t, b.bob.post(news, object{}).problem(http.StatusConflict), "more than 256 kB")
	b.answers.says, b.answers.err = `{}`, &bridge.RefusedError{Plugin: "feeds", Said: "no such feed"}
	require.Contains(t, b.bob.post(news, object{}).problem(http.StatusBadRequest), "no such feed")
	b.answers.err = &bridge.UnknownError{Plugin: "feeds", Why: "it ended"}
	require.Contains(t, b.bob.post(news, object{}).problem(http.StatusConflict), "outcome unknown")
}
