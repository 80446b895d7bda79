package transcription

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/toolkey"
)

func TestNewUsageRecord_CountsSecondsAndKnowsThePricesOfOpenAI(t *testing.T) {
	for name, c := range map[string]struct {
		base, model, usage string
		named              string
		seconds            int64
		cost               *float64
	}{
		"by duration": {"https://api.openai.com/v1", "", `{"type":"duration","seconds":12.4}`, "openai/whisper-1", 13, new(0.00124)},
		"by tokens":   {"https://api.openai.com/v1", "gpt-4o-transcribe", `{"type":"tokens","input_tokens":110,"output_tokens":20,"input_token_details":{"text_tokens":10,"audio_tokens":100}}`, "openai/gpt-4o-transcribe", 0, new(0.000825)},
		"no usage":    {"https://api.openai.com/v1", "", ``, "openai/whisper-1", 0, nil},
		"odd usage":   {"https://api.openai.com/v1", "", `{"seconds":-3}`, "openai/whisper-1", 0, nil},
		"other form":  {"https://api.openai.com/v1", "", `"free"`, "openai/whisper-1", 0, nil},
		"elsewhere":   {"http://127.0.0.1:8080", "base", `{"seconds":5}`, "127.0.0.1/base", 5, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newUsageRecord(toolkey.Access{BaseURL: c.base, Model: c.model}, parseUsage([]byte(c.usage)), 7, "")
			require.Equal(t, c.named, s.Model)
			require.Equal(t, c.seconds, s.Seconds)
			if c.cost == nil {
				require.Nil(t, s.Cost)
				return
			}
			require.InDelta(t, *c.cost, *s.Cost, 1e-9)
		})
	}
}
