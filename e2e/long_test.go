package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
	"xbot/internal/turn/prompt"
)

// longWindow is the context window of the long conversation, in tokens: one of its larger results fills a third of it.
const longWindow = 32_000

// TestLong_AConversationOfAnyLengthStaysWithinItsWindow talks for 120 turns, or as many as XBOT_LONG_TURNS says, with
// results of 3 to 48 kB, while the server is killed at random moments. The model refuses what is longer than its window
// and requests whose calls and results are not in pairs. How long turns take is printed, never asserted.
func TestLong_AConversationOfAnyLengthStaysWithinItsWindow(t *testing.T) {
	t.Parallel()
	turns := longTurns(t)
	c := newLongConversation(t, turns)
	every := max(60, turns/10)
	for n := 1; n <= turns; n++ {
		c.take(n, n%every == every/2)
		c.tell(n, turns)
	}
	c.settled(turns)
}

func longTurns(t *testing.T) int {
	t.Helper()
	text := os.Getenv("XBOT_LONG_TURNS")
	if text == "" {
		return 120
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "XBOT_LONG_TURNS is a number of turns")
	require.GreaterOrEqual(t, n, 60, "the window is not full before")
	return n
}

// longConversation is a conversation with all that is to be known of it.
type longConversation struct {
	*talk
	random *rand.Rand
	events chan chat.Event
	kept   []keptResult
	took   map[int]time.Duration // by turn, of those without a kill
	kills  int
	recall int // results that were recalled

	mu       sync.Mutex
	requests int // that were taken
	largest  int // that was taken, in tokens
}

// keptResult is a result of which the model sees a summary.
type keptResult struct {
	offload string
	call    chat.CallID
	printed string // what the whole begins with: all that the command printed or the file held
}

func newLongConversation(t *testing.T, turns int) *longConversation {
	t.Helper()
	s := newServer(t, fmt.Sprintf("LLM_MAX_CONTEXT=%d", longWindow), "LLM_MAX_OUTPUT=2000", "LLM_RETRY_DELAY=10ms")
	require.NoError(t, s.model.SetWindow(llmtest.Window{Tokens: longWindow}))
	s.model.Strict()
	c := &longConversation{
		random: rand.New(rand.NewPCG(4, uint64(turns))), took: map[int]time.Duration{}, events: make(chan chat.Event, 256),
	}
	s.model.Handle(c.answer)
	c.talk = s.newTalk()
	go c.follow(t.Context())
	return c
}

// follow passes on what the feed tells, also past the end of a server.
func (c *longConversation) follow(ctx context.Context) {
	defer close(c.events)
	for u := range c.client.Watch(ctx, c.key, 0) {
		if u.Event == nil {
			continue
		}
		select {
		case c.events <- *u.Event:
		case <-ctx.Done():
			return
		}
	}
}

// answer is the model: it does what it is told, writes summaries that name everything, and notes what it was sent.
func (c *longConversation) answer(r llmtest.Request) llmtest.Reply {
	c.note(r)
	switch r.System {
	case prompt.Flush():
		return llmtest.Reply{Text: prompt.NoReply}
	case prompt.Compact():
		return summarized(r)
	}
	return llmtest.Run(r)
}

func (c *longConversation) note(r llmtest.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.largest = max(c.largest, r.Tokens)
}

// work is what a turn asks for, with what its calls must bring to light, in their order.
type work struct {
	lines []string
	want  []string
}

// plan makes up a turn. Four kinds follow one another, so that any stretch of turns has the same mixture.
func (c *longConversation) plan(n int) work {
	w := work{}
	if n%2 == 0 { // what people write is never offloaded or masked: only a compaction makes room
		w.lines = append(w.lines, long(n)[1])
	}
	switch n % 4 {
	case 0:
		c.print(&w, n, 3_000+c.random.IntN(26_000))
	case 1:
		c.read(&w, n, 3_000+c.random.IntN(45_000))
	case 2:
		c.print(&w, n, 3_000)
		c.print(&w, n, 6_000)
	case 3:
		c.print(&w, n, 12_000)
		c.page(&w)
	}
	w.lines = append(w.lines, fmt.Sprintf("say answer %d", n))
	return w
}

