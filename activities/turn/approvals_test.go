package turn_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/tool"
	callsrows "xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/permission"
	"xbot/internal/user/settings"
)

// ask opens the question about the n-th call of the first step.
func (b *fixture) ask(n int) turn.AskOutput {
	b.T.Helper()
	var out turn.AskOutput
	require.NoError(b.T, b.Run(b.T.Context(), activities.NameAsk, turn.AskInput{Call: chat.NewCallID(activitiestest.Turn, 0, n)}, &out))
	return out
}

func (b *fixture) answer(n int, allow bool, note string) {
	b.T.Helper()
	user, err := b.Users.UserByName(b.T.Context(), "alice")
	require.NoError(b.T, err)
	_, err = b.Calls.Answer(b.T.Context(), callsrows.Answer{
		Session: activitiestest.Key, User: user.ID, UserName: user.Name, Call: chat.NewCallID(activitiestest.Turn, 0, n), Allow: allow, Note: note,
	})
	require.NoError(b.T, err)
}

func (b *fixture) rules(rules map[string]chat.Rule) { b.Model.Authorizers.Rules = rules }

func TestGenerate_SaysWhichCallsNeedPermissionHoweverTheModelWritesTheirNames(t *testing.T) {
	b := setup(t, `call shell {"command":"rm x"}`, `call S_H_E_L_L {"command":"rm y"}`, `call Read {"path":"a.go"}`)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk, "Read": chat.RuleDeny})
	want := []turn.CallOutput{
		{Name: "Shell", Class: chat.ClassExec, Summary: "rm x", Ask: true},
		{Name: "Shell", Class: chat.ClassExec, Summary: "rm y", Ask: true},
		{Name: "Read", Class: chat.ClassRead, Summary: "a.go", Quick: true},
	}
	for range 2 {
		out, err := b.Generate(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, want, out.Calls)
	}
}

func TestGenerate_DecidesByTheRulesOfTheCommandAsTheyWereWhenTheModelAnswered(t *testing.T) {
	b := setup(t, `call Shell {"command":"git status"}`, `call Shell {"command":"git status; wc x"}`, `call Shell {"command":"rm y"}`)
	user, err := b.Users.UserByName(t.Context(), "alice")
	require.NoError(t, err)
	set := func(pattern string, rule chat.Rule) {
		require.NoError(t, b.Permissions.SetPermission(t.Context(), user.ID, chat.ToolRule{Tool: "Shell", Pattern: pattern, Rule: rule}))
	}
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), user.ID, settings.Preset, string(chat.PresetAsk)))
	set("git status", chat.RuleAllow)
	set("rm y", chat.RuleDeny)
	for range 2 {
		out, err := b.Generate(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, []bool{false, true, false}, []bool{out.Calls[0].Ask, out.Calls[1].Ask, out.Calls[2].Ask})
		set("git status", chat.RuleDeny) // it holds for later calls
	}
	calls := make([]chat.Call, 3)
	for n := range calls {
		calls[n], err = b.Calls.Call(t.Context(), chat.NewCallID(activitiestest.Turn, 0, n))
		require.NoError(t, err)
	}
	require.Equal(t, []chat.Rule{chat.RuleAllow, chat.RuleAsk, chat.RuleDeny}, []chat.Rule{calls[0].Rule, calls[1].Rule, calls[2].Rule})
	require.Equal(t, []chat.ToolRule{{Tool: "Shell", Pattern: "wc", Rule: chat.RuleAllow}}, calls[1].Always)
	require.Equal(t, []bool{true, false, false}, []bool{calls[0].Judged, calls[1].Judged, calls[2].Judged})
}

