package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/window"
)

// smallWindow is a context window that a few long messages fill.
const smallWindow = 16_000

// cramped starts a server whose model takes 16 000 tokens and refuses more. Summaries keep the names of what they stand
// for, and begin after a pause.
func cramped(t *testing.T, pause time.Duration, env ...string) *talk {
	t.Helper()
	s := newServer(t, append(env, fmt.Sprintf("LLM_MAX_CONTEXT=%d", smallWindow), "LLM_MAX_OUTPUT=2000", "LLM_RETRY_DELAY=10ms")...)
	require.NoError(t, s.model.SetWindow(llmtest.Window{Tokens: smallWindow}))
	s.model.Handle(func(r llmtest.Request) llmtest.Reply {
		switch r.System {
		case prompt.Flush():
			return llmtest.Reply{Text: prompt.NoReply}
		case prompt.Compact():
			reply := summarized(r)
			reply.Delay = pause
			return reply
		}
		return llmtest.Run(r)
	})
	return s.newTalk()
}

// summarized is a summary that names everything.
func summarized(r llmtest.Request) llmtest.Reply {
	_, body, _ := strings.Cut(r.Messages[0].Content, "characters.")
	names := append(window.Recallable(body), window.Identifiers(body)...)
	text := "## " + strings.Join(window.Sections, "\nNone.\n\n## ") + "\nGo on. Named: " + strings.Join(names, " · ")
	return llmtest.Reply{Text: text}
}

// long is a message of about 900 tokens that the model answers with a word.
func long(n int) []string {
	return []string{fmt.Sprintf("say answer %d", n), fmt.Sprintf("# about /srv/part%d.conf: ", n) + strings.Repeat("there is a lot to tell ", 150)}
}

// fill talks until the next message finds the context nearly full.
func (k *talk) fill(turns int) {
	k.t.Helper()
	for n := range turns {
		require.Equal(k.t, chat.TurnDone, k.untilEnded(time.Minute, k.send(long(n)...)).State)
	}
}

// compactions returns the notices of compressions.
func (k *talk) compactions() (out []chat.Message) {
	k.t.Helper()
	for _, m := range k.transcript().Messages {
		if m.Origin == chat.OriginContext && m.Role == chat.RoleNotice {
			out = append(out, m)
		}
	}
	return out
}

// summaries returns the requests for summaries.
func (k *talk) summaries() []llmtest.Request {
	return slices.DeleteFunc(k.model.Requests(), func(r llmtest.Request) bool { return r.System != prompt.Compact() })
}

// untilSummarizing waits until a summary is asked for.
func (k *talk) untilSummarizing() {
	k.t.Helper()
	require.Eventually(k.t, func() bool { return len(k.summaries()) > 0 }, time.Minute, 20*time.Millisecond, "nothing is compressed")
}

func TestCompress_ALongConversationStaysWithinASmallWindow(t *testing.T) {
	t.Parallel()
	k := cramped(t, 0)
	k.fill(24)
	require.Len(t, k.answers(), 24, "each message is answered")
	require.GreaterOrEqual(t, len(k.compactions()), 2)
	for _, m := range k.compactions() {
		require.Regexp(t, `^Context compacted: \d+ k → [\d.]+ k tokens\.$`, m.Content)
	}
	requests := k.model.Requests()
	for _, r := range requests {
		require.LessOrEqual(t, r.Tokens, smallWindow)
	}
	i := slices.IndexFunc(requests, func(r llmtest.Request) bool { return r.System == prompt.Flush() })
	require.GreaterOrEqual(t, i, 0, "notes can be saved before")
	require.Len(t, requests[i].Tools, 2, "with the tools of the memory and no others")
	last := requests[len(requests)-1]
	require.True(t, strings.HasPrefix(last.Messages[0].Content, window.CompactedMark))
	require.Contains(t, last.Messages[0].Content, "/srv/part0.conf", "what was said first is known still")
	k.wellFormed()
}

func TestCompress_ServerKilledInTheMiddleAndAMessageSentMeanwhile(t *testing.T) {
	t.Parallel()
	k := cramped(t, 4*time.Second)
	k.fill(8)
	id := k.send("/compact the ports")
	k.untilSummarizing()
	next := k.send("say after it")
	k.crash()
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("in the middle of a compression", restarted, id).State)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, next).State)
	require.Len(t, k.compactions(), 1, "one record, one notice")
	require.Equal(t, id, k.compactions()[0].Inbox)
	require.Equal(t, "after it", k.answers()[8])
	last := k.model.Requests()[k.model.Count()-1]
	require.True(t, strings.HasPrefix(last.Messages[0].Content, window.CompactedMark), "the message that came meanwhile sees the summary")
	require.Contains(t, k.summaries()[0].Messages[0].Content, "the ports")
	k.wellFormed()
}

func TestCompress_ACommandTakesItsPlaceBehindTheRunningTurnAndCanBeStopped(t *testing.T) {
	t.Parallel()
	k := cramped(t, time.Minute)
	k.fill(8)
	first := k.send(k.shell("%s", k.untilFile("sent")), "say first")
	k.untilTool(time.Minute, chat.CallRunning)
	id := k.send("/compress")
	require.Empty(t, k.summaries(), "a turn runs")
	k.touch("sent")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, first).State)
	k.untilSummarizing()
	asked := time.Now()
	_, err := k.client.StopTurn(t.Context(), k.key)
	require.NoError(t, err)
	require.Equal(t, chat.TurnStopped, k.untilEnded(time.Minute, id).State)
	t.Logf("compression stopped after %s", time.Since(asked).Round(time.Millisecond))
	require.Empty(t, k.compactions())
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say still here")).State)
	k.wellFormed()
}

// TestHistories_OfCompressions captures the two ways to a compression, see TestHistories_HoldReferencesOnly.
func TestHistories_OfCompressions(t *testing.T) {
	t.Parallel()
	k := cramped(t, 0)
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	k.fill(8)
	turn := k.untilEnded(time.Minute, k.send("/compact "+spoken))
	small(t, "compact command", k.capture("compact-command", turn), 20, 4<<10)
	require.Len(t, k.compactions(), 1)
	for n := 0; len(k.compactions()) == 1; n++ {
		require.Less(t, n, 20)
		turn = k.untilEnded(time.Minute, k.send(long(n)...))
	}
	small(t, "turn that compresses", k.capture("compressed", turn), 30, 6<<10) // the host's name stands in it some ten times
}
