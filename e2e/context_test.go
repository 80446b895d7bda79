package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
)

// asks says something and returns the last request that it made.
func (k *talk) asks(lines ...string) llmtest.Request {
	k.t.Helper()
	require.Equal(k.t, chat.TurnDone, k.untilEnded(2*time.Minute, k.send(lines...)).State, k.dump())
	requests := k.model.Requests()
	return requests[len(requests)-1]
}

// sent is all that the model could read of the conversation.
func sent(r llmtest.Request) string {
	var out strings.Builder
	for _, m := range r.Messages {
		out.WriteString(m.Content + "\n")
	}
	return out.String()
}

func TestContext_TheModelEditsWhatItSeesAndPeopleStillSeeAll(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	shell := fmt.Sprintf(`call Shell {"command":%q}`, "echo a-long-$((40+2))-story")
	require.Contains(t, sent(k.asks(shell, "say I ran it")), "a-long-42-story")
	var message chat.MessageID
	for _, m := range k.transcript().Messages {
		if len(m.ToolCalls) > 0 {
			message = m.ID
		}
	}
	edit := fmt.Sprintf(`call context_edit {"action":"delete","target":"m%d.1","reason":"done with it"}`, message)
	after := k.asks(edit, "say it is gone")
	require.Contains(t, after.LastTool(), "Done: edit e")
	require.NotContains(t, sent(after), "a-long-42-story")
	require.Contains(t, k.dump(), "a-long-42-story", "people see it as it was")

	k.crash()
	k.boot()
	require.NotContains(t, sent(k.asks("say still here")), "a-long-42-story", "another process tells it the same")
	list := k.asks(`call context_edit {"action":"list"}`, "say listed").LastTool()
	require.Contains(t, list, "done with it")
	_, id, _ := strings.Cut(after.LastTool(), "edit e")
	id, _, _ = strings.Cut(id, ",")
	back := k.asks(`call context_edit {"action":"undo","target":"e`+id+`"}`, "say it is back")
	require.Contains(t, sent(back), "a-long-42-story")
}

func TestContext_OldResultsAreMaskedAndRecalledAsTheyWere(t *testing.T) {
	t.Parallel()
	s := newServer(t, "LLM_MAX_CONTEXT=16000", "LLM_MAX_OUTPUT=2000", "AGENT_COMPRESS_AT=0.95")
	k := s.newTalk()
	program := []string{"each"}
	for n := range 16 {
		command := fmt.Sprintf("for i in $(seq 1 120); do echo run %d line $((i*7919)) of many; done; true f%d.txt", n, n)
		program = append(program, fmt.Sprintf(`call Shell {"command":%q}`, command))
	}
	last := k.asks(append(program, "say all ran")...)
	text := sent(last)
	require.Contains(t, text, "📂", "what is old is masked")
	at := strings.Index(text, "[masked:mk_")
	require.Positive(t, at, text)
	id := text[at+len("[masked:") : at+len("[masked:mk_0123456789")]
	k.crash()
	k.boot()
	got := k.asks(fmt.Sprintf(`call recall_masked {"id":%q}`, id), "say recalled").LastTool()
	var want string
	for _, m := range k.transcript().Messages {
		for _, c := range m.ToolCalls {
			if c.Name == "Shell" && strings.HasPrefix(got, c.Result+"\n[characters 0 to ") {
				want = c.Result
			}
		}
	}
	require.NotEmpty(t, want, "byte for byte what the command printed: %s", got)
	require.Contains(t, want, "run 0 line 7919 of many", "the oldest was masked first")
}
