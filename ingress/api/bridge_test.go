package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/account"
	"xbot/ingress/api/messages"
	"xbot/ingress/api/settings"
	"xbot/ingress/gateway"
	"xbot/internal/chat"
	"xbot/internal/turn/policy"
	"xbot/internal/user/links"
)

// rules puts a policy document in force.
func (b *bundle) rules(document string) {
	b.t.Helper()
	p, _, err := policy.Parse([]byte(document))
	require.NoError(b.t, err)
	_, err = b.store.Settings.SetPolicy(b.t.Context(), b.alice.user.ID, p.JSON())
	require.NoError(b.t, err)
}

func (b *bundle) bridge(message map[string]any) gateway.Outcome {
	b.t.Helper()
	var out gateway.Outcome
	b.alice.post("/api/bridge/matrix/messages", message).is(http.StatusAccepted, &out)
	return out
}

func from(id, peer, text string) map[string]any {
	return map[string]any{"id": id, "sender": map[string]string{"id": peer, "name": "Carol"}, "text": text}
}

func TestBridge_IsForAdministrators(t *testing.T) {
	b := setup(t)
	for _, r := range []struct{ method, path string }{
		{http.MethodPost, "/api/bridge/matrix/messages"},
		{http.MethodPut, "/api/bridge/matrix/messages/m1?sender=u1"},
		{http.MethodDelete, "/api/bridge/matrix/messages/m1?sender=u1"},
		{http.MethodGet, "/api/pairings"},
		{http.MethodPost, "/api/pairings/ABCDEFGH"},
		{http.MethodGet, "/api/access-grants"},
		{http.MethodDelete, "/api/access-grants?channel=matrix&peer=u1"},
		{http.MethodGet, "/api/policy/links"},
		{http.MethodDelete, "/api/policy/links?name=robert"},
	} {
		body := map[string]any(nil)
		switch {
		case r.method == http.MethodPut:
			body = map[string]any{"text": "x"}
		case r.path == "/api/pairings/ABCDEFGH":
			body = map[string]any{"approve": true}
		case r.method == http.MethodPost:
			body = from("m1", "u1", "hi")
		}
		b.do(b.bob, r.method, r.path, body).problem(http.StatusForbidden)
		b.do(nil, r.method, r.path, body).problem(http.StatusUnauthorized)
	}
}

func TestBridge_PairingToAnswer(t *testing.T) {
	b := setup(t)
	out := b.bridge(from("m1", "u1", "hello"))
	require.Equal(t, gateway.ResultRefused, out.Result)
	var waiting account.PairingsBody
	b.alice.get("/api/pairings").is(http.StatusOK, &waiting)
	require.Len(t, waiting.Pairings, 1)
	require.Contains(t, out.Reply, waiting.Pairings[0].Code)
	b.alice.post("/api/pairings/"+waiting.Pairings[0].Code, map[string]bool{"approve": true}).is(http.StatusOK, nil)
	require.Contains(t, b.alice.post("/api/pairings/"+waiting.Pairings[0].Code, map[string]bool{"approve": true}).problem(http.StatusNotFound), "was used")

	out = b.bridge(from("m2", "u1", "hello again"))
	require.Equal(t, gateway.ResultAccepted, out.Result)
	var page messages.Transcript
	b.alice.get(path(out.Session, "/messages")).is(http.StatusOK, &page)
	require.Len(t, page.Queued, 1)
	require.Equal(t, out.Inbox, page.Queued[0].Inbox)
	var s chat.Session
	b.alice.get(path(out.Session, "")).is(http.StatusOK, &s)
	require.Equal(t, "matrix", s.Origin.Provider)
	require.Equal(t, "Carol", s.Origin.Label)
	b.bob.get(path(out.Session, "")).problem(http.StatusNotFound)

	b.do(b.alice, http.MethodPut, "/api/bridge/matrix/messages/m2?sender=u1", map[string]string{"text": "changed"}).is(http.StatusOK, nil)
	var changed messages.Changed
	b.alice.delete("/api/bridge/matrix/messages/m2?sender=u1").is(http.StatusOK, &changed)
	require.True(t, changed.Changed)
	b.alice.delete("/api/bridge/matrix/messages/m2?sender=u1").is(http.StatusOK, &changed)
	require.False(t, changed.Changed)

	var grants account.GrantsBody
	b.alice.get("/api/access-grants").is(http.StatusOK, &grants)
	require.Len(t, grants.Grants, 1)
	require.Equal(t, "alice", grants.Grants[0].GrantedBy)
	b.alice.delete("/api/access-grants?channel=matrix&peer=u1").is(http.StatusNoContent, nil)
	require.Equal(t, gateway.ResultRefused, b.bridge(from("m3", "u1", "hello?")).Result)
	b.alice.delete("/api/access-grants?channel=matrix&peer=u1").problem(http.StatusNotFound)
}

func TestBridge_RefusesBadInputWithAProblem(t *testing.T) {
	b := setup(t)
	b.alice.post("/api/bridge/web/messages", from("m1", "u1", "hi")).problem(http.StatusBadRequest)
	b.alice.post("/api/bridge/matrix/messages", from("", "u1", "hi")).problem(http.StatusUnprocessableEntity)
	group := from("m1", "u1", "hi")
	group["chat_type"] = "group"
	require.Contains(t, b.alice.post("/api/bridge/matrix/messages", group).problem(http.StatusBadRequest), "chat must be the id")
}

