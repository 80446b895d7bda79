package modelcall_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/llmtest"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/prompt"
)

// say sends a message and opens a turn for it, after the one before has ended.
func (b *fixture) say(turn, program string) chat.TurnID {
	b.T.Helper()
	ctx := b.T.Context()
	_, owner, err := b.Conversations.Session(ctx, activitiestest.Key)
	require.NoError(b.T, err)
	turns, err := b.Conversations.Turns(ctx, activitiestest.Key, 1)
	require.NoError(b.T, err)
	_, err = b.Turns.FinishTurn(ctx, activitiestest.Key, turns[0].ID, chat.TurnDone, "")
	require.NoError(b.T, err)
	_, err = b.Turns.Accept(ctx, engine.NewRow{Session: activitiestest.Key, User: owner, Channel: "web", PlatformID: turn, Text: program})
	require.NoError(b.T, err)
	_, ok, err := b.Turns.Claim(ctx, activitiestest.Key, chat.TurnID(turn), "run-"+turn, 0)
	require.NoError(b.T, err)
	require.True(b.T, ok)
	return chat.TurnID(turn)
}

func (b *fixture) think(id chat.TurnID, step, compressed int) turn.GenerateOutput {
	b.T.Helper()
	var out turn.GenerateOutput
	in := turn.GenerateInput{Session: activitiestest.Key, Turn: id, Step: step, Compressed: compressed}
	require.NoError(b.T, b.Run(b.T.Context(), activities.NameGenerate, in, &out))
	return out
}

// act carries out the calls of a step.
func (b *fixture) act(id chat.TurnID, step int, out turn.GenerateOutput) {
	b.T.Helper()
	for n := range out.Calls {
		require.NoError(b.T, b.Run(b.T.Context(), activities.NameTool, turn.ToolInput{Call: chat.NewCallID(id, step, n)}, nil))
	}
}

// reads makes turns that read a file each, so that the conversation grows by about so many tokens a turn.
func (b *fixture) reads(from, to, lines int) {
	b.T.Helper()
	for i := from; i < to; i++ {
		name := fmt.Sprintf("file-%d.txt", i)
		b.Sandbox.Put(b.T, name, strings.Repeat(fmt.Sprintf("line of file %d with words in it\n", i), lines))
		t := b.say(fmt.Sprintf("read-%d", i), fmt.Sprintf("call Read {\"path\":%q}\nsay read %d", name, i))
		b.act(t, 0, b.think(t, 0, 0))
		require.Equal(b.T, "stop", b.think(t, 1, 0).Finish)
	}
}

// remade returns how a step would be sent again and requires that it is what was sent.
func (b *fixture) remade(turn chat.TurnID, step int) chat.SentStep {
	b.T.Helper()
	sent, err := b.Conversations.StepWindow(b.T.Context(), activitiestest.Key, turn, step)
	require.NoError(b.T, err)
	request, exact := prompt.Rebuild(sent)
	require.True(b.T, exact, "step %d of %s", step, turn)
	require.NotEmpty(b.T, request.Messages)
	return sent
}

func TestGenerate_EveryStepCanBeMadeAgainWhateverHappenedSince(t *testing.T) {
	b := setup(t, "say hello")
	b.Assembler.Budget.Models = limits.Table{Context: 9_000, Output: 1_000}
	b.Assembler.Budget.MaskAt, b.Assembler.Budget.CompressAt = 0.5, 0.95
	require.Equal(t, "stop", b.think(activitiestest.Turn, 0, 0).Finish)
	b.reads(0, 14, 60)

	masked := 0
	steps := map[chat.TurnID]int{activitiestest.Turn: 1}
	for i := range 14 {
		steps[chat.TurnID(fmt.Sprintf("read-%d", i))] = 2
	}
	all := func() {
		for t, n := range steps {
			for step := range n {
				sent := b.remade(t, step)
				masked = max(masked, len(sent.Window.Controls))
				require.NotZero(b.T, sent.Tokens)
			}
		}
	}
	all()
	require.Positive(t, masked, "the window is small enough for results to be masked")

	ctx := t.Context()
	w, err := b.Conversations.Window(ctx, activitiestest.Key)
	require.NoError(t, err)
	edited := w.Lines[len(w.Lines)-6]
	_, _, err = b.Conversations.AddControl(ctx, activitiestest.Key, chat.Control{
		Kind: chat.ControlEdit, Message: edited.Message.ID, Edit: &chat.Edit{Action: chat.EditDelete, Message: edited.Message.ID},
	})
	require.NoError(t, err)
	b.reads(14, 15, 3)
	steps["read-14"] = 2
	all()

	cut := w.Lines[9].Message.ID
	b.compact(cut, "They read files.")
	b.reads(15, 16, 3)
	steps["read-15"] = 2
	all()
	require.NotZero(t, b.remade("read-15", 0).Compaction)

	b.rewind("rewinding", w.Lines[len(w.Lines)-3].Message.ID)
	b.reads(16, 17, 3)
	steps["read-16"] = 2
	all()
	require.Less(t, len(b.remade("read-16", 0).Window.Lines), len(b.remade("read-15", 0).Window.Lines), "what was taken out is in the earlier steps still")
}

