package people_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/user/users"
)

// TestAttack_AnswersThatNobodyReads opens as many requests as a person may have and reads none of the answers. Each is cut, the turns are answered all
// the same, another person is served meanwhile, and the places are free afterwards.
func TestAttack_AnswersThatNobodyReads(t *testing.T) {
	b := setup(t)
	large := strings.Repeat("0123456789abcdef", 32<<10) // 512 kB
	b.agent = func(t turn, asked chat.Message) {
		if asked.Content == "short" {
			t.answers("short")
			return
		}
		t.answers(large[:len(large)/2], large[len(large)/2:])
	}
	bob, err := b.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	theirs := b.tokenOf(bob, users.ScopeChat)
	u := ingresstest.NewSlowReadServer(t, b.handler)
	respond := func(more object) object {
		out := object{"model": "xbot", "input": "large"}
		maps.Copy(out, more)
		return out
	}
	const most = 32
	for i := range most {
		path, body := chats, says("large")
		switch i % 4 {
		case 1:
			body = says("large", object{"stream": true})
		case 2:
			path, body = "/v1/responses", respond(nil)
		case 3:
			path, body = "/v1/responses", respond(object{"stream": true})
		}
		data, err := json.Marshal(body)
		require.NoError(t, err)
		client := u.Request(http.MethodPost, path, string(data), "Authorization", "Bearer "+b.token, "Content-Type", "application/json", "Idempotency-Key", fmt.Sprint(i))
		if i < 4 {
			client.Until("HTTP/1.1 ")
			client.Trickle()
		}
	}
	b.do(theirs, http.MethodPost, chats, says("short")).is(http.StatusOK, nil)
	require.Eventually(t, func() bool { return u.Cut() == most }, ingresstest.Limit, time.Millisecond)
	u.Ends()
	b.post(chats, says("short")).is(http.StatusOK, nil)
	sent := 0
	for _, text := range b.sent() {
		if text == "large" {
			sent++
		}
	}
	require.Equal(t, most, sent)
	var answered int
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT count(*) FROM messages WHERE role = 'assistant' AND length(content) = $1", len(large)).Scan(&answered))
	require.Equal(t, most, answered, "an answer does not wait for its reader")
}
