package limits_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm/limits"
)

func TestOf_TheLongestPrefixCounts(t *testing.T) {
	for model, want := range map[string][2]int{
		"openai/gpt-4o-mini":                 {128_000, 16_384},
		"openai/gpt-4":                       {8_192, 4_096},
		"openai/gpt-4.1-mini":                {1_047_576, 32_768},
		"openai/GPT-5.2":                     {400_000, 128_000},
		"openai/o3-mini":                     {200_000, 100_000},
		"anthropic/claude-opus-4-8":          {200_000, 32_768},
		"anthropic/claude-3-5-sonnet-latest": {200_000, 8_192},
		"openai/anthropic/claude-3-opus":     {200_000, 4_096},
		"openai/deepseek-chat":               {128_000, 8_192},
		"openai/deepseek/deepseek-reasoner":  {128_000, 65_536},
		"openai/Qwen/Qwen3-Coder-480B":       {262_144, 65_536},
		"openai/glm-4.6":                     {200_000, 131_072},
		"openai/kimi-k2-0905-preview":        {262_144, 32_768},
		"openai/models/gemini-2.5-pro":       {1_048_576, 65_536},
		"demo/demo":                          {limits.DefaultContext, limits.DefaultOutput},
		"openai/a-model-that-nobody-knows":   {limits.DefaultContext, limits.DefaultOutput},
		"":                                   {limits.DefaultContext, limits.DefaultOutput},
		"openai/my-gpt-4":                    {limits.DefaultContext, limits.DefaultOutput},
	} {
		context, output := limits.Of(model)
		require.Equal(t, want, [2]int{context, output}, model)
		require.Less(t, output, context, model)
	}
}

func TestTable_WhatIsSetCountsForItsModel(t *testing.T) {
	table := limits.Table{Model: "openai/mine", Context: 32_000}
	context, output := table.Of("openai/mine")
	require.Equal(t, [2]int{32_000, limits.DefaultOutput}, [2]int{context, output})
	context, output = table.Of("openai/gpt-4o")
	require.Equal(t, [2]int{128_000, 16_384}, [2]int{context, output}, "the model of a runner has limits of its own")
	context, output = limits.Table{Context: 1000, Output: 10}.Of("openai/gpt-4o")
	require.Equal(t, [2]int{1000, 10}, [2]int{context, output})
}
