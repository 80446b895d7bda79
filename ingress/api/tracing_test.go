package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/messages"
	"xbot/ingress/api/settings"
	"xbot/internal/chat"
)

func (p *person) traceTargets() []settings.TraceTarget {
	p.t.Helper()
	var got settings.TraceTargets
	a := p.get("/api/tracing")
	a.is(http.StatusOK, &got)
	require.NotContains(p.t, string(a.body), apiKey)
	return got.Targets
}

func TestTracing_AdministratorsConfigureTargetsAndTestThem(t *testing.T) {
	b := setup(t)
	status := http.StatusOK
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(collector.Close)
	require.Equal(t, "otlp", b.alice.traceTargets()[0].Name)
	b.bob.get("/api/tracing").problem(http.StatusForbidden)
	draft := object{"enabled": true, "endpoint": collector.URL, "secret": "authorization=" + apiKey, "content": true}
	var tested settings.TraceTargetTested
	b.alice.post("/api/tracing/otlp/test", draft).is(http.StatusOK, &tested)
	require.True(t, tested.Passed)
	status = http.StatusUnauthorized
	b.alice.post("/api/tracing/otlp/test", draft).is(http.StatusOK, &tested)
	require.Contains(t, tested.Problem, "does not accept the key or the headers (401 Unauthorized)")
	require.Zero(t, b.alice.traceTargets()[0].Revision, "a test stores nothing")

	var made settings.TraceTarget
	b.alice.put("/api/tracing/otlp", draft).is(http.StatusOK, &made)
	require.Equal(t, []any{"installation", "…1234", true, "alice"}, []any{made.Source, made.KeyHint, made.Content, made.ChangedBy})
	b.alice.put("/api/tracing/otlp", draft).problem(http.StatusConflict)
	b.alice.put("/api/tracing/other", draft).problem(http.StatusUnprocessableEntity)
	b.alice.put("/api/tracing/langfuse", object{"enabled": true}).problem(http.StatusBadRequest)
	require.NotContains(t, b.log.String(), apiKey)
	b.alice.delete("/api/tracing/otlp").is(http.StatusNoContent, nil)
	b.alice.delete("/api/tracing/otlp").problem(http.StatusNotFound)
}

func TestRatings_AUserRatesRepliesOfTheirConversations(t *testing.T) {
	b := setup(t)
	key := b.alice.session("").Key
	b.alice.say(key, "m1", "hello").is(http.StatusAccepted, nil)
	b.claim(key, "turn-1")
	b.reply(key, "turn-1", "good day")
	b.finish(key, "turn-1")
	var said struct{ Messages []chat.Message }
	b.alice.get(path(key, "/messages")).is(http.StatusOK, &said)
	asked, reply := said.Messages[0].ID, said.Messages[1].ID
	of := func(id chat.MessageID) string { return path(key, fmt.Sprintf("/messages/%d/rating", id)) }
	list := func() []messages.Rating {
		var got messages.Ratings
		b.alice.get(path(key, "/ratings")).is(http.StatusOK, &got)
		return got.Ratings
	}
	require.Empty(t, list())
	b.alice.put(of(reply), object{"helpful": false, "comment": "too long"}).is(http.StatusNoContent, nil)
	require.Equal(t, "too long", list()[0].Comment)
	b.bob.get("/api/ratings").problem(http.StatusForbidden)
	var received messages.ReceivedRatings
	b.alice.get("/api/ratings").is(http.StatusOK, &received)
	require.Equal(t, []any{"alice", key, "too long", reply}, []any{received.Ratings[0].User, received.Ratings[0].Session, received.Ratings[0].Comment, received.Ratings[0].Message})
	b.alice.put(of(reply), object{"helpful": true}).is(http.StatusNoContent, nil)
	got := list()
	require.Len(t, got, 1)
	require.Equal(t, []any{reply, true, ""}, []any{got[0].Message, got[0].Helpful, got[0].Comment})
	b.alice.put(of(asked), object{"helpful": true}).problem(http.StatusNotFound)
	b.bob.put(of(reply), object{"helpful": true}).problem(http.StatusNotFound)
	b.alice.delete(of(reply)).is(http.StatusNoContent, nil)
	b.alice.delete(of(reply)).problem(http.StatusNotFound)
	require.Empty(t, list())
}
