package workflows

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSummary_FitsWhatTemporalHoldsWhateverIsWrittenInIt(t *testing.T) {
	for _, text := range []string{"<", "[", `"`, "字", "😀", "\x00", "\u2028", "\xff", "&"} {
		for _, summary := range []string{StaticSummary(strings.Repeat(text, 500)), summaryOf(strings.Repeat(text, 500))} {
			stored, err := json.Marshal(summary)
			require.NoError(t, err)
			require.LessOrEqual(t, len(stored), 400, "%q: limit.userMetadataSummarySize", text)
			require.True(t, strings.HasSuffix(summary, "…"), "it is cut, and says so")
		}
	}
	require.Equal(t, `web · alice · "\*here\* \[log in\](https://evil.example)"`, StaticSummary(`web · alice · "*here* [log in](https://evil.example)"`))
	require.Equal(t, "Shell · ls *.go", summaryOf("Shell · ls *.go"), "the UI shows it as it is")
}
