package consumer_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/consumer"
	"xbot/internal/service"
)

// opens begins a conversation, or finds the one that was begun.
func (b *bundle) opens(key, title string, headers ...string) (made consumer.ConversationWithMessages) {
	b.T.Helper()
	b.do(key, http.MethodPost, "/api/v1/conversations", object{"title": title}, headers...).is(http.StatusCreated, &made)
	return made
}

func TestConversations_TheSameIdempotencyKeyBeginsOne(t *testing.T) {
	b := setup(t, service.Patch{MaxConversations: new(20)})
	once := []string{"Idempotency-Key", "order-17 \xff"}
	var wg sync.WaitGroup
	ids := make([]string, 4)
	for i := range ids {
		wg.Go(func() { ids[i] = b.opens(b.key, "Order 17", once...).ID })
	}
	wg.Wait()
	require.Equal(t, []string{ids[0], ids[0], ids[0], ids[0]}, ids)
	c, err := b.Services.ConsumerConversation(t.Context(), b.caller(b.key), ids[0])
	require.NoError(t, err)
	b.chats(c, "hello").until("accepted")
	again := b.opens(b.key, "Another title", once...)
	require.Equal(t, []any{c.ID, "Order 17"}, []any{again.ID, again.Title})
	require.Equal(t, b.read(c), again, "as it is by then")

	require.NotEqual(t, c.ID, b.opens(b.key, "", "Idempotency-Key", "order-18").ID)
	unnamed := b.opens(b.key, "")
	require.NotEqual(t, unnamed.ID, b.opens(b.key, "").ID, "without a key each is another one")
	require.NotEqual(t, c.ID, b.opens(b.keyOf(b.service), "", once...).ID, "of another key of the service")
	b.do(b.key, http.MethodPost, "/api/v1/conversations", object{}, "Idempotency-Key", strings.Repeat("x", 129)).is(http.StatusUnprocessableEntity, nil)

	b.do(b.key, http.MethodDelete, at(c, ""), nil).is(http.StatusNoContent, nil)
	require.NotEqual(t, c.ID, b.opens(b.key, "", once...).ID, "it was deleted")
}

func TestConversations_TheKeyOfOneIsNoNameOfACompletion(t *testing.T) {
	b := setup(t)
	begun := b.opens(b.key, "", "Idempotency-Key", "k")
	completed := b.completes(says("hello"), "hi", "Idempotency-Key", "k")
	require.NotEqual(t, begun.ID, completed.Conversation)
	require.Equal(t, begun.ID, b.opens(b.key, "", "Idempotency-Key", "k").ID)
}

func TestConversations_OneBeginsWithoutABody(t *testing.T) {
	b := setup(t)
	for _, body := range []any{nil, object{}} {
		var made consumer.ConversationWithMessages
		b.do(b.key, http.MethodPost, "/api/v1/conversations", body).is(http.StatusCreated, &made)
		require.Empty(t, made.Title)
	}
	b.do(b.key, http.MethodPost, "/api/v1/conversations", object{"title": strings.Repeat("x", 201)}).is(http.StatusUnprocessableEntity, nil)
}
