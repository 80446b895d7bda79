package slash_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/slash/model"
)

func TestSetLLM_KeepsNothingOfWhatMayBeAKey(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"acme provider=openai base_url=https://acme.example/v1 api_key=sk-1 models=a,b": "acme provider=openai base_url=https://acme.example/v1 api_key=… models=a,b",
		"acme API-KEY=sk-1":                         "acme api-key=…",
		"acme sk-1":                                 "acme …",
		"acme api_key = sk-1":                       "acme … … …",
		"api_key=sk-1":                              "api_key=…",
		"acme apikey=sk-1 secret=sk-1":              "acme apikey=… …",
		"acme base_url=https://me:sk-1@acme/v1":     "acme …",
		"sk-of-more-than-32-characters-is-no-name-": "…",
		"": "",
	} {
		require.Equal(t, want, model.SetLLM{}.Redact(args))
	}
}