// print has a command print some bytes.
func (c *longConversation) print(w *work, n, size int) {
	command, text := c.text(n, size)
	w.lines = append(w.lines, c.shell("%s", command))
	w.want = append(w.want, text)
}

// read has a file written, over an older one, and read.
func (c *longConversation) read(w *work, n, size int) {
	command, text := c.text(n, size)
	file := fmt.Sprintf("part-%d.txt", n/4%12)
	var numbered strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&numbered, "%d\t%s\n", i+1, line)
	}
	w.lines = append(w.lines, c.shell("%s > %s", command, file), "then", fmt.Sprintf(`call Read {"path":%q}`, file))
	w.want = append(w.want, "(no output)", strings.TrimSuffix(numbered.String(), "\n"))
}

// text returns a command that prints some bytes, and these bytes. No two of them are the same.
func (c *longConversation) text(n, size int) (command, text string) {
	mark := fmt.Sprintf("turn %d, %x: été 行 line ", n, c.random.Uint32())
	tail := " of a result that is read once and kept"
	lines := make([]string, size/(len(mark)+len(tail)+4)) // with a number of three digits and a line break
	for i := range lines {
		lines[i] = mark + strconv.Itoa(i+1) + tail
	}
	return fmt.Sprintf("seq -f '%s%%g%s' %d", mark, tail, len(lines)), strings.Join(lines, "\n")
}

// page has a part of an earlier result recalled.
func (c *longConversation) page(w *work) {
	if len(c.kept) == 0 {
		return
	}
	kept := c.kept[c.random.IntN(len(c.kept))]
	runes := []rune(kept.printed)
	offset := c.random.IntN(len(runes) - 1)
	end := min(offset+1+c.random.IntN(8_000), len(runes))
	w.lines = append(w.lines, "then", fmt.Sprintf(`call offload_recall {"id":%q,"offset":%d,"limit":%d}`, kept.offload, offset, end-offset))
	w.want = append(w.want, string(runes[offset:end]))
	c.recall++
}

// take has one turn, with a kill of the server in it or not.
func (c *longConversation) take(n int, kill bool) {
	c.t.Helper()
	w := c.plan(n)
	began := time.Now()
	id := c.send(w.lines...)
	if kill {
		<-time.After(time.Duration(c.random.IntN(200)) * time.Millisecond) // whatever happens to be going on then
		c.crash()
		c.boot()
		c.kills++
	}
	turn, calls := c.ended(id)
	require.Equal(c.t, chat.TurnDone, turn.State, "turn %d", n)
	if !kill {
		c.took[n] = time.Since(began)
	}
	require.Len(c.t, calls, len(w.want), "turn %d", n)
	for i, call := range calls {
		c.check(call, w.want[i])
	}
}

// ended waits for the end of a message's turn and returns it with its calls.
func (c *longConversation) ended(id chat.InboxID) (chat.Turn, []chat.ToolCall) {
	c.t.Helper()
	var turn chat.TurnID
	var calls []chat.ToolCall
	late := time.After(crashLimit)
	for {
		select {
		case e, ok := <-c.events:
			require.True(c.t, ok, "the feed ended")
			switch e.Kind {
			case chat.EventMessage:
				if m := decode[chat.Message](c.t, e); m.Inbox == id && m.Role == chat.RoleUser {
					turn, calls = m.Turn, nil
				}
			case chat.EventTool:
				if call := decode[chat.ToolEvent](c.t, e); call.Turn == turn && call.State == chat.CallDone {
					calls = append(calls, call.ToolCall)
				}
			case chat.EventTurn:
				if got := decode[chat.Turn](c.t, e); turn != "" && got.ID == turn && got.State != chat.TurnRunning && got.State != chat.TurnReleased {
					return got, calls
				}
			}
		case <-late:
			require.Fail(c.t, "the turn does not end", "%s", c.dump())
		}
	}
}