func TestTool_RunsTheWordsThatARuleAllowed(t *testing.T) {
	b := setup(t, `call Shell {"command":"git status --short"}`)
	user, err := b.Users.UserByName(t.Context(), "alice")
	require.NoError(t, err)
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), user.ID, settings.Preset, string(chat.PresetAsk)))
	require.NoError(t, b.Permissions.SetPermission(t.Context(), user.ID, chat.ToolRule{Tool: "Shell", Pattern: "git status", Rule: chat.RuleAllow}))
	folder := b.Sandbox.Workspace()
	for _, args := range [][]string{{"init", "-q", folder}, {"-C", folder, "config", "core.fsmonitor", "touch ran;"}} {
		out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	_, err = b.Generate(t.Context(), 0)
	require.NoError(t, err)
	out, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.False(t, out.Error)
	require.Contains(t, b.ResultOf(0).Result, "exit code 0")
	require.NoFileExists(t, filepath.Join(folder, "ran"), "the settings with which the words were judged hold")
}

func TestGenerate_DeniesWhatActsInAConversationThatIsReadOnly(t *testing.T) {
	b := setup(t, `call Shell {"command":"ls"}`, `call Read {"path":"a.go"}`, `call todo_write {"todos":[]}`)
	require.NoError(t, b.Conversations.Override(t.Context(), activitiestest.Key, conversation.Overrides{Preset: new(string(chat.PresetReadOnly))}))
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAllow})
	_, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	var rules []chat.Rule
	for n := range 3 {
		call, err := b.Calls.Call(t.Context(), chat.NewCallID(activitiestest.Turn, 0, n))
		require.NoError(t, err)
		rules = append(rules, call.Rule)
	}
	require.Equal(t, []chat.Rule{chat.RuleDeny, chat.RuleAllow, chat.RuleAllow}, rules)
}

func TestTool_RunsWhatWasAllowed(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo run >> count","reason":"to count"}`)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk})
	b.AskForCalls()
	asked := b.ask(0)
	require.True(t, asked.Open)
	require.InDelta(t, time.Hour, asked.Wait, float64(time.Minute), "what is left of the time to answer")
	require.Equal(t, "to count", b.ResultOf(0).Approval.Reason)
	b.answer(0, true, "")
	require.Equal(t, turn.AskOutput{}, b.ask(0), "it was answered")
	out, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.False(t, out.Error)
	require.Equal(t, "run\n", b.Sandbox.Get(t, "count"))
}

func TestTool_RefusesWhatNobodyPermitted(t *testing.T) {
	for name, c := range map[string]struct {
		rule   chat.Rule
		before func(b *fixture)
		result string
	}{
		"a rule denies the tool": {chat.RuleDeny, func(*fixture) {}, "the user's settings deny this call of Shell"},
		"nobody was asked":       {chat.RuleAsk, func(*fixture) {}, i18n.Say(i18n.English, i18n.CallUnasked)},
		"nobody answered":        {chat.RuleAsk, func(b *fixture) { b.ask(0) }, i18n.Say(i18n.English, i18n.CallUnasked)},
		"denied with a note":     {chat.RuleAsk, func(b *fixture) { b.ask(0); b.answer(0, false, "use trash instead") }, "Not run: the user denied this call: use trash instead."},
		"denied without one":     {chat.RuleAsk, func(b *fixture) { b.ask(0); b.answer(0, false, "") }, "Not run: the user denied this call."},
		"time is up": {chat.RuleAsk, func(b *fixture) {
			b.ask(0)
			require.NoError(b.T, b.Run(b.T.Context(), activities.NameExpire, turn.ExpireInput{Call: chat.NewCallID(activitiestest.Turn, 0, 0)}, nil))
		}, "Not run: xbot denied this call: Nobody answered in time. Do not"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, `call Shell {"command":"echo run >> count"}`)
			b.rules(map[string]chat.Rule{"Shell": c.rule})
			b.AskForCalls()
			c.before(b)
			out, err := b.RunTool(t.Context(), 0)
			require.NoError(t, err)
			require.True(t, out.Error)
			require.Contains(t, b.ResultOf(0).Result, c.result)
			require.True(t, b.ResultOf(0).IsError)
			_, err = b.Sandbox.ReadFile(t.Context(), b.Sandbox.Workspace()+"/count", 0, 1)
			require.Error(t, err, "the command must not have run")
		})
	}
}