// compact puts a summary in the place of the conversation up to a message.
func (b *fixture) compact(upto chat.MessageID, summary string) {
	b.T.Helper()
	c, _, err := b.Conversations.AddControl(b.T.Context(), activitiestest.Key, chat.Control{
		Kind: chat.ControlCompact, Message: upto, Compaction: &chat.Compaction{Summary: summary, TokensAfter: 123},
	})
	require.NoError(b.T, err)
	_, err = b.Pool.Exec(b.T.Context(), "UPDATE sessions SET compaction_id = $1 WHERE key = $2", c.ID, activitiestest.Key)
	require.NoError(b.T, err)
}

// rewind has a turn take a message and what follows out.
func (b *fixture) rewind(turn chat.TurnID, to chat.MessageID) {
	b.T.Helper()
	ctx := b.T.Context()
	turns, err := b.Conversations.Turns(ctx, activitiestest.Key, 1)
	require.NoError(b.T, err)
	_, err = b.Turns.FinishTurn(ctx, activitiestest.Key, turns[0].ID, chat.TurnDone, "")
	require.NoError(b.T, err)
	_, owner, err := b.Conversations.Session(ctx, activitiestest.Key)
	require.NoError(b.T, err)
	_, err = b.Turns.Accept(ctx, engine.NewRow{Session: activitiestest.Key, User: owner, Channel: "web", PlatformID: string(turn), Text: "/rewind", Control: true})
	require.NoError(b.T, err)
	_, ok, err := b.Turns.Claim(ctx, activitiestest.Key, turn, "run-"+string(turn), 0)
	require.NoError(b.T, err)
	require.True(b.T, ok)
	require.NoError(b.T, b.Conversations.Rewind(ctx, turn, 0, to))
}

