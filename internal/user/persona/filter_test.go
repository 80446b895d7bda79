package persona_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/user/persona"
)

var contract = persona.Contract{Tokens: []string{"[[SILENT]]", "stay quiet"}, Tags: []string{"will", "motion"}}

func TestShow_CutsHiddenPartsAndKnowsSilence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                                  "plain",
		"  as it was \n":                         "  as it was \n",
		"<will>80</will>Hello.":                  "Hello.",
		" <will>80</will>\n\nHello.\n":           "Hello.",
		"Hello <motion>nods</motion> you":        "Hello  you",
		"Hello.\n\n<Motion a='b'>nods</MOTION >": "Hello.",
		"a<will/>b":                              "ab",
		"<will>a<motion>b</motion>c</will>d":     "d",
		"<will>never closed":                     "",
		"one <will x=\"never ended":              "one",
		"<willing>kept</willing>":                "<willing>kept</willing>",
		"if a < b and <b>c</b>":                  "if a < b and <b>c</b>",
		"ends with <wil":                         "ends with <wil",
		"</will> stays":                          "</will> stays",
		"NO_REPLY is a word":                     "NO_REPLY is a word",
		"[[silent]]":                             "[[silent]]",
		"":                                       "",
	} {
		shown, silent := contract.Show(text)
		require.Equal(t, want, shown, "%q", text)
		require.Equal(t, want == "" && text != "", silent, "%q", text)
	}
	for _, text := range []string{"NO_REPLY", "no_reply", " No_Reply \n", "[[SILENT]]", "\nstay quiet ", "<will>0</will>NO_REPLY", "<will>0</will>\n[[SILENT]]\n<motion>x</motion>", "<will>0</will>"} {
		shown, silent := contract.Show(text)
		require.Empty(t, shown, "%q", text)
		require.True(t, silent, "%q", text)
	}
}

// pieces is a text that may hold whatever the filter looks for.
func pieces() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"<", ">", "/", "will", "WILL", "motion", "<will>", "</will>", "</Will >", "<will a='<'>", "<motion/>", "</motion>", "</", "<wil", "NO_REPLY", "no_", "reply",
		"[[SILENT]]", "[[", "stay", " ", "quiet", "\n", "\t", "x", "字", "\u3000", "\xe3", "\x80", "hello",
	})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "") })
}

func shownInPieces(t *rapid.T, c persona.Contract, text string) string {
	f := c.Filter()
	var out strings.Builder
	for text != "" {
		n := rapid.IntRange(1, len(text)).Draw(t, "n")
		out.WriteString(f.Write(text[:n]))
		text = text[n:]
	}
	out.WriteString(f.Close())
	return out.String()
}

func TestFilter_ShowsTheSameHoweverTheTextIsCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := pieces().Draw(t, "text")
		want, _ := contract.Show(text)
		if got := shownInPieces(t, contract, text); got != want {
			t.Fatalf("%q shows %q in pieces and %q as a whole", text, got, want)
		}
	})
}

// TestFilter_LeaksNothing: at no time is anything shown that the whole answer does not show at that place.
func TestFilter_LeaksNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := pieces().Draw(t, "text")
		want, _ := contract.Show(text)
		f := contract.Filter()
		shown := ""
		for i := range len(text) {
			if shown += f.Write(text[i : i+1]); !strings.HasPrefix(want, shown) {
				t.Fatalf("%q shows %q on the way to %q", text, shown, want)
			}
		}
	})
}

var hidden = regexp.MustCompile(`(?is)<(?:will|motion)>.*?</(?:will|motion)>`)

// TestShow_AgreesWithThePatternWhereTagsAreWhole compares with another way of saying what is hidden.
func TestShow_AgreesWithThePatternWhereTagsAreWhole(t *testing.T) {
	t.Parallel()
	words := rapid.StringMatching(`[a-z .\n]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("x" + words.Draw(t, "first"))
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			tag := rapid.SampledFrom([]string{"will", "MOTION"}).Draw(t, "tag")
			b.WriteString("<" + tag + ">" + words.Draw(t, "hidden") + "</" + tag + ">" + words.Draw(t, "shown"))
		}
		text := b.String()
		want := hidden.ReplaceAllString(text, "")
		if want != text {
			want = strings.TrimRight(want, " \t\r\n")
		}
		if got, _ := contract.Show(text); got != want {
			t.Fatalf("%q shows %q, not %q", text, got, want)
		}
	})
}

func FuzzFilter(f *testing.F) {
	f.Add("<will>80</will>Hello", "will", "[[SILENT]]", 3)
	f.Add("NO_REPLY", "a", "NO", 1)
	f.Add("<a/><a b=/ >c</a\t>", "a", "", 2)
	f.Fuzz(func(t *testing.T, text, tag, token string, n int) {
		s, _ := persona.Parse("---\noutput_contract:\n  hidden_tags: [" + tag + "]\n---\n")
		c := s.Contract
		if token != "" {
			c.Tokens = []string{strings.Trim(token, " \t\r\n")}
		}
		want, silent := c.Show(text)
		if silent && want != "" {
			t.Fatalf("silence says %q", want)
		}
		filter, got, n := c.Filter(), "", max(1, n%7)
		for rest := text; rest != ""; {
			size := min(n, len(rest))
			got += filter.Write(rest[:size])
			rest = rest[size:]
		}
		if got += filter.Close(); got != want {
			t.Fatalf("%q shows %q in pieces and %q as a whole", text, got, want)
		}
	})
}