func TestPeek_ReportsAnswersUntilTheirCallsActOnThem(t *testing.T) {
	b := setup(t, `call Shell {"command":"true"}`)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk})
	b.AskForCalls()
	peek := func() (out turn.PeekOutput) {
		require.NoError(t, b.Run(t.Context(), activities.NamePeek, turn.PeekInput{Session: activitiestest.Key, Turn: activitiestest.Turn}, &out))
		return out
	}
	b.ask(0)
	require.Empty(t, peek().Answered)
	b.answer(0, true, "")
	require.Equal(t, []chat.CallID{chat.NewCallID(activitiestest.Turn, 0, 0)}, peek().Answered)
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, peek().Answered)
}

func TestGenerate_ACallThatAPersonIsAskedAboutIsNotQuick(t *testing.T) {
	b := setup(t, `call Shell {"command":"make test"}`, `call Read {"path":"a.go"}`)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk})
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, out.Calls[0].Ask)
	require.False(t, out.Calls[0].Quick)
	require.True(t, out.Calls[1].Quick)
}

func TestTool_RunsWhatAPersonHasMadeOfACallAndTellsTheModel(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo run >> wrong"}`)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk})
	b.AskForCalls()
	b.ask(0)
	user, err := b.Users.UserByName(t.Context(), "alice")
	require.NoError(t, err)
	call, err := b.Calls.Answer(t.Context(), callsrows.Answer{
		Session: activitiestest.Key, User: user.ID, UserName: user.Name, Call: chat.NewCallID(activitiestest.Turn, 0, 0), Allow: true,
		Changed: &chat.Change{
			Arguments: `{"command":"echo run >> right"}`, Summary: "echo run >> right", Digest: permission.Digest(tool.Spec{Name: "Shell"}, `{"command":"echo run >> right"}`, ""),
		},
	})
	require.NoError(t, err)
	require.Equal(t, `{"command":"echo run >> wrong"}`, call.Approval.Asked)
	for range 2 {
		_, err = b.RunTool(t.Context(), 0)
		require.NoError(t, err)
	}
	require.Equal(t, "run\n", b.Sandbox.Get(t, "right"))
	_, err = b.Sandbox.ReadFile(t.Context(), b.Sandbox.Workspace()+"/wrong", 0, 1)
	require.Error(t, err, "what the model wrote must not have run")
	got := b.ResultOf(0)
	require.Equal(t, `{"command":"echo run >> right"}`, got.Arguments, "the model sees what ran")
	require.Contains(t, got.Result, i18n.Say(i18n.English, i18n.CallEdited))
}

// allowTurn lets everything of the turn run, or takes that back.
func (b *fixture) allowTurn(allow bool) chat.Turn {
	b.T.Helper()
	user, err := b.Users.UserByName(b.T.Context(), "alice")
	require.NoError(b.T, err)
	turn, err := b.Calls.AllowTurn(b.T.Context(), callsrows.TurnPermit{Session: activitiestest.Key, User: user.ID, UserName: user.Name, Allow: allow})
	require.NoError(b.T, err)
	return turn
}

func TestAsk_AsksNobodyWhereEverythingIsAllowedInTheTurn(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo a >> count"}`, `call Shell {"command":"echo b >> count"}`, `call Shell {"command":"echo c >> count"}`, `call Read {"path":"a.go"}`)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk, "Read": chat.RuleDeny})
	b.AskForCalls()
	require.True(t, b.ask(0).Open)
	b.allowTurn(true)
	require.Equal(t, turn.AskOutput{}, b.ask(0), "the one that waited is allowed")
	for range 2 {
		require.Equal(t, turn.AskOutput{}, b.ask(1), "the next one does not wait")
	}
	require.Equal(t, "alice", b.ResultOf(1).Approval.AnsweredBy)
	b.allowTurn(false)
	require.True(t, b.ask(2).Open, "it was taken back")
	for n := range 4 {
		_, err := b.RunTool(t.Context(), n)
		require.NoError(t, err)
	}
	require.Equal(t, "a\nb\n", b.Sandbox.Get(t, "count"))
	require.Contains(t, b.ResultOf(3).Result, "the user's settings deny this call of Read", "no denial is lifted")
	turns, err := b.Conversations.Turns(t.Context(), activitiestest.Key, 1)
	require.NoError(t, err)
	require.Nil(t, turns[0].Allows)
	require.Len(t, b.EventsOf(chat.EventTurn), 3, "clients are told of the beginning, and when it is allowed and taken back")
}