func TestGenerate_CompressesWhenTheWindowFillsUp(t *testing.T) {
	b := setup(t, "say hello")
	b.Assembler.Budget.Models = limits.Table{Context: 9_000, Output: 1_000}
	require.Equal(t, "stop", b.think(activitiestest.Turn, 0, 0).Finish)
	b.reads(0, 3, 100)
	b.Assembler.Budget.Models.Context = 4_000
	long := b.say("long", "say on")
	asked := b.Server.Count()
	require.Equal(t, turn.GenerateOutput{Compress: chat.TriggerAuto}, b.think(long, 0, 0))
	require.Equal(t, asked, b.Server.Count(), "the model is not asked before")
	require.Empty(t, b.LastMessage().ToolCalls)

	b.Assembler.Budget.Mode = chat.ContextNone
	require.Equal(t, "stop", b.think(long, 0, 0).Finish, "unless nothing is to be compressed by itself")
	b.Assembler.Budget.Mode = ""
	next := b.say("next", "say on")
	require.Equal(t, chat.TriggerAuto, b.think(next, 0, 0).Compress)
	require.Equal(t, "stop", b.think(next, 0, 1).Finish, "one compression a step comes by itself")

	w, err := b.Conversations.Window(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	b.compact(w.Lines[2].Message.ID, strings.Repeat("long summary ", 50))
	b.Assembler.Budget.Cooldown = 20
	soon := b.say("soon", "say on")
	require.Equal(t, "stop", b.think(soon, 0, 0).Finish, "not so soon after another one")
	b.Assembler.Budget.Cooldown = 2
	late := b.say("late", "say on")
	require.Equal(t, chat.TriggerAuto, b.think(late, 0, 0).Compress)
	s, _, err := b.Conversations.Session(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	require.Positive(t, s.ContextUsed)
	require.Equal(t, limits.DefaultContext, s.ContextMax)
}

func TestGenerate_CompressesWhatTheProviderFindsTooLong(t *testing.T) {
	b := setup(t, "say hello")
	require.Equal(t, "stop", b.think(activitiestest.Turn, 0, 0).Finish)
	b.Assembler.Budget.Mode = chat.ContextNone
	long := b.say("long", "fail 400 This model's maximum context length is 100 tokens")
	for n := range 2 { // the second request says how full the context is
		require.Equal(t, turn.GenerateOutput{Compress: chat.TriggerTooLong}, b.think(long, 0, n), "whatever the mode: there is no other way on")
	}
	asked := b.Server.Count()
	require.Empty(t, b.EventsOf(chat.EventRetry), "it is nobody's failure")
	require.Equal(t, chat.FinishError, b.think(long, 0, 2).Finish, "a compression that changed nothing is the last one")
	require.Equal(t, asked, b.Server.Count(), "the refused request is not sent again")
	require.Equal(t, i18n.Say(i18n.English, i18n.ModelTooLong), b.LastMessage().Content)
}

func TestGenerate_CompressesWhenAnAnswerRunsIntoTheEndOfTheWindow(t *testing.T) {
	b := setup(t, "say hello")
	require.Equal(t, "stop", b.think(activitiestest.Turn, 0, 0).Finish)
	b.Assembler.Budget.Mode = chat.ContextNone // so that nothing is compressed before
	short := b.say("short", "say half of\nfinish length\nusage 1000 900")
	require.Equal(t, "length", b.think(short, 0, 0).Finish, "its own limit is not the end of the window")
	for name, program := range map[string]string{
		"said so":  "say half of\nfinish model_context_window_exceeded",
		"so it is": "say half of\nfinish length\nusage 199000 900",
	} {
		end := b.say(name, program)
		require.Equal(t, turn.GenerateOutput{Compress: chat.TriggerExceeded}, b.think(end, 0, 0), name)
		require.Equal(t, chat.RoleUser, b.LastMessage().Role, "half an answer is not kept")
		require.Equal(t, "length", b.think(end, 0, 3).Finish, "it is better than none")
		require.Equal(t, "half of", b.LastMessage().Content)
	}
}

func TestGenerate_EndsALoopAfterATelling(t *testing.T) {
	b := setup(t, "say x")
	b.Sandbox.Put(t, "same.txt", "the same\n")
	b.Server.Handle(func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Calls: []llmtest.Call{{Name: "Read", Arguments: `{"path":"same.txt"}`}}}
	})
	for step := range 6 {
		out := b.think(activitiestest.Turn, step, 0)
		require.Len(t, out.Calls, 1)
		b.act(activitiestest.Turn, step, out)
	}
	require.Equal(t, turn.GenerateOutput{Finish: chat.FinishLoop}, b.think(activitiestest.Turn, 6, 0))
	require.Equal(t, i18n.Say(i18n.English, i18n.ModelLoops, "Read", 6), b.LastMessage().Content)
	require.Equal(t, chat.FinishLoop, b.think(activitiestest.Turn, 6, 0).Finish, "a repeated attempt finds it")
	requests := b.Server.Requests()
	require.Len(t, requests, 6, "the model is not asked again")
	require.Empty(t, requests[1].Reminder)
	for n, r := range requests[2:] {
		require.Contains(t, r.Reminder, fmt.Sprintf("The last %d steps made the same call, Read,", n+2))
	}
}

func TestGenerate_RemindsWithoutLeavingATrace(t *testing.T) {
	b := setup(t, "say hello", `call todo_write {"todos":[{"id":"1","text":"write the tests"},{"id":"2","text":"rest","done":true}]}`)
	out := b.think(activitiestest.Turn, 0, 0)
	require.Empty(t, b.Server.Requests()[0].Reminder, "there is nothing to say beside a greeting")
	b.act(activitiestest.Turn, 0, out)
	next := b.say("next", "call Read {\"path\":\"x\"}\nsay done")
	out = b.think(next, 0, 0)
	b.act(next, 0, out)
	b.think(next, 1, 0)
	last := b.Server.Requests()
	require.Contains(t, last[1].Reminder, "To-do list, 1 of 2 done, open:\n- 1: write the tests")
	require.Contains(t, last[2].Reminder, "1: write the tests", "at every step")
	for _, m := range b.Transcript() {
		require.NotContains(t, m.Content, "system-reminder")
	}
	require.Equal(t, last[1].Reminder, b.remade(next, 0).Reminder, "it stands with the step")
}