func TestLink_OfThePageMakesAChannelOnesOwn(t *testing.T) {
	b := setup(t)
	b.rules(`{channels: {matrix: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	key := b.bridge(from("m1", "u1", "hello")).Session
	b.bob.get(path(key, "")).problem(http.StatusNotFound)
	var link account.LinkBody
	b.bob.post("/api/link", nil).is(http.StatusCreated, &link)
	require.Equal(t, 600, link.Seconds)
	out := b.bridge(from("m2", "u1", "/link "+link.Code))
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.Contains(t, out.Reply, "bob")
	b.bob.get(path(key, "")).is(http.StatusOK, nil)
	var mine account.IdentitiesBody
	b.bob.get("/api/me/identities").is(http.StatusOK, &mine)
	require.Equal(t, []links.Identity{{Channel: "matrix", Peer: "u1"}}, mine.Identities)

	const at = "/api/me/identities?channel=matrix&peer=u1"
	b.alice.delete(at).problem(http.StatusNotFound)
	var unlinked account.UnlinkedBody
	b.bob.delete(at).is(http.StatusOK, &unlinked)
	require.Equal(t, 1, unlinked.Moved)
	b.bob.get(path(key, "")).problem(http.StatusNotFound)
	require.Equal(t, key, b.bridge(from("m3", "u1", "hello")).Session)
	b.bob.delete(at).problem(http.StatusNotFound)
}

func TestPolicy_TransfersAnAccountOnlyWhereThatIsConfirmed(t *testing.T) {
	b := setup(t)
	linked := func(id string) string {
		return `{session: {identityLinks: {robert: ["matrix:` + id + `"]}}, channels: {matrix: {dmPolicy: "open", allowFrom: ["*"]}}}`
	}
	b.alice.put("/api/policy", object{"text": linked("u1"), "version": 0}).is(http.StatusOK, nil)
	b.bridge(from("m1", "u1", "hello"))
	var checked settings.PolicyCheck
	b.alice.post("/api/policy/check", object{"text": linked("u2")}).is(http.StatusOK, &checked)
	require.Len(t, checked.Transfers, 1)
	require.Equal(t, []string{"matrix:u1"}, checked.Transfers[0].IDs)
	require.Len(t, checked.Errors, 1)
	said := b.alice.put("/api/policy", object{"text": linked("u2"), "version": 1}).problem(http.StatusUnprocessableEntity)
	require.Contains(t, said, checked.Errors[0])
	b.alice.post("/api/policy/check", object{"text": linked("u2"), "transfer": []string{"robert"}}).is(http.StatusOK, &checked)
	require.Empty(t, checked.Errors)
	b.alice.put("/api/policy", object{"text": linked("u2"), "version": 1, "transfer": []string{"robert"}}).is(http.StatusOK, nil)
	var all struct{ Links []links.IdentityLink }
	b.alice.get("/api/policy/links").is(http.StatusOK, &all)
	require.Equal(t, []string{"matrix:u2"}, all.Links[0].IDs)
	b.alice.delete("/api/policy/links?name=robert").is(http.StatusNoContent, nil)
	b.alice.delete("/api/policy/links?name=robert").problem(http.StatusNotFound)
}

func TestApproval_InAGroupIsForAdministratorsAndSetsTheGroupsRule(t *testing.T) {
	b := setup(t)
	b.rules(`{channels: {matrix: {groups: {room: {}}}}}`)
	message := from("m1", "u1", "read it")
	message["chat_type"], message["chat"], message["mentioned"] = "group", "room", true
	key := b.bridge(message).Session
	b.claim(key, "t1")
	step := chat.Step{Session: key, Turn: "t1"}
	_, _, _, err := b.store.Turns.BeginStep(t.Context(), step)
	require.NoError(t, err)
	_, err = b.store.Turns.CommitStep(t.Context(), step, chat.Answer{
		Finish: "tool_calls", Model: "demo/demo",
		Calls: []chat.ToolCall{{ID: "t1.0.0", Name: "Read", Class: chat.ClassRead, Arguments: "{}", Rule: chat.RuleAsk, Ruling: chat.Ruling{Always: []chat.ToolRule{{Tool: "Read", Rule: chat.RuleAllow}}}}},
	})
	require.NoError(t, err)
	_, err = b.store.Calls.Ask(t.Context(), "t1.0.0", chat.Request{})
	require.NoError(t, err)

	b.bob.post(path(key, "/approvals/t1.0.0"), map[string]any{"decision": "allow"}).problem(http.StatusNotFound)
	b.alice.post(path(key, "/approvals/t1.0.0"), map[string]any{"decision": "allow", "always": true}).is(http.StatusOK, nil)
	owner, err := b.store.Users.SessionOwner(t.Context(), key)
	require.NoError(t, err)
	rules, err := b.store.Permissions.Permissions(t.Context(), owner.ID)
	require.NoError(t, err)
	require.Equal(t, []chat.ToolRule{{Tool: "Read", Rule: chat.RuleAllow}}, rules, "the rule is the group's")
	rules, err = b.store.Permissions.Permissions(t.Context(), b.alice.user.ID)
	require.NoError(t, err)
	require.Empty(t, rules, "and not that of the administrator")
}
