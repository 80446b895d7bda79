package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/service"
)

// watches reads what goes on in a conversation after an event, as the page of a service does.
func (c *consumer) watches(id, after string, last func(toldEvent) bool) []toldEvent {
	c.t.Helper()
	return c.follows(http.MethodGet, "/api/v1/conversations/"+id+"/events?follow=true", nil, last, "Last-Event-ID", after)
}

// lastingOf are the events of a stream that have an id.
func lastingOf(all []toldEvent) (lasting []toldEvent) {
	for _, e := range all {
		if e.id != "" {
			lasting = append(lasting, e)
		}
	}
	return lasting
}

func TestConsumer_WhoFollowsAConversationGoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	id := c.begins()
	after := fmt.Sprint(c.conversation(id).Seq)
	const text = "stream 60 50ms"
	heard := make(chan []toldEvent, 1)
	go func() { heard <- c.watches(id, after, nil) }()
	c.chats(id, text, isKind("token"), "Idempotency-Key", "k")
	c.crash()
	lasting := lastingOf(<-heard)
	if n := len(lasting); n > 0 {
		after = lasting[n-1].id
	}
	c.boot()
	go func() { heard <- c.watches(id, after, isKind("said")) }()
	c.untilDone(id, text, "k")
	c.asAdmin(http.MethodPost, "/api/services/"+c.of.ID+"/conversations/"+id+"/take", nil, nil)
	c.asAdmin(http.MethodPost, "/api/services/"+c.of.ID+"/conversations/"+id+"/say", map[string]string{"text": "I am a person.", "client_message_id": "s1"}, nil)
	lasting = append(lasting, lastingOf(<-heard)...)
	require.Equal(t, []string{"accepted", "message", "done", "answers", "said"}, kindsOf(lasting), "nothing twice and nothing missing")
	require.Equal(t, "I am a person.", lasting[4].data["content"])
	require.Equal(t, 1, c.turns(id))
}
