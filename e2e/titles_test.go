package e2e

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
	"xbot/workflows"
)

// titling starts a server whose model names conversations with what a handler says.
func titling(t *testing.T, title llmtest.Handler) *server {
	t.Helper()
	s := newServer(t, "AGENT_TITLES=on")
	s.model.Handle(func(r llmtest.Request) llmtest.Reply {
		if names(r) {
			return title(r)
		}
		return llmtest.Run(r)
	})
	return s
}

// names reports whether a request names a conversation.
func names(r llmtest.Request) bool {
	return strings.HasPrefix(r.System, "You name conversations.")
}

// asksForTitles counts the requests that name conversations.
func (s *server) asksForTitles() (n int) {
	for _, r := range s.model.Requests() {
		if names(r) {
			n++
		}
	}
	return n
}

// title is what the list shows.
func (k *talk) title() string {
	k.t.Helper()
	s, err := k.client.GetSession(k.t.Context(), k.key)
	require.NoError(k.t, err)
	return s.Title
}

// untilTitled waits until the list shows a title.
func (k *talk) untilTitled(want string) {
	k.t.Helper()
	require.Eventually(k.t, func() bool { return k.title() == want }, crashLimit, 20*time.Millisecond, "the title is %q", k.title())
}

// named waits until the run that names the conversation has ended.
func (k *talk) named() {
	k.t.Helper()
	require.NoError(k.t, k.temporal().GetWorkflow(k.t.Context(), workflows.TitleID(k.key), "").Get(k.t.Context(), nil))
}

func TestTitles_TheModelNamesAConversationOnceAndAPersonsNameStays(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var held atomic.Bool
	s := titling(t, func(llmtest.Request) llmtest.Reply {
		if held.Load() {
			<-release
		}
		return llmtest.Reply{Text: "<think>hm</think>\n\"**Huts in the Dolomites.**\"\nand more"}
	})
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	k := s.newTalk()
	turn := k.untilEnded(time.Minute, k.send("# "+spoken, "say by bus"))
	k.untilTitled("Huts in the Dolomites")
	k.named()
	k.done("say and on foot")
	require.Equal(t, 1, s.asksForTitles(), "once for a conversation")
	small(t, "turn of a title", k.capture("titled", k.closed(turn)), 30, 6<<10)
	small(t, "title", k.captureRun("title", workflows.TitleID(k.key), ""), 20, 4<<10)

	held.Store(true)
	k = s.newTalk()
	k.done("say by train")
	require.Eventually(t, func() bool { return s.asksForTitles() == 2 }, time.Minute, 10*time.Millisecond)
	k.done("say the next message waits for no title")
	_, err := s.client.UpdateSession(t.Context(), k.key, apiclient.Change{Title: new("Mine")})
	require.NoError(t, err)
	close(release)
	k.named()
	require.Equal(t, "Mine", k.title())
}

func TestTitles_AServerKilledBetweenTheAnswerAndTheTitleNamesTheConversationLater(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := titling(t, func(llmtest.Request) llmtest.Reply {
		if asked.Add(1) == 1 {
			return llmtest.Reply{Delay: time.Hour}
		}
		return llmtest.Reply{Text: "Huts"}
	})
	k := s.newTalk()
	k.done("say by bus")
	require.Eventually(t, func() bool { return asked.Load() == 1 }, time.Minute, 10*time.Millisecond)
	k.crash()
	k.boot()
	k.untilTitled("Huts")
	require.Equal(t, []string{"by bus"}, k.answers())
	k.wellFormed()
}

func TestTitles_AProviderThatFailsIsNotAskedForEver(t *testing.T) {
	t.Parallel()
	s := titling(t, func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Status: 503, Error: "away"} })
	k := s.newTalk()
	k.closed(k.untilEnded(time.Minute, k.send("# the first words", "say by bus")))
	before := k.title()
	k.named()
	tries := s.asksForTitles()
	require.Positive(t, tries)
	k.closed(k.untilEnded(time.Minute, k.send("say on foot")))
	require.Equal(t, tries, s.asksForTitles())
	require.Equal(t, before, k.title())
}