func TestAsk_WarnsEachTimeFiftyCallsWereAllowedTogether(t *testing.T) {
	calls := make([]string, 51)
	for n := range calls {
		calls[n] = `call Shell {"command":"true"}`
	}
	b := setup(t, calls...)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk})
	b.AskForCalls()
	b.allowTurn(true)
	warned := func() (n int) {
		for _, m := range b.Transcript() {
			if m.Role == chat.RoleNotice {
				require.Contains(t, m.Content, "50 calls")
				n++
			}
		}
		return n
	}
	for n := range 49 {
		b.ask(n)
		b.ask(n) // asked again after a crash, it is not counted twice
	}
	require.Zero(t, warned())
	b.ask(49)
	b.ask(50)
	require.Equal(t, 1, warned())
}

// outsider has a call of a consumer that a hook wants somebody to be asked about.
type outsider struct{ asked int }

func (o *outsider) Call(_ context.Context, id chat.CallID) (chat.Call, error) {
	return chat.Call{ToolCall: chat.ToolCall{ID: id, Name: "FileCreate", Rule: chat.RuleAsk}, Session: "agent:svc_0a1b2c3d:svc:thread:0123456789"}, nil
}

func (o *outsider) Ask(ctx context.Context, id chat.CallID, _ chat.Request) (chat.Call, error) {
	o.asked++
	return o.Call(ctx, id)
}

func (*outsider) Expire(context.Context, chat.CallID) error { return nil }

func TestAsk_NobodyOutsideIsAsked(t *testing.T) {
	o := &outsider{}
	out, err := (&turn.Approvals{Questions: o, Wait: time.Hour}).Ask(t.Context(), turn.AskInput{Call: "t.0.0"})
	require.NoError(t, err)
	require.False(t, out.Open, "the turn goes on, and the call is refused")
	require.Zero(t, o.asked)
}

func TestAsk_ACallThatHasNoRunnerFailsAndNobodyIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		call  string
		asked bool
	}{
		"a command":      {call: `call Shell {"command":"echo x"}`},
		"a file tool":    {call: `call Read {"path":"a"}`},
		"a tool without": {call: `call todo_write {"todos":[]}`, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, c.call)
			b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk, "Read": chat.RuleAsk, "todo_write": chat.RuleAsk})
			b.AskForCalls()
			b.SandboxErr = fault.Errorf(fault.Denied, "connect a runner of your own")
			for range 2 { // repeated after a crash
				require.Equal(t, c.asked, b.ask(0).Open)
			}
			if c.asked {
				require.NotNil(t, b.ResultOf(0).Approval)
				return
			}
			require.Nil(t, b.ResultOf(0).Approval)
			out, err := b.RunTool(t.Context(), 0)
			require.NoError(t, err)
			require.True(t, out.Error)
			require.Contains(t, b.ResultOf(0).Result, "connect a runner of your own")
		})
	}
}

func TestAsk_AQuestionThatIsOpenStaysOpenWithoutARunner(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo x"}`)
	b.rules(map[string]chat.Rule{"Shell": chat.RuleAsk})
	b.AskForCalls()
	require.True(t, b.ask(0).Open)
	b.SandboxErr = fault.Errorf(fault.Denied, "runner laptop was revoked")
	require.True(t, b.ask(0).Open)
}
