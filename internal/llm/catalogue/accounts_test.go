package catalogue_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/provider"
	"xbot/internal/llm/subscription"
	"xbot/internal/turn/policy"
)

// shelf has subscriptions that a test changes.
type shelf struct {
	version int64
	list    []subscription.Opened
	reads   int
}

func (s *shelf) Version(context.Context) (int64, error) { return s.version, nil }

func (s *shelf) Opened(_ context.Context, user chat.UserID) (out []subscription.Opened, version int64, err error) {
	s.reads++
	for _, o := range s.list {
		if o.Shared || o.User == user {
			out = append(out, o)
		}
	}
	return out, s.version, nil
}

func (*shelf) Config(o subscription.Opened, model string) provider.Config {
	return (&subscription.Store{}).Config(o, model)
}

func account(owner chat.UserID, name, base string, models ...chat.SubscribedModel) subscription.Opened {
	return subscription.Opened{Key: "key-of-" + name, Subscription: chat.Subscription{
		ID: int64(owner)*100 + int64(len(name)), User: owner, Shared: owner == 0, Name: name, Provider: chat.ProviderOpenAI, APIType: chat.APIChatCompletions, BaseURL: base,
		Enabled: true, Revision: 1, Models: models,
	}}
}

func subscribed(models []policy.Model, list ...subscription.Opened) (*catalogue.Live, *shelf) {
	l, _ := setup(models...)
	s := &shelf{version: 1, list: list}
	l.Subscriptions = s
	return l, s
}

