package consumer_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/service"
)

// loses sends a request, whose client goes away when its message was accepted, and returns the conversation.
func (b *bundle) loses(body object, headers ...string) service.Conversation {
	b.T.Helper()
	ctx, cancel := context.WithCancel(b.T.Context())
	before := b.queued()
	gone := make(chan struct{})
	body["stream"] = true
	r := b.newRequest(ctx, b.key, http.MethodPost, completionsPath, body, headers...)
	go func() {
		defer close(gone)
		got, err := http.DefaultClient.Do(r)
		<-ctx.Done()
		if err == nil { // canceled before the response began otherwise
			_ = got.Body.Close()
		}
	}()
	c := b.awaits(before)
	cancel()
	<-gone
	return c
}

// retries sends a request as the official clients do again, and answers it if it is another message. It returns where it was answered.
func (b *bundle) retries(body object, count int) string {
	b.T.Helper()
	before := b.queued()
	body["stream"] = true
	got := make(chan answered, 1)
	go func() {
		got <- b.do(b.key, http.MethodPost, completionsPath, body, "X-Stainless-Retry-Count", fmt.Sprint(count))
	}()
	var out answered
	require.Eventually(b.T, func() bool {
		select {
		case out = <-got:
			return true
		default:
		}
		if b.queued() > before {
			before = b.queued()
			b.claims(b.awaits(before-1), chat.TurnID("t-"+time.Now().Format("150405.000000000"))).answers("anew")
		}
		return false
	}, ingresstest.Limit, 5*time.Millisecond)
	out.is(http.StatusOK, nil)
	return out.header.Get("X-Conversation-Id")
}

func (b *bundle) answersIn(c service.Conversation, id chat.TurnID) { b.claims(c, id).answers("hi") }

func TestRetries_OfAClientThatWasRefusedLandInNobodysConversation(t *testing.T) {
	refusals := map[string][2]string{
		"too many messages at once": {"", ""},
		"too many in a minute": {
			"UPDATE service_rates SET n = 1000, minute = date_trunc('minute', now())",
			"UPDATE service_rates SET n = 0",
		},
	}
	for name, change := range refusals {
		t.Run(name, func(t *testing.T) {
			b := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 1000, Concurrent: 1}.Patch()})
			hers := b.loses(says("hi"))
			if change[0] != "" {
				_, err := b.Pool.Exec(t.Context(), change[0])
				require.NoError(t, err)
			}
			body := says("hi")
			body["stream"] = true
			b.do(b.key, http.MethodPost, completionsPath, body, "X-Stainless-Retry-Count", "0").is(http.StatusTooManyRequests, nil)
			if change[1] != "" {
				_, err := b.Pool.Exec(t.Context(), change[1])
				require.NoError(t, err)
			}
			b.answersIn(hers, "t1")
			require.NotEqual(t, hers.ID, b.retries(says("hi"), 1))
		})
	}
}

func TestRetries_OfTwoClientsThatSentTheSameBeginAnew(t *testing.T) {
	b := setup(t)
	one, two := b.loses(says("hi")), b.loses(says("hi"))
	b.answersIn(one, "t1")
	b.answersIn(two, "t2")
	for range 2 {
		require.NotContains(t, []string{one.ID, two.ID}, b.retries(says("hi"), 1), "nobody knows whose it is")
	}
	hers := b.loses(says("hi", "user", "ann"))
	again := b.loses(says("hi", "user", "ann"))
	require.Equal(t, hers.ID, again.ID)
	b.answersIn(hers, "t3")
	b.answersIn(again, "t4")
	require.Equal(t, hers.ID, b.retries(says("hi", "user", "ann"), 1))
}

func TestRetries_AreKnownForTenMinutes(t *testing.T) {
	b := setup(t)
	later := func() {
		t.Helper()
		_, err := b.Pool.Exec(t.Context(), "UPDATE service_retries SET at = at - interval '11 minutes'")
		require.NoError(t, err)
	}
	c := b.loses(says("hi"))
	b.answersIn(c, "t1")
	later()
	require.NotEqual(t, c.ID, b.retries(says("hi"), 1))
	later()
	c = b.loses(says("hi"))
	b.answersIn(c, "t2")
	require.Equal(t, c.ID, b.retries(says("hi"), 1), "what was sent long ago is no other client's")
	later()
	b.answersIn(b.loses(says("something else")), "t3")
	var n int
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT count(*) FROM service_retries").Scan(&n))
	require.Equal(t, 1, n, "old ones are forgotten")
}

func TestRetries_OfOneThatWasAcceptedAtItsSecondTryAreTheSameMessage(t *testing.T) {
	b := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 1000, Concurrent: 1}.Patch()})
	waits := b.conversation()
	b.chats(waits, "it waits").until("accepted")
	body := says("hi")
	body["stream"] = true
	b.do(b.key, http.MethodPost, completionsPath, body).is(http.StatusTooManyRequests, nil)
	b.answersIn(waits, "t1")
	c := b.loses(says("hi"), "X-Stainless-Retry-Count", "1")
	b.answersIn(c, "t2")
	before := b.queued()
	require.Equal(t, c.ID, b.retries(says("hi"), 2))
	require.Equal(t, before, b.queued())
}
