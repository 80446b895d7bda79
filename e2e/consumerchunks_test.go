package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/service"
)

// argumentsOf are the arguments of calls as their reader has them in the end: as pieces tell them, and as the calls show them.
func argumentsOf(t *testing.T, all []toldEvent) (pieces, whole map[any]string) {
	t.Helper()
	pieces, whole = map[any]string{}, map[any]string{}
	for _, e := range all {
		id := e.data["id"]
		switch e.kind {
		case "tool_call_chunk":
			require.Empty(t, e.id, "it is told again to whoever comes again")
			require.NotContains(t, whole, id, "a piece comes before its call")
			pieces[id] += e.data["args_delta"].(string)
		case "restart":
			for id := range pieces {
				if _, begun := whole[id]; !begun {
					delete(pieces, id)
				}
			}
		case "tool_call":
			whole[id] = e.data["args"].(string)
		}
	}
	return pieces, whole
}

func TestConsumer_TheArgumentsOfCallsAreToldWhileTheyAreWritten(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	id := c.begins()
	long := strings.Repeat("字 and a word, ", 20)
	text := fmt.Sprintf("gap 20ms\nsay I look\ncall Glob {\"pattern\":\"*.%s\"}\ncall Read {\"path\":\"/generated/%s\"}\nsay found", long, long)
	all := c.chats(id, text, nil)
	require.Equal(t, "done", all[len(all)-1].kind, "%v", all)
	pieces, whole := argumentsOf(t, all)
	require.Len(t, whole, 2)
	require.Equal(t, whole, pieces, "pieces of calls do not mix, and are all of them")
	count := 0
	for _, e := range all {
		if e.kind == "tool_call_chunk" {
			count++
		}
	}
	require.Greater(t, count, 4, "they grow")
}

func TestConsumer_ArgumentsAreToldAnewOnceAfterAKill(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	id := c.begins()
	text := fmt.Sprintf("gap 40ms\ncall Glob {\"pattern\":\"*.%s\"}\nsay found", strings.Repeat("字 and a word, ", 60))
	begun := c.chats(id, text, isKind("tool_call_chunk"), "Idempotency-Key", "k")
	require.Equal(t, "tool_call_chunk", begun[len(begun)-1].kind, "the program went away in the middle")
	after := fmt.Sprint(c.conversation(id).Seq)
	again := c.follows(http.MethodGet, "/api/v1/conversations/"+id+"/events", nil, isKind("tool_call_chunk"), "Last-Event-ID", after)
	together, _ := argumentsOf(t, append(begun, again...))
	require.Len(t, together, 1)
	for _, arguments := range together {
		require.Equal(t, 1, strings.Count(arguments, `"pattern"`), "whoever comes again has them once: %s", arguments)
	}

	c.crash()
	c.boot()
	all := c.untilDone(id, text, "k")
	pieces, whole := argumentsOf(t, all)
	require.Len(t, whole, 1)
	for id, arguments := range pieces {
		require.Equal(t, whole[id], arguments, "nothing of the attempt before the kill stands there")
	}
	require.Equal(t, 1, c.turns(id))
}

func TestConsumer_AKilledWorkerRestartsArgumentsAndDoublesNothing(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	c := p.publishesService(service.Patch{})
	id := c.begins()
	killed := false
	all := c.chats(id, fmt.Sprintf("gap 40ms\ncall Glob {\"pattern\":\"*.%s\"}\nsay found", strings.Repeat("字 and a word, ", 60)), func(e toldEvent) bool {
		if e.kind == "tool_call_chunk" && !killed {
			killed = true
			p.worker.kill()
			p.worker.start()
		}
		return false
	}, "Idempotency-Key", "k")
	require.True(t, killed)
	require.Equal(t, "done", all[len(all)-1].kind, "the stream itself was not cut")
	require.Contains(t, kindsOf(all), "restart")
	pieces, whole := argumentsOf(t, all)
	require.Len(t, whole, 1)
	require.Equal(t, whole, pieces)
	require.Equal(t, 1, c.turns(id))
}

func TestOpenAI_NothingOfACallOfAServiceIsShown(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	got, err := c.asks(t.Context(), http.MethodPost, "/api/v1/chat/completions", map[string]any{
		"model": "any", "stream": true, "messages": []map[string]string{{"role": "user", "content": "gap 20ms\ncall Glob {\"pattern\":\"*.heliotrope-heliotrope-heliotrope\"}\nsay found"}},
	})
	require.NoError(t, err)
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.Contains(t, string(body), "found")
	require.Contains(t, string(body), "data: [DONE]")
	for _, hidden := range []string{"heliotrope", "Glob", "tool_call"} {
		require.NotContains(t, string(body), hidden)
	}
}
