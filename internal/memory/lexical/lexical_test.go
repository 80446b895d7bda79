package lexical_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/memory/lexical"
)

func TestWords_TakesTextsApart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "",
		" … — ─┐ ":                      "",
		"👍🏽 ❤️x 👩‍💻":                    "👍 ❤ x 👩 💻",
		"Bob's e-mail: BOB@x.org":       "bob s e mail bob x org",
		"她住在上海":                         "她住 住在 在上 上海 海",
		"用GPT5写ＡＢＣ，好":                   "用 gpt5 写 abc 好",
		"茶":                             "茶",
		"東京へ行く":                         "東京 京へ へ行 行く く",
		"서울에 산다":                        "서울 울에 에 산다 다",
		"naïve Ünïcode Straße, Ελλάς":   "naive unicode strasse ελλασ",
		"e\u0301te\u0301 a\u00adb":      "ete ab",
		"コーヒー":                          "コー ーヒ ヒー ー",
		"ｶﾞ か\u3099":                    "ガ が",
		"getUserName HTTPServer iPhone": "getusername get user name httpserver http server iphone i phone",
		"foo.bar() /usr/lib a@b.org":    "foo bar usr lib a b org",
		"v1.2.3 2026-11-22 snake_case":  "v1 2 3 2026 11 22 snake case",
		strings.Repeat("x", 50):         strings.Repeat("x", 40),
	} {
		require.Equal(t, want, strings.Join(lexical.Words(text), " "), text)
	}
}

// finds reports whether the index of a text has any term of a query.
func finds(text, query string) bool {
	words := lexical.Words(text)
	return slices.ContainsFunc(lexical.Query(query), func(q lexical.Term) bool {
		return slices.ContainsFunc(words, func(w string) bool { return w == q.Text || q.Prefix && strings.HasPrefix(w, q.Text) })
	})
}

func TestQuery_FindsFormsPartsAndSingleIdeographs(t *testing.T) {
	t.Parallel()
	for query, text := range map[string]string{
		"is he allergic to anything": "Bob has allergies: peanuts", "kuber": "deploys on Kubernetes", "meetings": "meeting on Monday",
		"茶": "喜欢喝绿茶", "上海的天气": "她住在上海", "who": "Who is Ann?", "ＧＰＴ": "uses gpt", "naive": "a naïve idea",
	} {
		require.True(t, finds(text, query), "%q should find %q", query, text)
	}
	for query, text := range map[string]string{"cat": "concatenate", "北京": "上海", "the dog": "the cat", "?!": "anything"} {
		require.False(t, finds(text, query), "%q should not find %q", query, text)
	}
}

func TestLikeness_IsOneForTheSameWords(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 1, lexical.Likeness("Bob likes tea.", "bob LIKES tea"), 0)
	require.InDelta(t, 0, lexical.Likeness("Bob", "Ann"), 0)
	require.InDelta(t, 0, lexical.Likeness("", ""), 0)
	require.InDelta(t, 0.6, lexical.Likeness("Bob was born in May", "Ann was born in May"), 0.07)
}

func FuzzWords_AreStorableAndFoundByTheirText(f *testing.F) {
	for _, seed := range []string{"Bob likes 绿茶", "ก็ดี", "\xff\x00", "İstanbul", "ﬀ", "e\u0301", "1" + strings.Repeat("字", 700)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := lexical.Words(text)
		for _, w := range words {
			if w == "" || !utf8.ValidString(w) || strings.ContainsRune(w, 0) || utf8.RuneCountInString(w) > 40 {
				t.Fatalf("word %q", w)
			}
		}
		if len(words) > 0 && utf8.RuneCountInString(text) < 300 && !finds(text, text) {
			t.Fatalf("%q does not find itself: %q, %v", text, words, lexical.Query(text))
		}
		if l := lexical.Likeness(text, text); len(words) > 0 && l != 1 {
			t.Fatalf("likeness %v", l)
		}
	})
}
