package preset_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm/preset"
)

func TestOf_KnowsAProviderByItsAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://api.openai.com/v1":                               "openai",
		"https://API.openai.com/v1/":                              "openai",
		"https://generativelanguage.googleapis.com/v1beta/openai": "gemini",
		"https://api.moonshot.ai/v1":                              "moonshot",
		"https://dashscope-intl.aliyuncs.com/compatible-mode/v1":  "qwen",
		"https://api.z.ai/api/paas/v4":                            "zhipu",
		"http://127.0.0.1:1234/v1":                                "lmstudio",
		"http://127.0.0.1:9999/v1":                                "",
		"https://api.openai.com.example.org/v1":                   "",
		"https://example.org/https://api.mistral.ai/v1":           "",
		"::": "",
		"":   "",
	} {
		got, ok := preset.Of(address)
		require.Equal(t, want, got.Name, address)
		require.Equal(t, want != "", ok, address)
	}
}

func TestAll_AreThirteenWithNamesAndQuirksOfTheirOwn(t *testing.T) {
	t.Parallel()
	require.Len(t, preset.All, 13)
	seen := map[string]bool{}
	for _, p := range preset.All {
		require.NotEmpty(t, p.Quirks, p.Name)
		require.False(t, seen[p.Name] || seen[p.Address], p.Name)
		seen[p.Name], seen[p.Address] = true, true
		found, ok := preset.Of(p.Address)
		require.True(t, ok)
		require.Equal(t, p, found)
	}
}

func TestAll_AreWhatThePageOffers(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../web/src/models/services.ts")
	require.NoError(t, err)
	var want, got []string
	for _, p := range preset.All {
		want = append(want, strings.Join([]string{p.Name, string(p.Dialect), p.Setting(), strconv.FormatBool(p.Local)}, " "))
	}
	for _, found := range regexp.MustCompile(`id: "\w+", name: "(\w+)", provider: "(\w+)", address: "([^"]*)"(, local: true)?`).FindAllStringSubmatch(string(page), -1) {
		if found[1] != "models" { // any other service
			got = append(got, strings.Join([]string{found[1], found[2], found[3], strconv.FormatBool(found[4] != "")}, " "))
		}
	}
	require.Equal(t, want, got)
}

func TestAll_StandInTheDocumentWithTheirQuirks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/operate/models.md")
	require.NoError(t, err)
	quirks := map[preset.Quirk]bool{}
	for _, p := range preset.All {
		var line string
		for row := range strings.Lines(string(page)) {
			if strings.HasPrefix(row, "| "+p.Title+" |") {
				line = row
			}
		}
		require.Contains(t, line, "`"+p.Address+"`", p.Title)
		for _, q := range p.Quirks {
			require.Contains(t, line, string(q), p.Title)
			quirks[q] = true
		}
	}
	for q := range quirks {
		require.Contains(t, string(page), "\n| "+string(q)+" | ", "what a quirk means")
	}
}
