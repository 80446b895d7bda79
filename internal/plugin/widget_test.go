package plugin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/plugin"
)

const withPanel = `{"id":"feeds","name":"Feeds","version":"1","runtime":"script","command":["./run"],"permissions":["page"],
	"contributes":{"widgets":[{"name":"news","title":{"en":"News","zh":"新闻"},"entry":"web/index.html"}]}}`

func TestParse_ReadsWidgetsAndSaysWhatIsWrongWithThem(t *testing.T) {
	m, err := plugin.Parse([]byte(withPanel))
	require.NoError(t, err)
	w, ok := m.Widget("news")
	require.True(t, ok)
	require.Equal(t, plugin.Widget{Name: "news", Title: plugin.Words{English: "News", Chinese: "新闻"}, Entry: "web/index.html"}, w)
	_, err = m.Canonical()
	require.NoError(t, err)
	one := `{"name":"news","title":{"en":"News","zh":"新闻"},"entry":"web/index.html"}`
	for change, says := range map[string]string{
		`["page"]|[]`:                                "asks for the permission page",
		`"name":"news"|"name":"News"`:                "the name",
		`"en":"News"|"en":""`:                        "title has to have",
		`"en":"News"|"en":"a\nb"`:                    "title has to have",
		`"web/index.html"|"index.html"`:              "entry",
		`"web/index.html"|"web/../x.html"`:           "entry",
		`"web/index.html"|"web/a b.html"`:            "entry",
		`"web/index.html"|"web/%2e.html"`:            "entry",
		`"web/index.html"|"web/x.svg"`:               "entry",
		`"web/index.html"|"web/x.HTML"`:              "entry",
		`"entry"|"url"`:                              "unknown field",
		one + "|" + one + "," + one:                  "twice",
		one + "|" + strings.Repeat(one+",", 4) + one: "more than 4",
	} {
		old, changed, _ := strings.Cut(change, "|")
		require.Contains(t, withPanel, old)
		_, err := plugin.Parse([]byte(strings.Replace(withPanel, old, changed, 1)))
		require.ErrorContains(t, err, says, change)
	}
}

func TestManifest_AWidgetNeedsItsDocument(t *testing.T) {
	files := plugin.Tree{plugin.ManifestName: {Data: []byte(withPanel)}}
	_, err := files.Manifest()
	require.ErrorContains(t, err, "there is no file web/index.html")
	files["web/index.html"] = plugin.File{Data: []byte("<p>hello")}
	_, err = files.Manifest()
	require.NoError(t, err)
	files["web/big.png"] = plugin.File{Data: make([]byte, plugin.MaxWeb)}
	_, err = files.Manifest()
	require.ErrorContains(t, err, "more than 8 MB")
}
