package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/prompt"
)

// searchTool is a tool of which only the definition counts.
type searchTool struct{ description string }

const search = "mcp_web_search"

func (s searchTool) Spec() tool.Spec {
	return tool.Spec{Name: search, Class: chat.ClassRead, Description: s.description, Parameters: json.RawMessage(`{"type":"object","properties":{"xs":{"type":"array"}}}`)}
}
func (searchTool) Summary(string) string { return "" }
func (searchTool) Run(context.Context, tool.Call) (chat.ToolResult, error) {
	return tool.Text("found"), nil
}

// refusing makes a turn whose tools include the search tool, and a provider that refuses requests with one of these tools in the words of one.
func refusing(t *testing.T, words func(name string, at int) string, refused ...string) *fixture {
	t.Helper()
	b := setup(t, "# text")
	b.offer(searchTool{"Searches."})
	b.Server.Handle(func(r llmtest.Request) llmtest.Reply {
		for at, offered := range r.Tools {
			if r.Model == "scripted" && slices.Contains(refused, offered.Name) {
				return llmtest.Reply{Status: 400, Error: words(offered.Name, at)}
			}
		}
		return llmtest.Reply{Text: "done"}
	})
	return b
}

// offer adds a tool to those of the turn.
func (b *fixture) offer(added tool.Tool) {
	b.Model.Tools = &toolset.Catalog{Builtin: b.Catalog.Builtin.With(added)}
}

func byName(name string, _ int) string {
	return fmt.Sprintf("Invalid schema for function '%s': In context=('properties', 'xs'), array schema missing items.", name)
}

func byPlace(_ string, at int) string {
	return fmt.Sprintf("tools.%d.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12", at)
}

// generate runs an attempt of the first step of a turn.
func (b *fixture) generate(id chat.TurnID) turn.GenerateOutput {
	b.T.Helper()
	var out turn.GenerateOutput
	require.NoError(b.T, b.Run(b.T.Context(), activities.NameGenerate, turn.GenerateInput{Session: activitiestest.Key, Turn: id}, &out))
	return out
}

// next ends the running turn and opens another one.
func (b *fixture) next(ended, id chat.TurnID) {
	b.T.Helper()
	ctx := b.T.Context()
	_, owner, err := b.Conversations.Session(ctx, activitiestest.Key)
	require.NoError(b.T, err)
	_, err = b.Turns.FinishTurn(ctx, activitiestest.Key, ended, chat.TurnDone, "")
	require.NoError(b.T, err)
	_, err = b.Turns.Accept(ctx, engine.NewRow{Session: activitiestest.Key, User: owner, Channel: "web", PlatformID: string(id), Text: "say again"})
	require.NoError(b.T, err)
	_, ok, err := b.Turns.Claim(ctx, activitiestest.Key, id, "run-"+string(id), 0)
	require.NoError(b.T, err)
	require.True(b.T, ok)
}

// offers returns, for each request that the provider got, whether it offered a tool.
func (b *fixture) offers(name string) (out []bool) {
	for _, r := range b.Server.Requests() {
		out = append(out, slices.ContainsFunc(r.Tools, func(t llmtest.Tool) bool { return t.Name == name }))
	}
	return out
}

// notices are the notices that people read in the conversation.
func (b *fixture) notices() (out []string) {
	for _, m := range b.Transcript() {
		if m.Role == chat.RoleNotice {
			out = append(out, m.Content)
		}
	}
	return out
}

// remade requires that what a step stored makes the request again that was sent last.
func (b *fixture) remade(id chat.TurnID) {
	b.T.Helper()
	sent, err := b.Conversations.StepWindow(b.T.Context(), activitiestest.Key, id, 0)
	require.NoError(b.T, err)
	request, exact := prompt.Rebuild(sent)
	require.True(b.T, exact)
	last := b.Server.Requests()[b.Server.Count()-1]
	require.Len(b.T, request.Tools, len(last.Tools))
	require.Len(b.T, request.Messages, len(last.Messages))
	require.Equal(b.T, last.Messages[len(last.Messages)-1].Content, request.Messages[len(request.Messages)-1].Content)
}

