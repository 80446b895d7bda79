package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
	"xbot/internal/memory"
	"xbot/internal/memory/embed/embedtest"
)

// embeddings is a service that is compatible with OpenAI's, and knows that an automobile is a car.
func embeddings(t *testing.T) *httptest.Server {
	t.Helper()
	made := &embedtest.Embedder{Thesaurus: map[string]string{"automobile": "car"}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		found, _ := made.Embed(r.Context(), asked.Input) // it was not told to fail
		data := make([]map[string]any, len(found))
		for i, e := range found {
			data[i] = map[string]any{"index": i, "embedding": e}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data}) // the server that asked sees what is missing
	}))
	t.Cleanup(s.Close)
	return s
}

// TestLetta_WhatAModelKeepsIsThereInLaterConversationsAndAfterAKill sees memory in tiers where it arrives: at the model.
func TestLetta_WhatAModelKeepsIsThereInLaterConversationsAndAfterAKill(t *testing.T) {
	t.Parallel()
	s := newServer(t, "MEMORY_PROVIDER=letta", "LLM_EMBEDDING_MODEL=test", "LLM_EMBEDDING_BASE_URL="+embeddings(t).URL)
	last := func(k *talk, lines ...string) llmtest.Request {
		t.Helper()
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(lines...)).State)
		requests := s.model.Requests()
		return requests[len(requests)-1]
	}
	k := s.newTalk()
	first := last(k, "say hello")
	for _, tool := range first.Tools {
		provider, ok := memory.ProviderOf(tool.Name)
		require.True(t, !ok || provider == memory.Letta, "%s is of another memory", tool.Name)
	}
	require.True(t, slices.ContainsFunc(first.Tools, func(t llmtest.Tool) bool { return t.Name == "core_memory_append" }))
	last(
		k, `call core_memory_append {"block":"human","content":"Their name is Alice."}`,
		`call rethink {"block":"working_context","new_content":"We pack boxes."}`,
		`call archival_memory_insert {"content":"Alice drives a red automobile"}`, "say noted",
	)
	s.crash()
	s.boot()
	later := s.newTalk()
	asked := last(later, `call archival_memory_search {"query":"which car"}`, `call recall_memory_search {"query":"hello"}`, "say I see")
	require.Contains(t, asked.System, "Their name is Alice.")
	require.Contains(t, asked.System, "Entries in the archive: 1")
	require.NotContains(t, asked.System, "We pack boxes.", "which is of the other conversation")
	for _, want := range []string{"Alice drives a red automobile", "user] say hello"} {
		require.True(t, slices.ContainsFunc(asked.Messages, func(m llmtest.Message) bool {
			return m.Role == "tool" && strings.Contains(m.Content, want)
		}), "no tool said %q in %v", want, asked.Messages)
	}
}

// TestLetta_AGreetingCostsFewTokens checks the budget of 4,000 tokens where memory is kept in tiers: prompt, tools and hello as
// they were sent, for an administrator, who has all tools.
func TestLetta_AGreetingCostsFewTokens(t *testing.T) {
	t.Parallel()
	s := newServer(t, "MEMORY_PROVIDER=letta")
	k := s.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say hello")).State)
	sent := s.model.Requests()[0]
	require.Contains(t, sent.System, "<working_context")
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	n, err := codec.Count(string(sent.Raw))
	require.NoError(t, err)
	t.Logf("%d tokens, with %d tools", n, len(sent.Tools))
	require.LessOrEqual(t, n, 4000)
}

// TestLetta_AnEntryThatIsTooLongIsFoundByWhatAModelShortenedItTo goes from a tool of one conversation to the search of
// another: only the digest holds what the question means.
func TestLetta_AnEntryThatIsTooLongIsFoundByWhatAModelShortenedItTo(t *testing.T) {
	t.Parallel()
	s := newServer(t, "MEMORY_PROVIDER=letta", "LLM_EMBEDDING_MODEL=test", "LLM_EMBEDDING_BASE_URL="+embeddings(t).URL,
		"LLM_EMBEDDING_OVERLONG=compress", "LLM_EMBEDDING_MAX_TOKENS=60")
	s.model.Handle(func(r llmtest.Request) llmtest.Reply {
		if strings.Contains(r.System, "shorten an entry") {
			return llmtest.Reply{Text: "Alice drives an automobile."}
		}
		return llmtest.Run(r)
	})
	entry := strings.Repeat("The weather was fine on that day. ", 30) + "At the end Alice came in her limousine."
	k := s.newTalk()
	keep := fmt.Sprintf(`call archival_memory_insert {"content":%q}`, entry)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(keep, "say noted")).State)
	shortened := func() (n int) {
		for _, r := range s.model.Requests() {
			if strings.Contains(r.System, "shorten an entry") {
				n++
			}
		}
		return n
	}
	require.Eventually(t, func() bool { return shortened() > 0 }, 2*time.Minute, 100*time.Millisecond)
	for deadline := time.Now().Add(2 * time.Minute); !s.toolSaid("her limousine"); {
		require.True(t, time.Now().Before(deadline), "nothing with the meaning of the question stands in the entry, but in its digest")
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(`call archival_memory_search {"query":"which car"}`, "say I see")).State)
	}
	require.Equal(t, 1, shortened())
}

// toolSaid reports whether the model saw a result of a tool that holds a text.
func (s *server) toolSaid(text string) bool {
	return slices.ContainsFunc(s.model.Requests(), func(r llmtest.Request) bool {
		return slices.ContainsFunc(r.Messages, func(m llmtest.Message) bool { return m.Role == "tool" && strings.Contains(m.Content, text) })
	})
}
