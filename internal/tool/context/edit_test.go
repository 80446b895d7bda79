package context_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tool"
	toolcontext "xbot/internal/tool/context"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/window"
)

const key = chat.SessionKey("agent:main:web:thread:t")

// bundle is a conversation in a database, and the tools.
type bundle struct {
	*store.Store
	t     *testing.T
	user  chat.UserID
	tools *tool.Registry
	calls int
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	s := store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	user, err := s.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	_, err = s.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: key, Owner: user.ID, Channel: "web"})
	require.NoError(t, err)
	return &bundle{Store: s, t: t, user: user.ID, tools: tool.New(toolcontext.NewEdit(s.Conversations), toolcontext.NewRecallMasked(s.Conversations))}
}

// turn says something to the model, which makes a call for each of the results and then answers.
func (b *bundle) turn(id chat.TurnID, say string, results ...string) {
	b.t.Helper()
	ctx := b.t.Context()
	_, err := b.Turns.Accept(ctx, engine.NewRow{Session: key, User: b.user, Channel: "web", PlatformID: string(id), Text: say})
	require.NoError(b.t, err)
	_, ok, err := b.Turns.Claim(ctx, key, id, "run-"+string(id), 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	for n, result := range results {
		call := chat.ToolCall{
			ID: chat.NewCallID(id, n, 0), Name: "Read", Class: chat.ClassRead, Arguments: fmt.Sprintf(`{"path":"%s%d.go"}`, id, n),
			Summary: fmt.Sprintf("%s%d.go", id, n), State: chat.CallOpen,
		}
		b.step(chat.Step{Session: key, Turn: id, N: n}, chat.Answer{Finish: "tool_calls", Model: "test/m", Calls: []chat.ToolCall{call}})
		require.NoError(b.t, b.Calls.FinishCall(ctx, call.ID, chat.ToolResult{Content: result}))
	}
	b.step(chat.Step{Session: key, Turn: id, N: len(results)}, chat.Answer{Text: "Done with " + say, Finish: "stop", Model: "test/m"})
	_, err = b.Turns.FinishTurn(ctx, key, id, chat.TurnDone, "")
	require.NoError(b.t, err)
}

func (b *bundle) step(step chat.Step, a chat.Answer) {
	b.t.Helper()
	_, _, _, err := b.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	_, err = b.Turns.CommitStep(b.t.Context(), step, a)
	require.NoError(b.t, err)
}

func (b *bundle) window() chat.Window {
	b.t.Helper()
	w, err := b.Conversations.Window(b.t.Context(), key)
	require.NoError(b.t, err)
	return w
}

// name is how the n-th line is named in an edit.
func (b *bundle) name(n int) string { return fmt.Sprintf("m%d", b.window().Lines[n].Message.ID) }

// call runs a tool, each time under an id of its own.
func (b *bundle) call(name string, arguments map[string]any) chat.ToolResult {
	b.t.Helper()
	b.calls++
	return b.callAs(chat.NewCallID("t9", 0, b.calls), name, arguments)
}

func (b *bundle) callAs(id chat.CallID, name string, arguments map[string]any) chat.ToolResult {
	b.t.Helper()
	text, err := json.Marshal(arguments)
	require.NoError(b.t, err)
	result, err := b.tools.Run(b.t.Context(), name, tool.Call{ID: id, Session: key, User: b.user, Arguments: string(text)})
	require.NoError(b.t, err)
	return result
}

func (b *bundle) edit(arguments map[string]any) string {
	b.t.Helper()
	result := b.call("context_edit", arguments)
	require.False(b.t, result.IsError, result.Content)
	return result.Content
}

func (b *bundle) refused(arguments map[string]any) string {
	b.t.Helper()
	result := b.call("context_edit", arguments)
	require.True(b.t, result.IsError, result.Content)
	return result.Content
}

func TestEdit_ChangesTheViewAndNoRow(t *testing.T) {
	b := setup(t)
	b.turn("t1", "first", strings.Repeat("a line\n", 200), "short")
	b.turn("t2", "second")
	b.turn("t3", "third")
	b.turn("t4", "fourth")
	rows := b.window().Lines

	require.Equal(t, "Done: edit e1, truncate "+b.name(1)+".1 to 50. 1318 characters are free. undo takes it back.",
		b.edit(map[string]any{"action": "truncate", "target": b.name(1) + ".1", "max_chars": 50}))
	b.edit(map[string]any{"action": "replace", "target": b.name(0), "old_text": "f(i)rst", "new_text": "[$1]", "regex": true})
	b.edit(map[string]any{"action": "delete", "target": b.name(2)})
	b.edit(map[string]any{"action": "delete_turn", "target": b.name(4)})

	w := b.window()
	require.Equal(t, rows, w.Lines, "the rows stay")
	view := window.View(w)
	require.Len(t, view, 8)
	require.Equal(t, "[i]", view[0].Message.Content)
	require.Contains(t, view[1].Message.ToolCalls[0].Result, "characters left out")
	require.Empty(t, view[2].Message.ToolCalls)
	require.Equal(t, "third", view[4].Message.Content)
}

func TestEdit_ARetriedCallEditsOnce(t *testing.T) {
	b := setup(t)
	b.turn("t1", "one one")
	b.turn("t2", "two")
	arguments := map[string]any{"action": "replace", "target": b.name(0), "old_text": "one", "new_text": "oneone"}
	first := b.callAs("t9.0.0", "context_edit", arguments)
	again := b.callAs("t9.0.0", "context_edit", arguments)
	require.False(t, again.IsError)
	require.Equal(t, first.Content, again.Content)
	require.Equal(t, "oneone oneone", window.View(b.window())[0].Message.Content)
	require.Len(t, b.window().Controls, 1)
	require.Equal(t, chat.TurnID("t9"), b.window().Controls[0].Turn)
}

func TestEdit_ProtectsTheNewestMessagesAndTheRunningTurn(t *testing.T) {
	b := setup(t)
	b.turn("t1", "first", "r")
	b.turn("t2", "second", "r1", "r2", "r3", "r4")
	before := b.window()
	n := len(before.Lines)
	require.Contains(t, b.refused(map[string]any{"action": "delete", "target": b.name(n - 1)}), "protected")
	require.Contains(t, b.refused(map[string]any{"action": "truncate", "target": b.name(n-3) + ".1", "max_chars": 1}), "protected")
	require.Contains(t, b.refused(map[string]any{"action": "delete", "target": b.name(n - 6)}), "protected", "what the turn answers")
	require.Contains(t, b.refused(map[string]any{"action": "delete_turn", "target": b.name(n - 5)}), "cannot be deleted")
	b.edit(map[string]any{"action": "delete", "target": b.name(n-5) + ".1"})
	b.edit(map[string]any{"action": "delete_turn", "target": b.name(0)})
	require.Len(t, b.window().Controls, 2)
}

func TestEdit_RefusesWhatHasNoMeaning(t *testing.T) {
	b := setup(t)
	b.turn("t1", "first", "r")
	b.turn("t2", "second")
	b.turn("t3", "third")
	m := b.name(1)
	for _, c := range []struct {
		want      string
		arguments map[string]any
	}{
		{"action must be", map[string]any{"action": "rewrite", "target": m}},
		{"target must name a message", map[string]any{"action": "delete"}},
		{"target must name a message", map[string]any{"action": "delete", "target": "12"}},
		{"m999 is not in the context", map[string]any{"action": "delete", "target": "m999"}},
		{"has 1 result", map[string]any{"action": "delete", "target": m + ".2"}},
		{"old_text is empty", map[string]any{"action": "replace", "target": m}},
		{"not a regular expression", map[string]any{"action": "replace", "target": m, "old_text": "(", "regex": true}},
		{"old_text does not occur", map[string]any{"action": "replace", "target": m, "old_text": "none"}},
		{"short already", map[string]any{"action": "truncate", "target": m + ".1"}},
		{"would grow", map[string]any{"action": "replace", "target": b.name(2), "old_text": "", "new_text": strings.Repeat("x", 2000), "regex": true}},
		{"NUL", map[string]any{"action": "replace", "target": m, "old_text": "\x00"}},
		{"must name an edit", map[string]any{"action": "undo", "target": "all"}},
		{"there is no edit e77", map[string]any{"action": "undo", "target": "e77"}},
	} {
		if c.want == "would grow" {
			c.arguments["old_text"] = "e|n|o|D|h|i|t|w|f|r|s"
		}
		require.Contains(t, b.refused(c.arguments), c.want)
	}
	require.Empty(t, b.window().Controls)
}

func TestEdit_ListsWhatThereIsAndWhatWasDone(t *testing.T) {
	b := setup(t)
	b.turn("t1", "fix the build, and then have a long look at what else there is", strings.Repeat("x", 3000))
	b.turn("t2", "thanks")
	b.turn("t3", "bye")
	first := b.name(0)
	list := b.edit(map[string]any{"action": "list"})
	require.Contains(t, list, "turn:\n  "+first+" user 62 fix the build, and then")
	require.Contains(t, list, b.name(1)+".1 3017 Read t10.go")
	require.Contains(t, list, b.name(6)+" assistant 13 (protected)")
	require.Contains(t, list, "largest: "+b.name(1)+".1 (3017)")
	require.NotContains(t, list, "edits")

	b.edit(map[string]any{"action": "delete", "target": b.name(1) + ".1", "reason": "wrong\nfile"})
	b.edit(map[string]any{"action": "truncate", "target": first, "max_chars": 13, "reason": "long"})
	require.Equal(t, "Edit e1 holds no more.", b.edit(map[string]any{"action": "undo", "target": "e1"}))
	require.Contains(t, b.refused(map[string]any{"action": "undo", "target": "e1"}), "taken back before")
	list = b.edit(map[string]any{"action": "list"})
	require.Contains(t, list, "edits, newest first:\n  e2 truncate "+first+" to 13: long\n  e1 delete "+b.name(1)+".1 (undone): wrong file")
	require.Contains(t, list, b.name(1)+".1 3017", "what was taken back is there again")

	from := b.edit(map[string]any{"action": "list", "target": b.name(3)})
	require.NotContains(t, from, "fix the build")
	require.Contains(t, from, "thanks")
}

func TestEdit_ALongListGoesOn(t *testing.T) {
	b := setup(t)
	results := make([]string, 110)
	for i := range results {
		results[i] = "r"
	}
	b.turn("t1", "all", results...)
	list := b.edit(map[string]any{"action": "list"})
	next := b.name(100)
	require.Contains(t, list, "(12 more; list with target "+next+" goes on)")
	require.Contains(t, b.edit(map[string]any{"action": "list", "target": next}), next+".1")
}

// broken fails when something is to be recorded.
type broken struct{ toolcontext.Records }

func (broken) AddControl(context.Context, chat.SessionKey, chat.Control) (chat.Control, bool, error) {
	return chat.Control{}, false, fault.Errorf(fault.Unavailable, "%w", errors.New("the disk is full"))
}

func TestEdit_IsNotReportedUnlessItIsRecorded(t *testing.T) {
	b := setup(t)
	b.turn("t1", "first")
	b.turn("t2", "second")
	b.tools = tool.New(toolcontext.NewEdit(broken{b.Conversations}))
	text := fmt.Sprintf(`{"action":"delete","target":%q}`, b.name(0))
	_, err := b.tools.Run(t.Context(), "context_edit", tool.Call{ID: "t9.0.0", Session: key, User: b.user, Arguments: text})
	require.ErrorContains(t, err, "the disk is full", "the activity tries again")
}

// mask hides all results that can be hidden.
func (b *bundle) mask() []chat.Mask {
	b.t.Helper()
	w := b.window()
	masks := window.Mask(window.View(w), window.Masked(w.Controls), 0.95, func(s string) int { return len(s) / 4 })
	require.NotEmpty(b.t, masks)
	_, _, err := b.Conversations.AddControl(b.t.Context(), key, chat.Control{Kind: chat.ControlMask, Message: w.Last(), Masks: masks})
	require.NoError(b.t, err)
	return masks
}

func TestRecallMasked_GivesBackExactlyWhatTheCallGave(t *testing.T) {
	b := setup(t)
	whole := strings.Repeat("第一行 of many\n", 2000)
	b.turn("t1", "read", whole, whole+"2", "r", "r", "r")
	masks := b.mask()
	require.Len(t, masks, 2)
	require.NotContains(t, fmt.Sprint(window.View(b.window())), "第一行")

	var got strings.Builder
	for offset := 0; offset < len([]rune(whole)); offset += 16000 {
		page := b.call("recall_masked", map[string]any{"id": "[masked:" + masks[0].ID + "]", "offset": offset, "limit": 99999})
		require.False(t, page.IsError, page.Content)
		body, _, found := cutLast(page.Content, "\n[characters ")
		require.True(t, found)
		got.WriteString(body)
	}
	require.Equal(t, whole, got.String())

	list := b.call("recall_masked", map[string]any{"list": true}).Content
	require.Contains(t, list, "2 masked results, newest first:\n"+masks[1].Text+"\n"+masks[0].Text)
	require.Equal(t, list, b.call("recall_masked", map[string]any{}).Content)
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func TestRecallMasked_KnowsOnlyItsConversation(t *testing.T) {
	b := setup(t)
	b.turn("t1", "read", strings.Repeat("secret ", 100), "r", "r", "r")
	id := b.mask()[0].ID
	other := chat.SessionKey("agent:main:web:thread:other")
	_, err := b.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: other, Owner: b.user, Channel: "web"})
	require.NoError(t, err)
	result, err := b.tools.Run(t.Context(), "recall_masked", tool.Call{ID: "t9.0.0", Session: other, Arguments: `{"id":"` + id + `"}`})
	require.NoError(t, err)
	require.True(t, result.IsError)
	require.NotContains(t, result.Content, "secret")
	require.Contains(t, b.call("recall_masked", map[string]any{"id": "mk_0000000000"}).Content, "no masked result")
	require.Contains(t, b.call("recall_masked", map[string]any{"id": "ol_0011"}).Content, "offload_recall")
	result, err = b.tools.Run(t.Context(), "recall_masked", tool.Call{ID: "t9.0.0", Session: other, Arguments: `{}`})
	require.NoError(t, err)
	require.Equal(t, "Nothing is masked in this conversation.", result.Content)
}
