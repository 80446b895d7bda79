package lexical_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/memory/lexical"
	"xbot/internal/memory/lexical/lexicaltest"
)

func TestMatch_FindsWordsPhrasesAndBeginnings(t *testing.T) {
	t.Parallel()
	for _, c := range lexicaltest.Cases() {
		require.Equal(t, c.Found, lexical.Parse(c.Query).Match(c.Text), "%q in %q", c.Query, c.Text)
	}
}

func TestParse_IsBounded(t *testing.T) {
	t.Parallel()
	require.Less(t, len(lexical.Parse(strings.Repeat("a1 b2 ", 100_000)).TSQuery()), 10_000)
	require.Less(t, len(lexical.Parse(strings.Repeat("字", 100_000)).TSQuery()), 10_000)
	require.Equal(t, 2, lexical.Parse(strings.Repeat("one two ", 50)).Phrases(), "each once")
}

func TestVector_OfALongTextIsBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 200_000 {
		text.WriteString(lexicaltest.Word(i))
		text.WriteString(" the ")
	}
	vector, words := lexical.Vector(text.String())
	require.Less(t, len(vector), 700_000)
	require.Greater(t, words, 10_000)
	require.Contains(t, vector, "'the':2,4,6")
}

func TestSnippet_BeginsAndEndsAtWords(t *testing.T) {
	t.Parallel()
	long := "The gardener planted forty roses beside the lake, and watered them every morning before breakfast, which took an hour."
	for _, c := range []struct{ text, query, want string }{
		{"all of it", "it", "all of [it]"},
		{long, "watered", "…the lake, and [watered] them every morning before…"},
		{long, "gardener", "The [gardener] planted forty roses beside the lake,…"},
		{long, "hour gardener", "The [gardener] planted forty roses beside the lake,…"},
		{long, "roses hour took", "…breakfast, which [took] an [hour]."},
		{long, "nowhere", "The gardener planted forty roses beside the lake,…"},
		{"naïve Straßen", "strasse", "naïve [Straßen]"},
		{strings.Repeat("天气很好。", 30) + "去北京的火车", "北京", "…气很好。天气很好。天气很好。天气很好。去[北京]的火车"},
		{strings.Repeat("天气很好。", 30) + "去北京的火车", "京", "…很好。天气很好。天气很好。天气很好。去北[京]的火车"},
		{"天气预报", "天气预报", "[天气预报]"},
		{"🙂 and 🙂", "🙂", "[🙂] and [🙂]"},
		{strings.Repeat("x", 300), "y", strings.Repeat("x", 50) + "…"},
	} {
		snippet, marks := lexical.Parse(c.query).Snippet(c.text, 20, 50)
		require.Equal(t, c.want, bracketed(snippet, marks), "%q", c.query)
	}
}

// bracketed is a snippet with its marks.
func bracketed(snippet string, marks []chat.Mark) string {
	runes := []rune(snippet)
	for _, m := range slices.Backward(marks) {
		runes = []rune(string(runes[:m.From]) + "[" + string(runes[m.From:m.To]) + "]" + string(runes[m.To:]))
	}
	return string(runes)
}

func FuzzSearch_OfATextFindsItAndMarksStandInTheSnippet(f *testing.F) {
	for _, c := range lexicaltest.Cases() {
		f.Add(c.Text, c.Query)
	}
	f.Add(`"`, "\xff\x00")
	f.Add("İstanbul e\u0301", `"e\u0301" & | ! <-> :* \ '`)
	f.Fuzz(func(t *testing.T, text, query string) {
		s := lexical.Parse(query)
		snippet, marks := s.Snippet(text, 10, 40)
		last := 0
		for _, m := range marks {
			require.Less(t, m.From, m.To)
			require.GreaterOrEqual(t, m.From, last)
			last = m.To
		}
		require.LessOrEqual(t, last, utf8.RuneCountInString(snippet))
		require.LessOrEqual(t, utf8.RuneCountInString(snippet), 42)
		if len(text) < 200 && s.Phrases() == 1 && s.Match(text) && utf8.RuneCountInString(text) <= 40 {
			require.NotEmpty(t, marks)
		}
	})
}
