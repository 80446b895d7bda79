package settings_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/settings"
	"xbot/internal/turn/slashcommand"
)

// people is who a conversation is with.
type people slashcommand.Caller

func (p people) Caller(context.Context, chat.UserID, chat.SessionKey) (slashcommand.Caller, error) {
	return slashcommand.Caller(p), nil
}

// command keeps what was run.
type command struct {
	name string
	ran  *[]string
}

func (c command) Spec() slashcommand.Spec { return slashcommand.Spec{Name: c.name} }

func (c command) Run(_ context.Context, _ slashcommand.Request, args string) (string, error) {
	*c.ran = append(*c.ran, c.name+" "+args)
	if strings.Contains(args, "nothing") {
		return "", fault.Errorf(fault.NotFound, "there is no such setting")
	}
	return "done", nil
}

var owner = people{Owner: true, Direct: true}

func setup(who people) (tool.Tool, *[]string) {
	ran := &[]string{}
	return settings.New(settings.Commands{Own: command{"settings", ran}, Policy: command{"config", ran}}, who), ran
}

func asked(c tool.Tool, arguments string) []chat.Inquiry {
	return tool.New(c).Questions(context.Background(), "agent:main:main", chat.ConfigTool, arguments)
}

func run(t *testing.T, tl tool.Tool, arguments, answer string) chat.ToolResult {
	t.Helper()
	call := tool.Call{Arguments: arguments}
	if questions := asked(tl, arguments); len(questions) > 0 && answer != "" {
		call.Approval = &chat.Approval{State: chat.ApprovalAllowed, Questions: questions, Answers: chat.Answers{questions[0].Name: {answer}}}
	}
	got, err := tl.Run(t.Context(), call)
	require.NoError(t, err)
	return got
}

func TestConfig_AsksBeforeEachChangeAndShowsTheCommandThatMakesIt(t *testing.T) {
	t.Parallel()
	c, ran := setup(owner)
	set := `{"action":"set","name":"language","value":"zh","reason":"You write\nChinese"}`
	questions := asked(c, set)
	require.Len(t, questions, 1)
	require.Equal(t, "Change this setting: /settings language zh\nReason given by the model: You write Chinese", questions[0].Text)
	require.Len(t, questions[0].Options, 2)
	for _, quiet := range []string{`{"action":"list"}`, `{"action":"get","name":"language"}`} {
		require.Empty(t, asked(c, quiet))
	}
	require.Equal(t, "The user does not want that. Nothing was done.", run(t, c, set, questions[0].Options[1].Label).Content)
	require.Contains(t, run(t, c, set, "").Content, "the user was not asked")
	other := tool.Call{Arguments: `{"action":"set","name":"preset","value":"auto"}`, Approval: &chat.Approval{
		State: chat.ApprovalAllowed, Questions: questions, Answers: chat.Answers{questions[0].Name: {questions[0].Options[0].Label}},
	}}
	got, err := c.Run(t.Context(), other)
	require.NoError(t, err)
	require.Contains(t, got.Content, "Nothing was done", "a yes to one change is none to another")
	require.Empty(t, *ran)
	require.Equal(t, "done", run(t, c, set, questions[0].Options[0].Label).Content)
	require.Equal(t, []string{"settings language zh"}, *ran)
}

func TestConfig_DoesForAPersonWhatTheyMayDoThemselves(t *testing.T) {
	t.Parallel()
	yes := func(tl tool.Tool, arguments string) string { return asked(tl, arguments)[0].Options[0].Label }
	policy := `{"action":"set","name":"policy.limits.turns","value":"{\"a\": 1}"}`

	c, ran := setup(owner)
	require.Contains(t, run(t, c, policy, yes(c, policy)).Content, "the policy is for administrators")
	look := `{"action":"get","name":"policy"}`
	require.Contains(t, run(t, c, look, "").Content, "the user was not asked")
	require.Contains(t, run(t, c, look, yes(c, look)).Content, "the policy is for administrators")
	require.Equal(t, "done", run(t, c, `{"action":"list"}`, "").Content)
	require.Equal(t, "done", run(t, c, `{"action":"get","name":"language"}`, "").Content)
	require.Contains(t, run(t, c, `{"action":"get","name":"nothing"}`, "").Content, "there is no such setting")
	require.Equal(t, []string{"settings ", "settings language", "settings nothing"}, *ran)

	c, ran = setup(people{Owner: true, Direct: true, Admin: true})
	require.Equal(t, "Change this setting: /config set limits.turns {\"a\": 1}", asked(c, policy)[0].Text)
	run(t, c, policy, yes(c, policy))
	require.Equal(t, "Show this part of the policy to the model: /config get", asked(c, look)[0].Text)
	run(t, c, look, yes(c, look))
	look = `{"action":"get","name":"Policy.limits"}`
	run(t, c, look, yes(c, look))
	require.Equal(t, []string{"config set limits.turns {\"a\": 1}", "config get", "config get limits"}, *ran)

	for _, who := range []people{{Owner: true, Admin: true}, {Direct: true, Admin: true}} {
		c, ran = setup(who)
		require.Contains(t, run(t, c, `{"action":"list"}`, "").Content, "where their person alone reads")
		require.Empty(t, *ran)
	}
}

func TestConfig_ChangesNothingThatAPersonCannotRead(t *testing.T) {
	t.Parallel()
	c, ran := setup(people{Owner: true, Direct: true, Admin: true})
	for _, p := range []map[string]string{
		{"name": "language"}, {"value": "zh"}, {"name": "language", "value": "zh\n/config unset limits"}, {"name": "language", "value": "zh\u202e"},
		{"name": "language", "value": strings.Repeat("x", 1000)}, {"name": strings.Repeat("x", 1000), "value": "x"}, {"name": "policy", "value": "{}"},
		{"name": "policy.", "value": "{}"}, {"name": "language zh", "value": "x"},
	} {
		p["action"] = "set"
		arguments, err := json.Marshal(p)
		require.NoError(t, err)
		require.Empty(t, asked(c, string(arguments)), "%v", p)
		require.True(t, run(t, c, string(arguments), "").IsError, "%v", p)
	}
	require.Empty(t, *ran)
}
