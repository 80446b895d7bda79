package activitiestest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/compress"
	"xbot/internal/chat"
	"xbot/internal/memory"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/window"
)

// Conversation is a session with past turns and a turn that runs, whose request is to be compressed.
type Conversation struct {
	*Fixture
	User chat.UserID
}

// Past ends the running turn and adds n turns, each a question with an identifier, a command with a long result and an
// answer; then it opens a turn for the last message.
func Past(t *testing.T, n int, last engine.NewRow) *Conversation {
	b := &Conversation{Fixture: New(t, "the first question, about /srv/first.conf")}
	_, user, err := b.Conversations.Session(t.Context(), Key)
	require.NoError(t, err)
	b.User = user
	b.CloseTurn(Turn)
	for i := range n {
		id := chat.TurnID(fmt.Sprintf("past-%d", i))
		b.OpenTurn(id, engine.NewRow{Text: fmt.Sprintf("Question %d: why does /srv/app/mod%d.go fail with ERR_%d?", i, i, 1000+i)})
		b.CommitAnswer(id, 0, chat.Answer{Text: "Let me look.", Finish: "tool_calls", Calls: []chat.ToolCall{{
			ID: chat.NewCallID(id, 0, 0), Name: "Shell", Class: chat.ClassExec, Arguments: fmt.Sprintf(`{"command":"cat mod%d.go"}`, i), State: chat.CallOpen,
		}}})
		require.NoError(t, b.Calls.FinishCall(t.Context(), chat.NewCallID(id, 0, 0), chat.ToolResult{Content: strings.Repeat(fmt.Sprintf("line of module %d\n", i), 120)}))
		b.CommitAnswer(id, 1, chat.Answer{Text: fmt.Sprintf("It fails since build-%d changed; fixed in /srv/app/mod%d.go.", 200+i, i), Finish: "stop"})
		b.CloseTurn(id)
	}
	b.OpenTurn("now", last)
	return b
}

// OpenTurn accepts a message and claims it for a turn.
func (b *Conversation) OpenTurn(id chat.TurnID, in engine.NewRow) {
	b.T.Helper()
	in.Session, in.User, in.Channel, in.PlatformID = Key, b.User, "web", "p-"+string(id)
	_, err := b.Turns.Accept(b.T.Context(), in)
	require.NoError(b.T, err)
	_, ok, err := b.Turns.Claim(b.T.Context(), Key, id, "run-"+string(id), 0)
	require.NoError(b.T, err)
	require.True(b.T, ok)
}

// CommitAnswer commits the model's answer of a step.
func (b *Conversation) CommitAnswer(id chat.TurnID, n int, a chat.Answer) {
	b.T.Helper()
	step := chat.Step{Session: Key, Turn: id, N: n}
	_, _, _, err := b.Turns.BeginStep(b.T.Context(), step)
	require.NoError(b.T, err)
	_, err = b.Turns.CommitStep(b.T.Context(), step, a)
	require.NoError(b.T, err)
}

// CloseTurn ends a turn.
func (b *Conversation) CloseTurn(id chat.TurnID) {
	b.T.Helper()
	_, err := b.Turns.FinishTurn(b.T.Context(), Key, id, chat.TurnDone, "")
	require.NoError(b.T, err)
}

// Compress runs one attempt.
func (b *Conversation) Compress(ctx context.Context, trigger string, n int) (compress.Output, error) {
	b.T.Helper()
	var out compress.Output
	err := b.Run(ctx, activities.NameCompress, compress.Input{Session: Key, Turn: "now", N: n, Trigger: trigger}, &out)
	return out, err
}

// CompressIn compresses in another turn than the last.
func (b *Conversation) CompressIn(id chat.TurnID) compress.Output {
	b.T.Helper()
	var out compress.Output
	require.NoError(b.T, b.Run(b.T.Context(), activities.NameCompress, compress.Input{Session: Key, Turn: id, Trigger: chat.TriggerAuto}, &out))
	return out
}

// View returns what the model sees.
func (b *Conversation) View() []chat.Line {
	b.T.Helper()
	w, err := b.Conversations.Window(b.T.Context(), Key)
	require.NoError(b.T, err)
	return window.View(w)
}

// Summary returns what the model sees of the beginning.
func (b *Conversation) Summary() string {
	b.T.Helper()
	lines := b.View()
	require.True(b.T, strings.HasPrefix(lines[0].Message.Content, window.CompactedMark), lines[0].Message.Content)
	return lines[0].Message.Content
}

// AllMessages returns the whole transcript.
func (b *Conversation) AllMessages() []chat.Message {
	b.T.Helper()
	page, err := b.Conversations.Messages(b.T.Context(), Key, conversation.Page{Limit: 1000})
	require.NoError(b.T, err)
	return page.Messages
}

// Notices returns the notices of the product.
func (b *Conversation) Notices() []chat.Message {
	b.T.Helper()
	return slices.DeleteFunc(b.AllMessages(), func(m chat.Message) bool { return m.Role != chat.RoleNotice })
}

// PlainMessage is an ordinary message.
var PlainMessage = engine.NewRow{Text: "and now?"}

// Sections writes a summary with all headings.
func Sections(text string) string {
	var out strings.Builder
	for _, name := range window.Sections {
		out.WriteString("## " + name + "\n" + text + "\n\n")
		text = "None."
	}
	return out.String()
}

// Archive returns the text that a summary names last.
func (b *Conversation) Archive(summary string) string {
	b.T.Helper()
	ids := window.Recallable(summary)
	require.NotEmpty(b.T, ids)
	var body string
	err := b.Pool.QueryRow(b.T.Context(), `SELECT body FROM offloads o JOIN blobs b ON b.hash = o.blob WHERE o.id = $1`, ids[len(ids)-1]).Scan(&body)
	require.NoError(b.T, err)
	return body
}

// OfMain gives everything to the memory of the default agent.
type OfMain struct{ memory.Provider }

// Memorize memorizes for the default agent.
func (m OfMain) Memorize(ctx context.Context, in memory.MemorizeInput) (memory.MemorizeResult, error) {
	in.Agent = "main"
	return m.Provider.Memorize(ctx, in)
}

// Recall recalls what the default agent knows.
func (m OfMain) Recall(ctx context.Context, q memory.Query) (string, error) {
	q.Agent = "main"
	return m.Provider.Recall(ctx, q)
}

// MemoryOwner implements Owner of the tools of letta.
func (OfMain) MemoryOwner(_ context.Context, user chat.UserID, _ chat.SessionKey) (chat.MemoryOwner, error) {
	return chat.MemoryOwner{User: user, Agent: "main"}, nil
}
