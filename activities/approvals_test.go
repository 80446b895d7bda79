package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/store"
)

// ask opens the question about the n-th call of the first step.
func (b *bundle) ask(n int) activities.AskOutput {
	b.t.Helper()
	var out activities.AskOutput
	require.NoError(b.t, b.run(b.t.Context(), activities.NameAsk, activities.AskInput{Call: chat.NewCallID(turn, 0, n)}, &out))
	return out
}

func (b *bundle) answer(n int, allow bool, note string) {
	b.t.Helper()
	user, err := b.UserByName(b.t.Context(), "alice")
	require.NoError(b.t, err)
	_, err = b.Answer(b.t.Context(), store.Answer{
		Session: key, User: user.ID, UserName: user.Name, Call: chat.NewCallID(turn, 0, n), Allow: allow, Note: note,
	})
	require.NoError(b.t, err)
}

func (b *bundle) rules(rules map[string]chat.Rule) { b.model.Rules = rules }

func TestGenerate_SaysWhichCallsNeedPermissionHoweverTheModelWritesTheirNames(t *testing.T) {
	b := setup(t, `call shell {"command":"rm x"}`, `call S_H_E_L_L {"command":"rm y"}`, `call Read {"path":"a.go"}`)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk, "Read": chat.RuleDeny})
	want := []activities.CallOutput{
		{Name: "Shell", Class: chat.ClassExec, Summary: "rm x", Ask: true},
		{Name: "Shell", Class: chat.ClassExec, Summary: "rm y", Ask: true},
		{Name: "Read", Class: chat.ClassRead, Summary: "a.go"},
	}
	for range 2 {
		out, err := b.generate(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, want, out.Calls)
	}
}

func TestTool_RunsWhatWasAllowed(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo run >> count","reason":"to count"}`)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk})
	b.asks()
	asked := b.ask(0)
	require.True(t, asked.Open)
	require.InDelta(t, time.Hour, asked.Wait, float64(time.Minute), "what is left of the time to answer")
	require.Equal(t, "to count", b.result(0).Approval.Reason)
	b.answer(0, true, "")
	require.Equal(t, activities.AskOutput{}, b.ask(0), "it was answered")
	out, err := b.call(t.Context(), 0)
	require.NoError(t, err)
	require.False(t, out.Error)
	require.Equal(t, "run\n", b.box.Get(t, "count"))
}

func TestTool_RefusesWhatNobodyPermitted(t *testing.T) {
	for name, c := range map[string]struct {
		rule   chat.Rule
		before func(b *bundle)
		result string
	}{
		"a rule denies the tool": {chat.RuleDeny, func(*bundle) {}, "the user's settings deny every call of Shell"},
		"nobody was asked":       {chat.RuleAsk, func(*bundle) {}, i18n.Say(i18n.English, i18n.CallUnasked)},
		"nobody answered":        {chat.RuleAsk, func(b *bundle) { b.ask(0) }, i18n.Say(i18n.English, i18n.CallUnasked)},
		"denied with a note":     {chat.RuleAsk, func(b *bundle) { b.ask(0); b.answer(0, false, "use trash instead") }, "Not run: the user denied this call: use trash instead."},
		"denied without one":     {chat.RuleAsk, func(b *bundle) { b.ask(0); b.answer(0, false, "") }, "Not run: the user denied this call."},
		"time is up": {chat.RuleAsk, func(b *bundle) {
			b.ask(0)
			require.NoError(b.t, b.run(b.t.Context(), activities.NameExpire, activities.ExpireInput{Call: chat.NewCallID(turn, 0, 0)}, nil))
		}, "Not run: xbot denied this call: Nobody answered in time. Do not"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, `call Shell {"command":"echo run >> count"}`)
			b.rules(map[string]chat.Rule{"Shell": c.rule})
			b.asks()
			c.before(b)
			out, err := b.call(t.Context(), 0)
			require.NoError(t, err)
			require.True(t, out.Error)
			require.Contains(t, b.result(0).Result, c.result)
			require.True(t, b.result(0).IsError)
			_, err = b.box.ReadFile(t.Context(), b.box.Workspace()+"/count", 0, 1)
			require.Error(t, err, "the command must not have run")
		})
	}
}

func TestPeek_ReportsAnswersUntilTheirCallsActOnThem(t *testing.T) {
	b := setup(t, `call Shell {"command":"true"}`)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk})
	b.asks()
	peek := func() (out activities.PeekOutput) {
		require.NoError(t, b.run(t.Context(), activities.NamePeek, activities.PeekInput{Session: key, Turn: turn}, &out))
		return out
	}
	b.ask(0)
	require.Empty(t, peek().Answered)
	b.answer(0, true, "")
	require.Equal(t, []chat.CallID{chat.NewCallID(turn, 0, 0)}, peek().Answered)
	_, err := b.call(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, peek().Answered)
}