func idsOf(t *testing.T, l *catalogue.Live, user chat.UserID) (ids []string) {
	t.Helper()
	c, err := l.Get(t.Context(), user)
	require.NoError(t, err)
	for _, e := range c.Entries {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestSubscriptions_AreTheModelsOfWhoseTheyAre(t *testing.T) {
	t.Parallel()
	off := account(7, "off", "http://x/v1", chat.SubscribedModel{ID: "m"})
	off.Enabled = false
	l, _ := subscribed(nil,
		account(0, "ours", "http://x/v1", chat.SubscribedModel{ID: "big"}, chat.SubscribedModel{ID: "old", Disabled: true}),
		account(7, "mine", "http://x/v1", chat.SubscribedModel{ID: "anthropic/claude-sonnet-5", Alias: []string{"sonny"}}), off,
	)
	require.Equal(t, []string{"demo/demo", "ours/big"}, idsOf(t, l, 0))
	require.Equal(t, []string{"demo/demo", "ours/big", "mine/anthropic/claude-sonnet-5"}, idsOf(t, l, 7))
	require.Equal(t, []string{"demo/demo", "ours/big"}, idsOf(t, l, 8))
	mine, err := l.Get(t.Context(), 7)
	require.NoError(t, err)
	for _, word := range []string{"sonny", "mine", "claude-sonnet-5", "sonnet"} {
		e, ok := mine.Find(word)
		require.True(t, ok, word)
		require.True(t, e.Own())
		require.True(t, e.Sees, "its name tells")
	}
}

func TestSubscriptions_AnOwnOneCountsBeforeTheInstallationsAndThatBeforeTheSettings(t *testing.T) {
	t.Parallel()
	mine, ours := llmtest.New(t), llmtest.New(t)
	l, _ := subscribed([]policy.Model{{ID: "acme/m", Alias: []string{"fast"}, MaxContext: 9000}},
		account(0, "acme", ours.BaseURL(), chat.SubscribedModel{ID: "m"}), account(7, "acme", mine.BaseURL(), chat.SubscribedModel{ID: "m", MaxOutput: 77}),
	)
	for user, at := range map[chat.UserID]*llmtest.Server{7: mine, 8: ours} {
		c, err := l.Get(t.Context(), user)
		require.NoError(t, err)
		e, ok := c.Find("fast")
		require.True(t, ok, "the policy lends it another name")
		client := l.Client(e)
		_, err = client.Generate(t.Context(), request("say hello"), nil)
		require.NoError(t, err)
		require.Equal(t, "acme/m", client.Model())
		require.Equal(t, 1, at.Count())
		takes := limits.Table{}.For(client)
		require.Equal(t, 9000, takes.Context)
		require.Equal(t, user == 7, takes.Asked == 77, "each has limits of their own")
	}
}

func TestSubscriptions_AreReadAgainWhenTheyChangeAndNotBefore(t *testing.T) {
	t.Parallel()
	old, now := llmtest.New(t), llmtest.New(t)
	l, s := subscribed(nil, account(0, "acme", old.BaseURL(), chat.SubscribedModel{ID: "m"}))
	_, _, err := ask(t, l, "acme/m")
	require.NoError(t, err)
	first, _, err := ask(t, l, "acme/m")
	require.NoError(t, err)
	again, _, err := ask(t, l, "acme/m")
	require.NoError(t, err)
	require.Equal(t, first, again, "the client, which has learnt, is kept")
	require.Equal(t, 1, s.reads)

	changed := account(0, "acme", now.BaseURL(), chat.SubscribedModel{ID: "m"})
	changed.Revision = 2
	s.list, s.version = []subscription.Opened{changed}, 2
	_, _, err = ask(t, l, "acme/m")
	require.NoError(t, err)
	require.Equal(t, 3, old.Count())
	require.Equal(t, 1, now.Count())
	require.Equal(t, "Bearer key-of-acme", now.Requests()[0].Header.Get("Authorization"))
}

func TestSubscriptions_OneWhoseKeyCannotBeReadSaysSoAndCallsNobody(t *testing.T) {
	t.Parallel()
	script := llmtest.New(t)
	broken := account(0, "acme", script.BaseURL(), chat.SubscribedModel{ID: "m"})
	broken.Key, broken.Fault = "", fault.Errorf(fault.Invalid, "its key cannot be read")
	l, _ := subscribed(nil, broken)
	client, _, err := ask(t, l, "acme/m")
	require.ErrorContains(t, err, "its key cannot be read")
	require.Equal(t, "acme/m", client.Model())
	require.Zero(t, script.Count())
	c, err := l.Get(t.Context(), 0)
	require.NoError(t, err)
	e, _ := c.Get("acme/m")
	yes, known := l.Available(e)
	require.True(t, known)
	require.False(t, yes)
}

func TestUsual_IsTheSettingsModelElseTheFirstOfTheInstallation(t *testing.T) {
	t.Parallel()
	l, s := subscribed(nil)
	usual := func() string {
		s.version++
		c, err := l.Get(t.Context(), 7)
		require.NoError(t, err)
		return c.Usual().ID
	}
	require.Equal(t, "demo/demo", usual())
	s.list = []subscription.Opened{account(7, "mine", "http://x/v1", chat.SubscribedModel{ID: "m"})}
	require.Equal(t, "demo/demo", usual(), "nobody chose it")
	s.list = append([]subscription.Opened{account(0, "ours", "http://x/v1", chat.SubscribedModel{ID: "m"})}, s.list...)
	require.Equal(t, "ours/m", usual())
	l.Limits.Model = "openai/gpt-5"
	s.version++
	c := catalogue.New(l.Limits, nil, s.list...)
	require.Equal(t, "openai/gpt-5", c.Usual().ID)
}

func TestThinking_BehindANameTheModelIsToThink(t *testing.T) {
	t.Parallel()
	c := catalogue.New(limits.Table{Model: "demo/demo"}, nil,
		account(0, "acme", "http://x/v1", chat.SubscribedModel{ID: "claude-x"}, chat.SubscribedModel{ID: "kimi-k2-thinking"}))
	for word, want := range map[string]string{"acme/claude-x-thinking": chat.ThinkHigh, "claude-x-Thinking": chat.ThinkHigh, "kimi-k2-thinking": "", "claude-x": ""} {
		e, ok := c.Find(word)
		require.True(t, ok, word)
		require.Equal(t, want, e.Think, word)
	}
	id, ok := c.Resolve("claude-x-thinking")
	require.True(t, ok)
	require.Equal(t, "acme/claude-x-thinking", id, "so that a conversation keeps it")
	_, ok = c.Find("nobody-thinking")
	require.False(t, ok)
}

func TestPrices_AreThoseThatPeopleOrTheSettingsSay(t *testing.T) {
	t.Parallel()
	l, _ := subscribed(nil, account(7, "mine", "http://x/v1", chat.SubscribedModel{ID: "m", Price: &chat.Price{Input: 1, Output: 2}}, chat.SubscribedModel{ID: "n"}))
	l.Price = &chat.Price{Input: 3}
	got, err := l.Prices(t.Context(), 7)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.InDelta(t, 3.0, got["demo/demo"].Input, 0)
	require.InDelta(t, 2.0, got["mine/m"].Output, 0)
	got, err = l.Prices(t.Context(), 8)
	require.NoError(t, err)
	require.Len(t, got, 1)
}

func request(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: "user", Content: text}}}
}
