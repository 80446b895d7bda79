package turn_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/turn/engine"
)

// asks is a client whose answers are for a program.
type asks struct {
	llm.Client
	ask chat.ClientAsk
}

func (a asks) ClientAsk() *chat.ClientAsk { return &a.ask }

// setupClient is setup where a program asks.
func setupClient(t *testing.T, ask chat.ClientAsk, program ...string) *fixture {
	t.Helper()
	b := setup(t, program...)
	b.Model.Models = activitiestest.OneModel{Client: asks{b.Model.Models.(activitiestest.OneModel).Client, ask}}
	return b
}

// sent is the n-th request of the model.
func (b *fixture) sent(n int) (body struct {
	Tools []struct {
		Function struct {
			Name       string
			Parameters json.RawMessage
			Strict     bool
		}
	}
	Choice   any   `json:"tool_choice"`
	Parallel *bool `json:"parallel_tool_calls"`
	Format   any   `json:"response_format"`
}) {
	b.T.Helper()
	require.NoError(b.T, json.Unmarshal(b.Server.Requests()[n].Raw, &body))
	return body
}

// names are the names of the tools of the n-th request.
func (b *fixture) names(n int) (out []string) {
	for _, t := range b.sent(n).Tools {
		out = append(out, t.Function.Name)
	}
	return out
}

func tools(names ...string) (out []chat.ClientTool) {
	for _, name := range names {
		out = append(out, chat.ClientTool{Name: name, Description: "of the program", Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return out
}

// own are the tools of the fixture.
var own = []string{"AskUser", "Broken", "Read", "Shell", "todo_write"}

func TestClientTools_EachHasANameThatNoOtherToolHas(t *testing.T) {
	long := strings.Repeat("n", chat.MaxToolName)
	for name, c := range map[string]struct{ sent, offered []string }{
		"none is taken":                 {[]string{"get_weather", "client_x"}, []string{"get_weather", "client_x"}},
		"one is taken":                  {[]string{"Read"}, []string{"client_Read"}},
		"in other letters":              {[]string{"read", "TodoWrite"}, []string{"client_read", "client_TodoWrite"}},
		"its alias is a tool, too":      {[]string{"Read", "client_Read"}, []string{"client2_Read", "client_Read"}},
		"in the other order":            {[]string{"client_Read", "Read"}, []string{"client_Read", "client2_Read"}},
		"the second alias as well":      {[]string{"Read", "client_Read", "client2_Read"}, []string{"client3_Read", "client_Read", "client2_Read"}},
		"two that differ in case alone": {[]string{"Read", "read"}, []string{"client_Read", "client_read"}},
		"a long name":                   {[]string{long}, []string{long}},
	} {
		t.Run(name, func(t *testing.T) {
			b := setupClient(t, chat.ClientAsk{Tools: tools(c.sent...)}, "call "+c.offered[0]+` {"a":1}`, "say never")
			out, err := b.Generate(t.Context(), 0)
			require.NoError(t, err)
			require.Equal(t, append(append([]string{}, own...), c.offered...), b.names(0))
			require.Equal(t, []turn.CallOutput{{Name: activities.Shorten(c.offered[0], 40), Class: chat.ClassClient}}, out.Calls)
			kept := b.LastMessage().ToolCalls[0]
			require.Equal(t, c.offered[0], kept.Name, "the model finds its call again under the name that it used")
			ask := chat.ClientAsk{Tools: tools(c.sent...)}
			for i, offered := range c.offered {
				name, ok := ask.ToolOf(offered)
				require.True(t, ok)
				require.Equal(t, c.sent[i], name)
			}
		})
	}
}

func TestClientTools_ACallIsNeitherRunNorAskedAbout(t *testing.T) {
	b := setupClient(t, chat.ClientAsk{Tools: tools("Shell", "get_weather")}, `call client_Shell {"command":"touch x"}`, `call Shell {"command":"true"}`, `call get_weather {"city":`)
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, []turn.CallOutput{
		{Name: "client_Shell", Class: chat.ClassClient}, {Name: "Shell", Class: chat.ClassExec, Summary: "true", Quick: true}, {Name: "get_weather", Class: chat.ClassClient},
	}, out.Calls)
	calls := b.LastMessage().ToolCalls
	require.Equal(t, `{"command":"touch x"}`, calls[0].Arguments)
	require.Equal(t, `{"city":`, calls[2].Arguments, "the program reads what the model wrote")
	require.Equal(t, chat.RuleAllow, calls[0].Rule)
	require.Nil(t, calls[0].Approval)
}

func TestClientTools_AForcedCallHasTheToolsOfTheProgramAlone(t *testing.T) {
	b := setupClient(t, chat.ClientAsk{Tools: tools("Read", "x"), Forced: true}, `call client_Read {}`)
	_, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, []string{"client_Read", "x"}, b.names(0))
	require.Equal(t, "required", b.sent(0).Choice)
}

func TestClientTools_OneCallAtATimeWhereTheProgramWantsThat(t *testing.T) {
	b := setupClient(t, chat.ClientAsk{Tools: tools("x", "y"), Single: true}, `call x {"n":1}`, `call Read {"path":"a"}`, `call y {"n":2}`, `call x {"n":3}`)
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.False(t, *b.sent(0).Parallel)
	require.Len(t, out.Calls, 2)
	calls := b.LastMessage().ToolCalls
	require.Equal(t, []string{"x", "Read"}, []string{calls[0].Name, calls[1].Name})
	require.Equal(t, chat.NewCallID(activitiestest.Turn, 0, 1), calls[1].ID, "what is left out has no number")
}

func TestClientTools_TheFormIsAskedForByTheTurn(t *testing.T) {
	schema := &chat.AnswerFormat{Name: "city", Schema: json.RawMessage(`{"type":"object"}`), Strict: true}
	b := setupClient(t, chat.ClientAsk{Format: schema}, `say {}`)
	_, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, own, b.names(0))
	require.Nil(t, b.sent(0).Choice)
	require.Equal(t, map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "city", "schema": map[string]any{"type": "object"}, "strict": true}}, b.sent(0).Format)
	require.Equal(t, "{}", b.LastMessage().Content)
}

