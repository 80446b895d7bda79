package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestListed_LinksOnlyToThePagesOfTheWeb(t *testing.T) {
	t.Parallel()
	got := listed(
		chat.WebSource{URL: "https://a.example/x?y=1#z", Title: "A\n  page\x00 of\u202e the web"},
		chat.WebSource{URL: "javascript:alert(1)"}, chat.WebSource{URL: "data:text/html,x"}, chat.WebSource{URL: "//a.example"}, chat.WebSource{URL: ""},
		chat.WebSource{URL: "https://me:secret@a.example"}, chat.WebSource{URL: "https://a.example/" + strings.Repeat("x", maxSourceURL)},
		chat.WebSource{URL: "https://a.example/x?y=1#z", Title: "again"},
		chat.WebSource{URL: "http://b.example", Title: strings.Repeat("b", 500)},
	)
	require.Len(t, got, 2)
	require.Equal(t, chat.WebSource{URL: "https://a.example/x?y=1#z", Title: "A page of the web"}, got[0])
	require.LessOrEqual(t, len(got[1].Title), maxSourceTitle+len("…"))

	var many []chat.WebSource
	for n := range 100 {
		many = append(many, chat.WebSource{URL: fmt.Sprintf("https://a.example/%d", n)})
	}
	require.Len(t, listed(many...), maxSources)
}
