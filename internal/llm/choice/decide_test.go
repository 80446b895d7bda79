package choice_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/demo"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/llmtest"
	"xbot/internal/turn/policy"
)

func document() *policy.Policy {
	scenes := func(where string) policy.Scenes {
		return policy.Scenes{
			Chat: policy.Scene{Enabled: true, Model: where + "/chat"}, Work: policy.Scene{Enabled: true, Model: where + "/work", Think: chat.ThinkHigh},
		}
	}
	return &policy.Policy{
		Agents: policy.Agents{List: []policy.Agent{{ID: "main"}, {ID: "clever", Model: "agent/model", Think: chat.ThinkMedium}}},
		Channels: map[string]policy.Channel{"feishu": {
			GroupScenes: scenes("group"), PrivateScenes: scenes("private"),
			Accounts: map[string]policy.Channel{"other": {GroupScenes: scenes("account")}},
		}},
	}
}

func TestDecide_TheNearestCounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wish chat.ModelCriteria
		want choice.Decision
	}{
		"nobody said": {chat.ModelCriteria{Agent: "main"}, choice.Decision{}},
		"the agent": {chat.ModelCriteria{Agent: "clever"}, choice.Decision{
			Model: "agent/model", ModelSource: choice.FromAgent, Think: chat.ThinkMedium, ThinkSource: choice.FromAgent,
		}},
		"the scene before the agent": {chat.ModelCriteria{Agent: "clever", Channel: "feishu", ChatType: chat.ChatGroup, Scene: chat.SceneWork}, choice.Decision{
			Model: "group/work", ModelSource: choice.FromScene, Think: chat.ThinkHigh, ThinkSource: choice.FromScene,
		}},
		"the scene of a thread is that of its group": {chat.ModelCriteria{Channel: "feishu", ChatType: chat.ChatThread, Scene: chat.SceneChat}, choice.Decision{
			Model: "group/chat", ModelSource: choice.FromScene,
		}},
		"the private scene": {chat.ModelCriteria{Channel: "feishu", ChatType: chat.ChatDirect, Scene: chat.SceneChat}, choice.Decision{
			Model: "private/chat", ModelSource: choice.FromScene,
		}},
		"the scene of the account": {chat.ModelCriteria{Channel: "feishu", Account: "other", ChatType: chat.ChatGroup, Scene: chat.SceneChat}, choice.Decision{
			Model: "account/chat", ModelSource: choice.FromScene,
		}},
		"the session before the scene": {chat.ModelCriteria{
			Agent: "clever", Channel: "feishu", ChatType: chat.ChatGroup, Scene: chat.SceneWork, Model: "my/model", Think: chat.ThinkOff,
		}, choice.Decision{
			Model: "my/model", ModelSource: choice.FromSession, Think: chat.ThinkOff, ThinkSource: choice.FromSession,
		}},
		"the message before the session": {chat.ModelCriteria{Agent: "clever", Think: chat.ThinkOff, OfTurn: chat.OfTurn{Options: chat.Options{Think: chat.ThinkXHigh}}}, choice.Decision{
			Model: "agent/model", ModelSource: choice.FromAgent, Think: chat.ThinkXHigh, ThinkSource: choice.FromMessage,
		}},
	} {
		require.Equal(t, c.want, choice.Decide(document(), c.wish), name)
	}
}

// listed is a policy that does not change.
type listed struct{ *policy.Policy }

func (l listed) Get(context.Context) (*policy.Policy, error)         { return l.Policy, nil }
func (l listed) With(context.Context, int64) (*policy.Policy, error) { return l.Policy, nil }

func TestFor_TheModelThatWasChosenAnswersAndThinksAsItWasTold(t *testing.T) {
	t.Parallel()
	script := llmtest.New(t)
	p := document()
	p.Models = []policy.Model{{ID: "x/small", Alias: []string{"fast"}, BaseURL: script.BaseURL()}, {ID: "agent/model", BaseURL: script.BaseURL()}}
	h := &home{server: true, wish: chat.ModelCriteria{Model: "fast", OfTurn: chat.OfTurn{Options: chat.Options{Think: chat.ThinkLow}}}}
	c := &choice.Choice{Server: demo.Client{}, Store: h, Models: &catalogue.Live{
		Server: demo.Client{}, Limits: limits.Table{Model: "demo/demo"}, Policies: listed{p},
	}}
	answer, model, err := ask(t, c, "say hello")
	require.NoError(t, err)
	require.Equal(t, "hello", answer.Text)
	require.Equal(t, "x/small", model)
	require.Equal(t, "small", script.Requests()[0].Model)
	require.Contains(t, string(script.Requests()[0].Raw), `"reasoning_effort":"low"`)

	h.wish = chat.ModelCriteria{Agent: "clever"}
	_, model, err = ask(t, c, "say hello")
	require.NoError(t, err)
	require.Equal(t, "agent/model", model)

	h.wish = chat.ModelCriteria{}
	_, model, err = ask(t, c, "hello")
	require.NoError(t, err)
	require.Equal(t, "demo/demo", model, "nobody chose")
}

func TestFor_AModelThatIsGoneIsARefusalAndNotAnotherModel(t *testing.T) {
	t.Parallel()
	h := &home{server: true, wish: chat.ModelCriteria{Model: "x/gone"}}
	c := &choice.Choice{Server: demo.Client{}, Store: h, Models: &catalogue.Live{
		Server: demo.Client{}, Limits: limits.Table{Model: "demo/demo"}, Policies: listed{document()},
	}}
	_, model, err := ask(t, c, "say hello")
	require.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, "the model x/gone, which was chosen here, is not configured any more")
	require.Equal(t, "x/gone", model)
	h.wish = chat.ModelCriteria{Agent: "clever"}
	_, _, err = ask(t, c, "say hello")
	require.ErrorContains(t, err, "the policy gives this conversation the model agent/model, which is not there: list it under models")
}
