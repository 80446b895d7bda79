package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/command"
)

func TestWords_AreWhatIsTypedAsItStands(t *testing.T) {
	for usage, want := range map[string][]string{
		"":                           nil,
		"PATH":                       nil,
		"[FOCUS]":                    nil,
		"[N|mID]":                    nil,
		"[list|detail|mode default]": {"list", "detail", "mode default"},
		"[list|use NAME|use default|create NAME]": {"list", "use ", "use default", "create "},
		"get PATH|set PATH VALUE|unset PATH":      {"get ", "set ", "unset "},
		"[off|low|high] [MESSAGE]":                {"off", "low", "high"},
		"[zh|en|LANGUAGE|auto]":                   {"zh", "en", "auto"},
		"on|on|off":                               {"on", "off"},
	} {
		require.Equal(t, want, command.Words(usage), usage)
	}
}

func FuzzWords(f *testing.F) {
	f.Add("[list|use NAME]")
	f.Fuzz(func(t *testing.T, usage string) {
		for _, word := range command.Words(usage) {
			if strings.TrimSpace(word) == "" || strings.ContainsAny(word, "|[]") {
				t.Fatalf("%q cannot be typed", word)
			}
		}
	})
}
