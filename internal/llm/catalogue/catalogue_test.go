package catalogue_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/limits"
	"xbot/internal/turn/policy"
)

func models() catalogue.Catalogue {
	return catalogue.New(limits.Table{Model: "openai/gpt-5"}, []policy.Model{
		{ID: "openai/gpt-5-mini", Alias: []string{"fast", "小"}},
		{ID: "anthropic:claude-opus-5", Alias: []string{"opus"}},
		{ID: "router/deepseek/deepseek-chat", BaseURL: "http://router", Alias: []string{"ds"}},
		{ID: "ollama/llama3:8b", BaseURL: "http://localhost:11434/v1"},
	})
}

func TestResolve_UnderstandsTheWordsPeopleUse(t *testing.T) {
	t.Parallel()
	c := models()
	for word, id := range map[string]string{
		"openai/gpt-5": "openai/gpt-5", "OpenAI:GPT-5": "openai/gpt-5", "gpt-5": "openai/gpt-5",
		"fast": "openai/gpt-5-mini", "FAST": "openai/gpt-5-mini", "小": "openai/gpt-5-mini", "gpt-5-m": "openai/gpt-5-mini", "mini": "openai/gpt-5-mini",
		"anthropic/claude-opus-5": "anthropic/claude-opus-5", "anthropic": "anthropic/claude-opus-5", "claude": "anthropic/claude-opus-5", "cla": "anthropic/claude-opus-5",
		"ds": "router/deepseek/deepseek-chat", "deepseek-chat": "router/deepseek/deepseek-chat", "deepseek/deepseek-chat": "router/deepseek/deepseek-chat", "router": "router/deepseek/deepseek-chat",
		"llama3:8b": "ollama/llama3:8b", "ollama": "ollama/llama3:8b", "lama3": "ollama/llama3:8b",
	} {
		got, ok := c.Resolve(word)
		require.True(t, ok, word)
		require.Equal(t, id, got, word)
	}
}

func TestResolve_TakesNoWordOfASentenceForAModel(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"", " ", "a", "go", "the", "please", "gp", "ai", "hello", "/", ":", "写一首诗", "opus!"} {
		_, ok := models().Resolve(word)
		require.False(t, ok, "%q", word)
	}
}

func TestResolve_NamesWhatAnAmbiguousWordMayMean(t *testing.T) {
	t.Parallel()
	c := models()
	for _, word := range []string{"openai", "gpt"} {
		_, ok := c.Resolve(word)
		require.False(t, ok, word)
		require.Equal(t, []string{"openai/gpt-5", "openai/gpt-5-mini"}, c.Candidates(word))
	}
}

func TestNamed_TakesNoPartOfAName(t *testing.T) {
	t.Parallel()
	c := catalogue.New(limits.Table{Model: "openai/gpt-5"}, []policy.Model{{ID: "claude-code/claude-code", Alias: []string{"cc"}}, {ID: "openai/code-reviewer"}, {ID: "router/deepseek/deepseek-chat"}})
	for word, want := range map[string][]string{
		"cc": {"claude-code/claude-code"}, "Claude-Code": {"claude-code/claude-code"}, "deepseek-chat": {"router/deepseek/deepseek-chat"}, "router": {"router/deepseek/deepseek-chat"},
		"gpt-5-thinking": {"openai/gpt-5-thinking"}, "openai": {"openai/gpt-5", "openai/code-reviewer"},
		"code": nil, "review": nil, "reviewer": nil, "chat": nil, "deep": nil, "gpt": nil, "cla": nil, "": nil, "-thinking": nil,
	} {
		require.Equal(t, want, c.Named(word), word)
	}
}

func TestNew_LendsTheServersModelNamesAndLimits(t *testing.T) {
	t.Parallel()
	c := catalogue.New(limits.Table{Model: "openai/gpt-5", Context: 1000}, []policy.Model{{ID: "openai:gpt-5", Alias: []string{"best"}, MaxOutput: 7, BaseURL: "http://elsewhere"}})
	require.Len(t, c.Entries, 1)
	e, ok := c.Find("best")
	require.True(t, ok)
	require.True(t, e.Default)
	require.Equal(t, []int{1000, 7, 7}, []int{e.MaxContext, e.MaxOutput, e.Asked})
}

// TestResolve_KnowsEveryModelByItsOwnNames: whatever stands in the policy, an id resolves to itself, and what resolves is
// one of the catalogue.
func TestResolve_KnowsEveryModelByItsOwnNames(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[a-zA-Z0-9.:_-]{1,8}`)
	rapid.Check(t, func(t *rapid.T) {
		var list []policy.Model
		for range rapid.IntRange(0, 6).Draw(t, "models") {
			list = append(list, policy.Model{ID: word.Draw(t, "provider") + "/" + word.Draw(t, "model"), Alias: rapid.SliceOfN(word, 0, 2).Draw(t, "alias")})
		}
		c := catalogue.New(limits.Table{Model: "demo/demo"}, list)
		alias := map[string]bool{}
		for _, e := range c.Entries {
			for _, a := range e.Alias {
				alias[fold(a)] = true
			}
		}
		for _, e := range c.Entries {
			if got, ok := c.Resolve(e.ID); !alias[fold(e.ID)] && (!ok || fold(got) != fold(e.ID)) {
				t.Fatalf("%q is %q, %v", e.ID, got, ok)
			}
		}
		asked := rapid.String().Draw(t, "word")
		if id, ok := c.Resolve(asked); ok {
			if _, known := c.Get(id); !known {
				t.Fatalf("%q is %q, which is not there", asked, id)
			}
		}
	})
}

// fold is a name as the catalogue compares it.
func fold(name string) string { return strings.ReplaceAll(strings.ToLower(name), ":", "/") }
