package consumer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/service"
)

// TestAttack_ConsumersThatReadNothing opens each large response of the consumer API and reads nothing, or a byte now and then. Each is cut, the answer
// is written all the same, and readers that were refused may follow afterwards.
func TestAttack_ConsumersThatReadNothing(t *testing.T) {
	b := setup(t)
	workspace := b.onRunner()
	large := strings.Repeat("0123456789abcdef", 128<<10) // 2 MB
	c, other := b.conversation(), b.conversation()
	b.made(workspace, c, "generated/large.bin", large)
	b.chats(c, "hello").until("accepted")
	b.claims(c, "t1").answers(large)
	u := ingresstest.NewSlowReadServer(t, b.api)
	headers := []string{"Authorization", "Bearer " + b.key, "Content-Type", "application/json"}
	ask := func(path string, body object) {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		u.Request(http.MethodPost, path, string(data), headers...)
	}
	slow := func(s *ingresstest.SlowReader) {
		s.Until("HTTP/1.1 ")
		s.Trickle()
	}
	n := 0
	for _, path := range []string{at(c, "/events?follow=true&after=0"), at(c, "/files/large.bin"), at(c, "")} {
		u.Request(http.MethodGet, path, "", headers...)
		slow(u.Request(http.MethodGet, path, "", headers...))
		n += 2
	}
	partly := u.Request(http.MethodGet, at(c, "/files/large.bin"), "", append(headers, "Range", "bytes=1-")...)
	partly.Until("HTTP/1.1 206")
	n++
	asked := []service.Conversation{b.conversation(), b.conversation(), b.conversation()}
	ask("/api/v1/chat", object{"conversation_id": asked[0].ID, "message": "more"})
	ask(completionsPath, says("more", "conversation_id", asked[1].ID, "stream", true))
	ask(completionsPath, says("more", "conversation_id", asked[2].ID))
	n += len(asked)
	require.Eventually(t, func() bool { return b.queued() == 1+len(asked) }, ingresstest.Limit, time.Millisecond)
	b.chats(other, "hello").until("accepted")
	b.claims(other, "t2").answers("short")
	for i, c := range asked {
		b.claims(c, chat.TurnID(fmt.Sprint("more", i))).answers(large)
	}
	require.Eventually(t, func() bool { return u.Cut() == n }, ingresstest.Limit, time.Millisecond)
	u.Ends()
	require.Eventually(t, func() bool { return b.Pool.Stat().AcquiredConns() == 0 }, ingresstest.Limit, time.Millisecond)
	for range 8 {
		b.watches(c, "1000000") // the places of readers are free
	}
}

// TestAttack_DownloadsOfOneAddressAreBounded opens more downloads than an address may have and reads none of them: another address is served.
func TestAttack_DownloadsOfOneAddressAreBounded(t *testing.T) {
	b := setup(t)
	workspace := b.onRunner()
	c := b.conversation()
	b.made(workspace, c, "generated/large.bin", strings.Repeat("0123456789abcdef", 128<<10))
	b.made(workspace, c, "generated/small.txt", "small")
	came, held := make(chan struct{}, 1000), make(chan struct{})
	release := sync.OnceFunc(func() { close(held) })
	u := ingresstest.NewSlowReadServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.api.ServeHTTP(&heldWriter{w, came, held}, r)
	}))
	t.Cleanup(release)
	const most = 128
	headers := []string{"Authorization", "Bearer " + b.key, "X-From", "203.0.113.7"}
	for range most {
		u.Request(http.MethodGet, at(c, "/files/large.bin"), "", headers...)
	}
	for range most {
		<-came
	}
	b.do(b.key, http.MethodGet, at(c, "/files/small.txt"), nil, "X-From", "203.0.113.7").is(http.StatusTooManyRequests, nil)
	b.do(b.key, http.MethodGet, at(c, "/files/small.txt"), nil, "X-From", "203.0.113.8").is(http.StatusOK, nil)
	release()
	u.Ends()
	b.do(b.key, http.MethodGet, at(c, "/files/small.txt"), nil, "X-From", "203.0.113.7").is(http.StatusOK, nil)
}

// heldWriter writes once held is closed, so that no download ends before all have begun.
type heldWriter struct {
	http.ResponseWriter

	came chan<- struct{} // receives for each write that begins
	held <-chan struct{}
}

// Unwrap lets deadlines be set.
func (w *heldWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write waits and writes.
func (w *heldWriter) Write(b []byte) (int, error) {
	w.came <- struct{}{}
	<-w.held
	return w.ResponseWriter.Write(b)
}
