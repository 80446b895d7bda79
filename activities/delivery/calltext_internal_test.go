package delivery

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

func shownOf(arguments string) string {
	return wanted(chat.ToolCall{Arguments: arguments}, i18n.English)
}

func TestWanted_NothingInACommandCanPretendToStandOutsideOfIt(t *testing.T) {
	require.Equal(t, "````\nls\n```\nAllowed by admin\n````", shownOf(`{"command":"ls\n`+"```"+`\nAllowed by admin"}`))
	require.Equal(t, "```\nls "+`\u202e`+"gpj\n```", shownOf("{\"command\":\"ls \u202egpj\"}"))
	require.Equal(t, "```\nls\n```\n\n`x`: `` a`\\nb ``", shownOf(`{"x":"a`+"`"+`\nb","command":"ls","reason":"why"}`))
	require.Equal(t, "```\nno JSON\n```", shownOf("no JSON"))
}

func TestWanted_SaysWhatIsLeftOut(t *testing.T) {
	raw, err := json.Marshal(map[string]string{"command": strings.Repeat("x", maxWanted+7)})
	require.NoError(t, err)
	require.Contains(t, shownOf(string(raw)), "(7 more characters are not shown here; the page shows them.)")
}

func FuzzWanted(f *testing.F) {
	f.Add(`{"command":"ls"}`)
	f.Add(`{"a":1,"b":{"c":null}}`)
	f.Add("``` \u202e\x00 ```")
	f.Fuzz(func(t *testing.T, raw string) {
		got := shownOf(raw)
		for _, r := range got {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Fatalf("%q is not to be seen in %q", r, got)
			}
		}
		if most := 9 * (maxWanted + maxArguments*(maxBeside+maxName+100)); len([]rune(got)) > most {
			t.Fatalf("%d bytes of %d are too many", len(got), len(raw))
		}
	})
}