// A call whose result is not there has a sentence when the turn ends; the result takes its place, and the next turn goes on behind it.
func TestClientTools_TheResultStandsInTheCall(t *testing.T) {
	b := setupClient(t, chat.ClientAsk{Tools: tools("get_weather")}, `call get_weather {"city":"Rome"}`, "say It is sunny.")
	_, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	id := chat.NewCallID(activitiestest.Turn, 0, 0)
	early := b.Answers.AnswerClientCalls(t.Context(), []chat.ClientResult{{Call: id, Content: "sunny"}})
	require.Equal(t, fault.Conflict, fault.KindOf(early), "the turn has not handed it over")
	_, err = b.Turns.FinishTurn(t.Context(), activitiestest.Key, activitiestest.Turn, chat.TurnDone, "")
	require.NoError(t, err)
	require.Equal(t, i18n.Say(i18n.English, i18n.CallClient), b.ResultOf(0).Result)
	for range 2 {
		require.NoError(t, b.Answers.AnswerClientCalls(t.Context(), []chat.ClientResult{{Call: id, Content: "sunny"}}))
	}
	other := b.Answers.AnswerClientCalls(t.Context(), []chat.ClientResult{{Call: id, Content: "rainy"}})
	require.Equal(t, fault.Conflict, fault.KindOf(other))

	const next = chat.TurnID("0199e2f0-2222-7000-8000-000000000000")
	user, err := b.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	_, err = b.Turns.Accept(t.Context(), engine.NewRow{
		Session: activitiestest.Key, User: user.ID, Channel: "openai", PlatformID: "r", Text: "[Results]", Options: chat.Options{Client: &chat.ClientAsk{Wordless: true, Results: []chat.CallID{id}}},
	})
	require.NoError(t, err)
	var claimed turn.ClaimOutput
	require.NoError(t, b.Run(t.Context(), activities.NameClaim, turn.ClaimInput{Session: activitiestest.Key, Turn: next, Run: "run2"}, &claimed))
	require.True(t, claimed.Claimed)
	var out turn.GenerateOutput
	require.NoError(t, b.Run(t.Context(), activities.NameGenerate, turn.GenerateInput{Session: activitiestest.Key, Turn: next}, &out))
	require.Equal(t, "It is sunny.", b.LastMessage().Content)
	request := b.Server.Requests()[1]
	require.Equal(t, "sunny", request.LastTool())
	require.Equal(t, 1, request.Users, "the message of the results is not told")
}
