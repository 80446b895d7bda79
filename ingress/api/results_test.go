package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestCallResult_IsWholeWhateverTheConversationShows(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	b.alice.session("agent:main:web:thread:other")
	b.alice.say(s.Key, "m1", "work").is(http.StatusAccepted, nil)
	b.claim(s.Key, "t1")
	step := chat.Step{Session: s.Key, Turn: "t1"}
	_, _, _, err := b.store.Turns.BeginStep(t.Context(), step)
	require.NoError(t, err)
	var calls []chat.ToolCall
	for _, id := range []chat.CallID{"t1.0.0", "t1.0.1", "t1.0.2"} {
		calls = append(calls, chat.ToolCall{ID: id, Name: "Read", Class: chat.ClassRead, State: chat.CallOpen})
	}
	_, err = b.store.Turns.CommitStep(t.Context(), step, chat.Answer{Finish: "tool_calls", Calls: calls})
	require.NoError(t, err)
	whole := strings.Repeat("<script>行\n", 4000)
	require.NoError(t, b.store.Calls.FinishCall(t.Context(), "t1.0.0", chat.ToolResult{
		Content: "summary", Offload: &chat.Offload{ID: "ol_0123456789", Summary: "summary", Body: whole, Tool: "Read"},
	}))
	require.NoError(t, b.store.Calls.FinishCall(t.Context(), "t1.0.1", chat.ToolResult{Content: "short"}))

	at := "/api/sessions/" + string(s.Key) + "/calls/"
	a := b.do(b.alice, http.MethodGet, at+"t1.0.0/result", nil)
	a.is(http.StatusOK, nil)
	require.Equal(t, whole, string(a.body))
	require.Equal(t, "text/plain; charset=utf-8", a.header.Get("Content-Type"))
	require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
	a = b.do(b.alice, http.MethodGet, at+"t1.0.1/result", nil)
	a.is(http.StatusOK, nil)
	require.Equal(t, "short", string(a.body))

	require.Contains(t, b.do(b.alice, http.MethodGet, at+"t1.0.2/result", nil).problem(http.StatusNotFound), "no result yet")
	b.do(b.alice, http.MethodGet, at+"t9.0.0/result", nil).problem(http.StatusNotFound)
	b.do(b.bob, http.MethodGet, at+"t1.0.0/result", nil).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodGet, "/api/sessions/agent:main:web:thread:other/calls/t1.0.0/result", nil).problem(http.StatusNotFound)
}