// check compares a result with what must be in it, byte by byte, and keeps it in mind when the model sees a summary.
func (c *longConversation) check(call chat.ToolCall, want string) {
	c.t.Helper()
	require.False(c.t, call.IsError, call.Result)
	if call.Offload == "" {
		c.same(want, call.Result)
		return
	}
	require.Contains(c.t, call.Result, "[offload:"+call.Offload+"]")
	require.Less(c.t, len(call.Result), len(want)/2+1, "a summary is shorter than what it stands for")
	c.kept = append(c.kept, keptResult{call.Offload, call.ID, want})
	old := c.kept[c.random.IntN(len(c.kept))]
	c.same(old.printed, c.whole(old.call))
}

// same checks that a result is a text and no more than a line that says how it ended.
func (c *longConversation) same(want, got string) {
	c.t.Helper()
	rest, ok := strings.CutPrefix(got, want)
	require.True(c.t, ok, "%d bytes were printed, and %d bytes begin otherwise: %.300s", len(want), len(got), got)
	require.NotContains(c.t, strings.Trim(rest, "\n"), "\n")
}

// settled checks the whole conversation in the end: every message is answered once, in order, and every result is there.
func (c *longConversation) settled(turns int) {
	c.t.Helper()
	var answers []string
	asked := map[chat.InboxID]bool{}
	compactions := 0
	for _, m := range c.history() {
		switch {
		case m.Role == chat.RoleUser:
			require.False(c.t, asked[m.Inbox], "message %d stands twice in the transcript", m.Inbox)
			asked[m.Inbox] = true
		case m.Role == chat.RoleAssistant && len(m.ToolCalls) == 0:
			answers = append(answers, m.Content)
		case m.Role == chat.RoleNotice:
			require.Equal(c.t, chat.OriginContext, m.Origin, m.Content)
			compactions++
		}
		for _, call := range m.ToolCalls {
			require.Equal(c.t, chat.CallDone, call.State, "call %s", call.ID)
		}
	}
	require.Len(c.t, asked, turns)
	require.Len(c.t, answers, turns)
	for i, answer := range answers {
		require.Equal(c.t, fmt.Sprintf("answer %d", i+1), answer)
	}
	for _, kept := range c.kept {
		c.same(kept.printed, c.whole(kept.call))
	}
	require.GreaterOrEqual(c.t, compactions, turns/60, "the window is small")
	c.t.Logf("%d turns, %d kills, %d compactions, %d results offloaded, %d recalled", turns, c.kills, compactions, len(c.kept), c.recall)
	c.mu.Lock()
	defer c.mu.Unlock()
	refused := c.model.Count() - c.requests
	c.t.Logf("%d requests were taken, the largest of %d tokens, and %d refused", c.requests, c.largest, refused)
	require.Zero(c.t, refused, "every request is whole, and the conversation is compressed before the provider has to ask for it")
}

// history returns the whole transcript, read from its end.
func (c *longConversation) history() (all []chat.Message) {
	c.t.Helper()
	var before chat.MessageID
	for {
		t, err := c.client.ListMessages(c.t.Context(), c.key, apiclient.ListMessagesParams{Before: before, Limit: 500})
		require.NoError(c.t, err)
		require.Empty(c.t, t.Queued, "messages still wait")
		all = append(t.Messages, all...)
		if !t.HasMore {
			return all
		}
		before = t.Messages[0].ID
	}
}

// tell prints how long turns take around some of them, and at the end.
func (c *longConversation) tell(turn, turns int) {
	const around = 10 // turns on either side, so five of each kind
	if turn != turns && !slices.Contains([]int{10, 100, 500, 1000, 1500}, turn-around) {
		return
	}
	var took []time.Duration
	for n := turn - 2*around + 1; n <= turn; n++ {
		if d, ok := c.took[n]; ok {
			took = append(took, d)
		}
	}
	slices.Sort(took)
	c.t.Logf("turns around %4d: median %4d ms, longest %4d ms", turn-around, took[len(took)/2].Milliseconds(), took[len(took)-1].Milliseconds())
}
