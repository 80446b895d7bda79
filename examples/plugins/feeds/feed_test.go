package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><entry><title>one</title><link rel="self" href="x"/><link href="http://a.test/1"/><updated>2026</updated><summary>&lt;p&gt;Hi&lt;/p&gt;</summary></entry></feed>`

func TestParse_ReadsAtomAndRSS(t *testing.T) {
	f, err := parse(strings.NewReader(atom))
	require.NoError(t, err)
	require.Equal(t, feed{Title: "A", Entries: []entry{{Title: "one", Link: "http://a.test/1", When: "2026", Text: "Hi"}}}, f)
	f, err = parse(strings.NewReader(`<rss><channel><title>R</title><item><title>two</title><link>http://r.test/2</link></item></channel></rss>`))
	require.NoError(t, err)
	require.Equal(t, "http://r.test/2", f.Entries[0].Link)
	for _, text := range []string{"", "{}", "<html></html>", "<rss>"} {
		_, err := parse(strings.NewReader(text))
		require.Error(t, err, text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(atom)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parse(strings.NewReader(text))
		if err == nil {
			require.LessOrEqual(t, len([]rune(got.Title)), maxTitle)
		}
	})
}