func TestGenerate_SendsTheStepBeforeAsItsBeginning(t *testing.T) {
	b := setup(t, "call Read {\"path\":\"a\"}", "call Shell {\"command\":\"ls\"}", "then", "call Read {\"path\":\"b\"}", "then", "say done")
	b.Sandbox.Put(t, "a", "one\n")
	b.Sandbox.Put(t, "b", "two\n")
	for step := range 3 {
		b.act(activitiestest.Turn, step, b.think(activitiestest.Turn, step, 0))
	}
	next := b.say("next", "say again")
	b.think(next, 0, 0)
	requests := b.Server.Requests()
	require.Len(t, requests, 4)
	for n, r := range requests[1:] {
		before := requests[n]
		require.Equal(t, before.System, r.System)
		require.Equal(t, before.Tools, r.Tools)
		require.Greater(t, len(r.Messages), len(before.Messages))
		require.Equal(t, before.Messages, r.Messages[:len(before.Messages)])
	}
	for n, tool := range requests[0].Tools[1:] {
		require.Less(t, requests[0].Tools[n].Name, tool.Name, "in one order in every process")
	}
}

func TestGenerate_TakesTheCountOfAPrunedRequestForNoOther(t *testing.T) {
	b := setup(t, "say hello")
	b.Assembler.Budget.Models = limits.Table{Context: 24_000, Output: 1_000}
	b.Assembler.Budget.MaskAt, b.Assembler.Budget.CompressAt, b.Assembler.Budget.Prune = 0.9, 0.95, true
	require.Equal(t, "stop", b.think(activitiestest.Turn, 0, 0).Finish)
	b.reads(0, 12, 150)
	pruned := 0
	for i := range 12 {
		for step := range 2 {
			fill := b.remade(chat.TurnID(fmt.Sprintf("read-%d", i)), step).Fill
			if pruned > 0 {
				require.Positive(t, fill, "once the context is so full that results are pruned it does not empty: turn %d, step %d", i, step)
			}
			if fill > 0 {
				pruned++
			}
		}
	}
	require.Positive(t, pruned)
}

func TestGenerate_PrunesWhereTheProviderHasForgottenAndShowsTheSameBeginningFromThenOn(t *testing.T) {
	b := setup(t, "say hello")
	b.Assembler.Budget.Models = limits.Table{Context: 24_000, Output: 1_000}
	b.Assembler.Budget.MaskAt, b.Assembler.Budget.CompressAt, b.Assembler.Budget.PruneAfter = 0.9, 0.95, time.Hour
	require.Equal(t, "stop", b.think(activitiestest.Turn, 0, 0).Finish)
	b.reads(0, 9, 150)
	for i := range 9 {
		for step := range 2 {
			require.Zero(t, b.remade(chat.TurnID(fmt.Sprintf("read-%d", i)), step).Fill, "the provider has it all in its cache")
		}
	}
	_, err := b.Pool.Exec(t.Context(), "UPDATE steps SET finished_at = finished_at - interval '2 hours'")
	require.NoError(t, err)
	b.reads(9, 11, 150)
	cold := b.remade("read-9", 0)
	require.Positive(t, cold.Fill)
	require.Equal(t, cold.MessageUpto, cold.PrunedUpto)
	before, _ := prompt.Rebuild(cold)
	for _, later := range []chat.SentStep{b.remade("read-9", 1), b.remade("read-10", 0), b.remade("read-10", 1)} {
		require.Equal(t, cold.PrunedUpto, later.PrunedUpto)
		now, _ := prompt.Rebuild(later)
		lasting := len(before.Messages)
		for lasting > 0 && before.Messages[lasting-1].Volatile {
			lasting--
		}
		require.Equal(t, before.Messages[:lasting], now.Messages[:lasting], "the provider finds what it has read")
	}
}

func TestGenerate_RemindsOfWhatIsToBeDoneAtEachStep(t *testing.T) {
	b := setup(t, "say hello")
	_, err := b.Pool.Exec(t.Context(), `INSERT INTO todos (session_key, items) VALUES ($1, '[{"id":"1","text":"paint the fence","done":false}]')`, activitiestest.Key)
	require.NoError(t, err)
	require.Equal(t, "stop", b.think(activitiestest.Turn, 0, 0).Finish)
	b.reads(0, 2, 5)
	for _, step := range []chat.SentStep{b.remade("read-0", 0), b.remade("read-0", 1), b.remade("read-1", 1)} {
		require.Contains(t, step.Reminder, "paint the fence")
		request, _ := prompt.Rebuild(step)
		last := request.Messages[len(request.Messages)-1]
		require.True(t, last.Volatile, "behind what the provider keeps")
		require.Contains(t, last.Content, "paint the fence")
	}
}
