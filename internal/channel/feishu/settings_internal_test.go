package feishu

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
)

var update = flag.Bool("update", false, "write the golden file anew")

func TestAskCard_OfSettingsIsTheJSONOfTheGoldenFile(t *testing.T) {
	raw := encode(askCard(channel.Question{
		ID: "settings/7/en/0011223344556677", Title: "Your settings", Text: "[Limits of the installation](https://xbot.example/settings/limits)",
		Fields: []channel.Field{
			{Name: "language", Label: "Language of answers: Chinese", Options: []string{"as you write", "Chinese", "English"}},
			{Name: "turn_notices", Label: "Notices of long turns: nowhere", Options: []string{"nowhere", "feishu ou_1"}},
		},
		Buttons: []channel.Button{{Name: "send", Label: "Save", Style: "primary"}},
	}, shownBy{}))
	var got bytes.Buffer
	require.NoError(t, json.Indent(&got, []byte(raw), "", "  "))
	got.WriteByte('\n')
	const golden = "testdata/settings.golden.json"
	if *update {
		require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}
