package provider_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/provider"
)

func TestFromConfig_FindsTheProvider(t *testing.T) {
	t.Parallel()
	const gateway = "https://gateway.example.com/v1"
	cases := map[string]struct {
		cfg  provider.Config
		want string
	}{
		"nothing":                        {provider.Config{}, "demo/demo"},
		"demo":                           {provider.Config{Provider: " Demo "}, "demo/demo"},
		"demo as a model":                {provider.Config{Model: "demo"}, "demo/demo"},
		"demo by its id":                 {provider.Config{Model: "demo/demo"}, "demo/demo"},
		"a key":                          {provider.Config{APIKey: "k", Model: "gpt"}, "openai/gpt"},
		"a base URL without a key":       {provider.Config{BaseURL: gateway, Model: "llama3:8b"}, "openai/llama3:8b"},
		"named":                          {provider.Config{Provider: "anthropic", APIKey: "k", Model: "claude"}, "anthropic/claude"},
		"by a colon":                     {provider.Config{APIKey: "k", Model: "anthropic:claude"}, "anthropic/claude"},
		"by a colon at a gateway":        {provider.Config{BaseURL: gateway, Model: "Anthropic:claude"}, "anthropic/claude"},
		"by a slash":                     {provider.Config{APIKey: "k", Model: "anthropic/claude"}, "anthropic/claude"},
		"by both":                        {provider.Config{Provider: "openai", APIKey: "k", Model: "openai/gpt"}, "openai/gpt"},
		"a gateway's name with a slash":  {provider.Config{BaseURL: gateway, Model: "anthropic/claude"}, "openai/anthropic/claude"},
		"a gateway that speaks messages": {provider.Config{Provider: "anthropic", BaseURL: gateway, Model: "anthropic/claude"}, "anthropic/anthropic/claude"},
		"an unknown prefix":              {provider.Config{APIKey: "k", Model: "ft:gpt:me"}, "openai/ft:gpt:me"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := provider.FromConfig(c.cfg)
			require.NoError(t, err)
			require.Equal(t, c.want, client.Model())
		})
	}
}

func TestFromConfig_SaysWhatToSet(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		cfg  provider.Config
		want string
	}{
		"unknown provider": {provider.Config{Provider: "openia"}, `LLM_PROVIDER is "openia"; it must be openai, anthropic or demo`},
		"no model":         {provider.Config{APIKey: "k"}, "LLM_MODEL is not set; name a model that openai offers"},
		"no model there":   {provider.Config{BaseURL: "https://h/v1"}, "LLM_MODEL is not set; name a model that the service at LLM_BASE_URL offers"},
		"only a provider":  {provider.Config{Model: "anthropic:"}, "LLM_MODEL is not set"},
		"no key":           {provider.Config{Model: "gpt"}, "LLM_API_KEY is not set; openai needs a key"},
		"contradiction":    {provider.Config{Provider: "openai", APIKey: "k", Model: "anthropic:claude"}, "LLM_PROVIDER is openai, but LLM_MODEL names a model of anthropic"},
		"bad base URL":     {provider.Config{BaseURL: "h/v1", Model: "m"}, "the model's base URL must look like https://host/v1"},
		"bad key":          {provider.Config{APIKey: "a b", Model: "m"}, "API key has a blank"},
		"bad idle limit":   {provider.Config{APIKey: "k", Model: "m", IdleTimeout: -1}, "idle limit must not be negative"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := provider.FromConfig(c.cfg)
			require.ErrorContains(t, err, c.want)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			require.True(t, client == nil, "not a nil pointer in an interface") //nolint:testifylint // require.Nil takes one for the other
		})
	}
}

func TestFromConfig_MakesClientsThatAnswer(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	transport := &http.Transport{DisableKeepAlives: true}
	for name, base := range map[string]string{"openai": server.BaseURL(), "anthropic": server.URL()} {
		client, err := provider.FromConfig(provider.Config{Provider: name, BaseURL: base, APIKey: "k", Model: "m", Transport: transport})
		require.NoError(t, err)
		answer, err := client.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: "user", Content: "say hi"}}}, nil)
		require.NoError(t, err)
		require.Equal(t, "hi", answer.Text)
	}
}
