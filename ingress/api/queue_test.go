package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/messages"
)

func TestQueue_AMessageIsChangedAndTakenBackByItsOwnerWhileItWaits(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:q").Key
	var first, second messages.Accepted
	b.alice.say(key, "m1", "one").is(http.StatusAccepted, &first)
	b.alice.say(key, "m2", "two").is(http.StatusAccepted, &second)
	require.Equal(t, 2, second.Position)
	at := func(id any) string { return path(key, fmt.Sprintf("/queue/%v", id)) }

	b.do(b.alice, http.MethodPut, at(first.ID), map[string]any{"text": "changed"}).is(http.StatusNoContent, nil)
	require.Equal(t, "changed", b.alice.transcript(key).Queued[0].Text)
	b.do(b.bob, http.MethodPut, at(first.ID), map[string]any{"text": "stolen"}).problem(http.StatusNotFound)
	b.do(b.bob, http.MethodDelete, at(first.ID), nil).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodDelete, at(999), nil).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodDelete, at("x"), nil).problem(http.StatusUnprocessableEntity)
	b.do(b.alice, http.MethodPut, at(first.ID), map[string]any{"text": ""}).problem(http.StatusUnprocessableEntity)
	require.Contains(t, b.do(b.alice, http.MethodPut, at(first.ID), map[string]any{"text": "/compact"}).problem(http.StatusBadRequest), "cannot become a command")

	b.do(b.alice, http.MethodDelete, at(second.ID), nil).is(http.StatusNoContent, nil)
	require.Len(t, b.alice.transcript(key).Queued, 1)
	b.claim(key, "t1")
	require.Contains(t, b.do(b.alice, http.MethodPut, at(first.ID), map[string]any{"text": "late"}).problem(http.StatusConflict), "does not wait any more")
	b.do(b.alice, http.MethodDelete, at(first.ID), nil).problem(http.StatusConflict)
	require.Equal(t, "changed", b.alice.transcript(key).Messages[0].Content)
}