func TestGenerate_RemovesAToolThatTheProviderRefusesFromTheConversation(t *testing.T) {
	for name, words := range map[string]func(string, int) string{"by name": byName, "by place": byPlace} {
		t.Run(name, func(t *testing.T) {
			b := refusing(t, words, search)
			require.Equal(t, "stop", b.generate(activitiestest.Turn).Finish)
			require.Equal(t, "done", b.LastMessage().Content)
			require.Equal(t, []bool{true, false}, b.offers(search), "the request is sent once more, in the same attempt")
			require.Equal(t, []string{i18n.Say(i18n.English, i18n.ModelToolRefusedPlain, search)}, b.notices())
			require.Contains(t, b.Server.Requests()[1].Reminder, search, "the model knows that it is not available")
			b.remade(activitiestest.Turn)

			b.next(activitiestest.Turn, "t2")
			require.Equal(t, "stop", b.generate("t2").Finish)
			require.Equal(t, []bool{true, false, false}, b.offers(search))
			require.Contains(t, b.Server.Requests()[2].Reminder, search)
			require.Len(t, b.notices(), 1)
			b.remade("t2")
		})
	}
}

func TestGenerate_RemovesAToolOfXbotItself(t *testing.T) {
	b := refusing(t, byName, "Broken")
	require.Equal(t, "stop", b.generate(activitiestest.Turn).Finish)
	require.Equal(t, []bool{true, false}, b.offers("Broken"))
}

func TestGenerate_RemovesToolsThatAreRefusedOneAfterAnother(t *testing.T) {
	b := refusing(t, byName, search, "Broken", "Shell")
	require.Equal(t, "stop", b.generate(activitiestest.Turn).Finish)
	require.Equal(t, 4, b.Server.Count())
	require.Len(t, b.notices(), 3)
	b.remade(activitiestest.Turn)
	b.next(activitiestest.Turn, "t2")
	b.generate("t2")
	require.Equal(t, 5, b.Server.Count())
}

func TestGenerate_ARefusalThatNamesNoToolChangesNothing(t *testing.T) {
	for name, words := range map[string]string{
		"something else":         "Request contains an invalid argument.",
		"what the model wrote":   "tool call validation failed: parameters for tool " + search + " did not match schema: errors: [missing properties: 'xs']",
		"a tool of another list": "Invalid schema for function 'mcp_other': In context=(), object schema missing properties.",
	} {
		t.Run(name, func(t *testing.T) {
			b := refusing(t, func(string, int) string { return words }, search)
			require.Equal(t, chat.FinishError, b.generate(activitiestest.Turn).Finish)
			require.Equal(t, 1, b.Server.Count())
			w, err := b.Conversations.Window(t.Context(), activitiestest.Key)
			require.NoError(t, err)
			require.Empty(t, w.Refusals.Tools)
		})
	}
}

// dying ends the worker as soon as refused tools are recorded.
type dying struct {
	turn.ModelRefusals

	kill func()
}

func (d dying) RecordRefusedTools(ctx context.Context, step chat.Step, tools []chat.RefusedTool, say func(i18n.Lang) string) (bool, error) {
	added, err := d.ModelRefusals.RecordRefusedTools(ctx, step, tools, say)
	d.kill()
	return added, err
}

func TestGenerate_AKillBehindTheRowsNeitherAsksNorNotifiesTwice(t *testing.T) {
	b := refusing(t, byName, search)
	ctx, kill := context.WithCancelCause(t.Context())
	b.Model.ModelRefusals = dying{b.Store.ModelRefusals, func() { kill(activitiestest.ErrDetach) }}
	_, err := b.Generate(ctx, 0)
	require.Error(t, err)
	require.Equal(t, []bool{true}, b.offers(search), "the worker died before the second request")
	b.Model.ModelRefusals = b.Store.ModelRefusals
	require.Equal(t, "stop", b.generate(activitiestest.Turn).Finish)
	require.Equal(t, []bool{true, false}, b.offers(search))
	require.Len(t, b.notices(), 1)
}

