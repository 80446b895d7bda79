package feishu

import (
	"bytes"
	"embed"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/testing/goldentest"
)

//go:embed testdata
var testdata embed.FS

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
	goldentest.Equal(t, testdata, "testdata/settings.golden.json", got.String())
}
