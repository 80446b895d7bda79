package modelcall_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"xbot/activities/activitiestest"
	"xbot/activities/modelcall"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
)

func TestRatios_LearnWhatAProviderCounts(t *testing.T) {
	b := setup(t, "say hello")
	r := &modelcall.Ratios{Store: b.Store.Usage}
	ctx := t.Context()
	value, err := r.Of(ctx, "m")
	require.NoError(t, err)
	require.InDelta(t, 1, value, 0)
	for range 20 {
		require.NoError(t, r.Learn(ctx, "m", 1000, 1300))
	}
	value, err = r.Of(ctx, "m")
	require.NoError(t, err)
	require.InDelta(t, 1.3, value, 0.001)

	other := &modelcall.Ratios{Store: b.Store.Usage}
	value, err = other.Of(ctx, "m")
	require.NoError(t, err)
	require.InDelta(t, 1.3, value, 0.03, "other processes know it")
	for range 20 {
		require.NoError(t, r.Learn(ctx, "m", 1000, 1_000_000))
		require.NoError(t, r.Learn(ctx, "none", 1000, 0))
		require.NoError(t, r.Learn(ctx, "none", 10, 90))
	}
	value, err = r.Of(ctx, "m")
	require.NoError(t, err)
	require.LessOrEqual(t, value, 4.0, "no tokenizer counts that much")
	value, err = r.Of(ctx, "none")
	require.NoError(t, err)
	require.InDelta(t, 1, value, 0, "nothing is learnt from what was not counted, nor from little")
}

func TestGenerate_TeachesTheEstimate(t *testing.T) {
	b := setup(t, "say hello")
	require.NoError(t, b.Server.SetWindow(llmtest.Window{Scale: 1.5}))
	b.think(activitiestest.Turn, 0, 0)
	first := b.remade(activitiestest.Turn, 0)
	b.reads(0, 4, 60)
	later := b.remade("read-3", 0)
	off := func(estimated, counted int) float64 { return math.Abs(float64(estimated)/float64(counted) - 1) }
	require.Greater(t, off(first.Tokens, first.Usage.PromptTokens), 0.2, "another vocabulary and half as much again")
	require.Less(t, off(later.Tokens, later.Usage.PromptTokens), 0.05, "estimated %d, counted %d", later.Tokens, later.Usage.PromptTokens)
}

// BenchmarkEstimate prints how far the estimate is from what a provider with another vocabulary counts, before anything
// was learnt and after ten answers. The texts are of several kinds, since each vocabulary is better at some of them.
func BenchmarkEstimate(b *testing.B) {
	for _, vocabulary := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.P50kBase, tokenizer.R50kBase} {
		b.Run(string(vocabulary), func(b *testing.B) {
			server := llmtest.New(b)
			server.Handle(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: "ok"} })
			require.NoError(b, server.SetWindow(llmtest.Window{Vocabulary: vocabulary}))
			client, err := openai.New(openai.Config{BaseURL: server.BaseURL(), Model: "m"})
			require.NoError(b, err)
			ratios := &modelcall.Ratios{}
			var before, after float64
			for b.Loop() {
				before, after = 0, 0
				for n := range 20 {
					r := llm.Request{System: strings.Repeat("Answer briefly and truthfully. ", 20), Messages: []llm.Message{{Role: "user", Content: sampleText(n)}}}
					answer, err := client.Generate(b.Context(), r, nil)
					require.NoError(b, err)
					estimate, counted := modelcall.Estimate(r), answer.Usage.PromptTokens
					ratio, err := ratios.Of(b.Context(), "m")
					require.NoError(b, err)
					off := math.Abs(float64(estimate)*ratio/float64(counted) - 1)
					if n < 10 {
						before += math.Abs(float64(estimate)/float64(counted)-1) / 10
						require.NoError(b, ratios.Learn(b.Context(), "m", estimate, counted))
					} else {
						after += off / 10
					}
				}
			}
			b.ReportMetric(100*before, "%off-before")
			b.ReportMetric(100*after, "%off-learnt")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func sampleText(n int) string {
	kinds := []string{
		"The committee will meet on the fourth of May to decide which of the three proposals is to be carried out. ",
		"func (s *Store) Window(ctx context.Context, key chat.SessionKey) (chat.Window, error) {\n\treturn s.window(ctx, key)\n}\n",
		"2026-11-21T04:00:00Z level=INFO msg=\"request served\" id=4f0c1f0e status=200 took=12ms\n",
		"{\"name\": \"xbot\", \"version\": 17, \"tags\": [\"agent\", \"temporal\"], \"nested\": {\"a\": null}}\n",
	}
	return strings.Repeat(fmt.Sprintf("%d ", n)+kinds[n%len(kinds)]+kinds[(n/2)%len(kinds)], 10+n)
}
