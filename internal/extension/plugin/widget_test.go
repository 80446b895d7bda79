package plugin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/plugin"
)

func TestParse_ChecksWidgets(t *testing.T) {
	const good = `{"id":"feeds","name":"Feeds","version":"1","runtime":"script","command":["./run"],"permissions":["page"],
		"contributes":{"widgets":[{"name":"news","title":{"en":"News"},"entry":"web/index.html"}]}}`
	_, err := plugin.Parse([]byte(good))
	require.NoError(t, err)
	for change, says := range map[string]string{
		`["page"]|[]`:                  "asks for the permission page",
		`"name":"news"|"name":"News"`:  "small letters",
		`{"en":"News"}|{}`:             "title",
		`web/index.html|index.html`:    "entry",
		`web/index.html|web/../x.html`: "entry",
		`web/index.html|web/.x.html`:   "entry",
		`web/index.html|web/x.js`:      "entry",
	} {
		from, to, _ := strings.Cut(change, "|")
		_, err := plugin.Parse([]byte(strings.Replace(good, from, to, 1)))
		require.ErrorContains(t, err, says, change)
	}
}

func TestIsWebPath_HasOneSpellingAndAKnownType(t *testing.T) {
	require.True(t, plugin.IsWebPath("web/a/b-1.js"))
	for _, name := range []string{"", "web/", "plugin.json", "web/../plugin.json", "web//a.js", "web/.env", "WEB/a.js", "web/a.JS", "web/a%2fb.js", "web/a b.js", "web/a.exe", "/web/a.js"} {
		require.False(t, plugin.IsWebPath(name), name)
	}
}