func TestGenerate_AnotherModelOrDefinitionOffersTheToolAgain(t *testing.T) {
	b := refusing(t, byName, search)
	b.generate(activitiestest.Turn)

	client, err := openai.New(openai.Config{BaseURL: b.Server.BaseURL(), Model: "other", IdleTimeout: activitiestest.Limit})
	require.NoError(t, err)
	scripted := b.Model.Models
	b.Model.Models = activitiestest.OneModel{Client: client}
	b.next(activitiestest.Turn, "t2")
	b.generate("t2")
	require.Equal(t, []bool{true, false, true}, b.offers(search), "the other model takes it")

	b.Model.Models = scripted
	b.offer(searchTool{"Searches better."})
	b.next("t2", "t3")
	b.generate("t3")
	require.Equal(t, []bool{true, false, true, true, false}, b.offers(search), "what was refused was another definition")
	require.Len(t, b.notices(), 2)
}

func TestGenerate_ReasonsOfRefusedToolsAreForThoseWhoReadCauses(t *testing.T) {
	const reason = "array schema missing items"
	for name, c := range map[string]struct {
		who           agentprofile.Profile
		notices       int
		reason, admin bool
	}{
		"an administrator": {agentprofile.Profile{Trusted: true}, 1, true, false},
		"a member":         {agentprofile.Profile{}, 1, false, true},
		"a person outside": {agentprofile.Profile{External: agentprofile.External{Outside: true}}, 0, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := refusing(t, byName, search)
			b.Model.Profiles = profiles{c.who}
			require.Equal(t, "stop", b.generate(activitiestest.Turn).Finish)
			notices := b.notices()
			require.Len(t, notices, c.notices)
			require.Equal(t, c.reason, strings.Contains(strings.Join(notices, ""), reason))
			require.Equal(t, c.admin, strings.Contains(told(b), reason))
		})
	}
}

// programClient is the model of an API caller that brings a tool.
type programClient struct{ llm.Client }

func (programClient) ClientAsk() *chat.ClientAsk {
	return &chat.ClientAsk{Tools: []chat.ClientTool{{Name: "lookup", Parameters: json.RawMessage(`{"type":"object"}`)}}}
}

func TestGenerate_AProgramReadsThatItsToolIsRefused(t *testing.T) {
	b := refusing(t, byName, "lookup")
	client, err := openai.New(openai.Config{BaseURL: b.Server.BaseURL(), Model: "scripted", IdleTimeout: activitiestest.Limit})
	require.NoError(t, err)
	b.Model.Models = activitiestest.OneModel{Client: programClient{client}}
	require.Equal(t, chat.FinishError, b.generate(activitiestest.Turn).Finish)
	require.Equal(t, []bool{true}, b.offers("lookup"))
}

func TestGenerate_StoresTheRequestThatTellsTheModelWhatWasWrong(t *testing.T) {
	b := setup(t, "# text")
	b.answering(llmtest.Reply{Reasoning: "hm"}, llmtest.Reply{Text: "mended"})
	require.Equal(t, "stop", b.generate(activitiestest.Turn).Finish)
	require.Equal(t, 2, b.Server.Count())
	b.remade(activitiestest.Turn)
}

func TestGenerate_StoresTheRequestWithACorrectionBehindAReminder(t *testing.T) {
	b := refusing(t, byName, search)
	n := 0
	b.Server.Handle(func(r llmtest.Request) llmtest.Reply {
		if n++; n == 1 {
			return llmtest.Reply{Status: 400, Error: byName(search, 0)}
		}
		if n == 2 {
			return llmtest.Reply{Reasoning: "hm"}
		}
		return llmtest.Reply{Text: "mended"}
	})
	require.Equal(t, "stop", b.generate(activitiestest.Turn).Finish)
	require.Equal(t, 3, b.Server.Count())
	last := b.Server.Requests()[2].Reminder
	require.Contains(t, last, search)
	require.Contains(t, last, "Your last answer held")
	b.remade(activitiestest.Turn)
}
