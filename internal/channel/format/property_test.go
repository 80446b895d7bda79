package format_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"xbot/internal/channel"
	"xbot/internal/channel/format"
	"xbot/internal/user/persona"
)

var dialects = []channel.Dialect{channel.Markdown, channel.Card, channel.Plain}

// document is an answer in which every word is another one, wNNN; heads of tables are hNNN, since they may be repeated.
func document(t *rapid.T) (text string, words int) {
	word := func() string { words++; return fmt.Sprintf("w%03d", words) }
	line := func(label string) string {
		var b strings.Builder
		for range rapid.IntRange(1, 30).Draw(t, label) {
			shape := rapid.SampledFrom([]string{"%s ", "%s, ", "%s. ", "**%s** ", "`%s` ", "[%s](https://a.example/x) ", "你%s好。", "$%s$ ", "👩‍👩‍👧‍👦%s ", "<%s> ", "_%s_ "}).Draw(t, "shape")
			fmt.Fprintf(&b, shape, word())
		}
		return b.String()
	}
	var b strings.Builder
	for range rapid.IntRange(1, 6).Draw(t, "blocks") {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			b.WriteString("## " + line("heading") + "\n\n")
		case 1:
			mark := rapid.SampledFrom([]string{"```", "~~~", "````"}).Draw(t, "mark")
			b.WriteString(mark + rapid.SampledFrom([]string{"", "go", "python"}).Draw(t, "language") + "\n")
			for range rapid.IntRange(0, 12).Draw(t, "code") {
				b.WriteString(rapid.SampledFrom([]string{"", "\t", "    ", "if 1 < 2 "}).Draw(t, "indent") + word() + "\n")
			}
			b.WriteString(mark + "\n\n")
		case 2:
			fmt.Fprintf(&b, "| h%d | h |\n|---|---|\n", words)
			for range rapid.IntRange(1, 12).Draw(t, "rows") {
				fmt.Fprintf(&b, "| %s | %s |\n", word(), word())
			}
			b.WriteString("\n")
		case 3:
			for range rapid.IntRange(1, 8).Draw(t, "items") {
				b.WriteString(rapid.SampledFrom([]string{"- ", "  - ", "1. ", "- [ ] "}).Draw(t, "bullet") + line("item") + "\n")
			}
			b.WriteString("\n")
		case 4:
			b.WriteString("> " + line("quote") + "\n\n")
		default:
			b.WriteString(line("text") + "\n" + line("text") + "\n\n")
		}
	}
	return b.String(), words
}

var wordForm = regexp.MustCompile(`w\d{3}`)

func TestRender_LosesNoWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, words := document(t)
		for _, d := range dialects {
			complete(t, format.Render(d, text), words)
		}
	})
}

func complete(t *rapid.T, text string, words int) {
	t.Helper()
	found := wordForm.FindAllString(text, -1)
	if len(found) != words {
		t.Fatalf("%d words of %d in %q", len(found), words, text)
	}
	for i, word := range found {
		if word != fmt.Sprintf("w%03d", i+1) {
			t.Fatalf("%s is word %d in %q", word, i+1, text)
		}
	}
}

func TestSplit_LosesNothingAndKeepsTheLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, words := document(t)
		limit := rapid.SampledFrom([]int{100, 150, 400, 2000}).Draw(t, "limit")
		for _, d := range dialects {
			var all strings.Builder
			for _, part := range format.Split(text, d, limit) {
				if size := utf8.RuneCountInString(format.Render(d, part)); size > limit {
					t.Fatalf("%d characters in a part of at most %d: %q", size, limit, part)
				}
				if fences(part)%2 != 0 {
					t.Fatalf("code is open at the end of %q", part)
				}
				all.WriteString(part + "\n")
			}
			complete(t, all.String(), words)
		}
	})
}

func fences(part string) (n int) {
	for line := range strings.SplitSeq(part, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			n++
		}
	}
	return n
}

// TestSplit_LeaksNothingThatIsHidden: what soul hides of a streamed answer is in no part of what is sent.
func TestSplit_LeaksNothingThatIsHidden(t *testing.T) {
	t.Parallel()
	contract := persona.Contract{Tokens: []string{"[[SILENT]]"}, Tags: []string{"will"}}
	rapid.Check(t, func(t *rapid.T) {
		text, _ := document(t)
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		hidden := "<will>secret" + strings.Repeat(" secret", rapid.IntRange(0, 60).Draw(t, "long")) + "</will>"
		text = text[:at] + hidden + text[at:]
		f, shown := contract.Filter(), ""
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			shown += f.Write(rest[:n])
			rest = rest[n:]
			for _, part := range format.Split(shown, channel.Card, 100) {
				if strings.Contains(part, "secret") || strings.Contains(part, "will>") {
					t.Fatalf("%q leaks", part)
				}
			}
		}
		for _, part := range format.Split(shown+f.Close(), channel.Plain, 100) {
			if strings.Contains(part, "secret") {
				t.Fatalf("%q leaks", part)
			}
		}
	})
	for _, token := range []string{"NO_REPLY", "no_reply", " NO_REPLY\n", "[[SILENT]]"} {
		f, shown := contract.Filter(), ""
		for i := range len(token) {
			shown += f.Write(token[i : i+1])
			if shown != "" {
				t.Fatalf("%q shows %q", token, shown)
			}
		}
		if got := f.Close(); got != "" {
			t.Fatalf("%q shows %q in the end", token, got)
		}
	}
}

// letters are those that no markup is made of.
func letters(text string) (n int) {
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			n++
		}
	}
	return n
}

func FuzzSplit(f *testing.F) {
	f.Add("# a\n\n```go\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n你好，世界。", 100)
	f.Add("> ```\n> 你\n\n- ~~~~x\n  字\n", 120)
	f.Add(strings.Repeat("<", 300)+strings.Repeat("字", 300), 100)
	f.Add("|\n-|\n"+strings.Repeat("|字", 200), 100)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = min(max(limit, format.MinSplit), 5000)
		for _, d := range dialects {
			got := 0
			for _, part := range format.Split(text, d, limit) {
				rendered := format.Render(d, part)
				if n := utf8.RuneCountInString(rendered); n > limit {
					t.Fatalf("%d characters in a part of at most %d: %q", n, limit, rendered)
				}
				if !utf8.ValidString(rendered) {
					t.Fatalf("no text: %q", rendered)
				}
				got += letters(part)
			}
			if want := letters(text); got < want {
				t.Fatalf("%d of %d letters are left of %q in %s", got, want, text, d)
			}
		}
	})
}

func FuzzMentions(f *testing.F) {
	f.Add("@Ann and `@Ann`", "Ann")
	f.Add("@李雷你好", "李雷")
	f.Fuzz(func(t *testing.T, text, name string) {
		for _, d := range dialects {
			same := format.Mentions(d, text, map[string]string{"1": name}, func(_, name string) string { return "@" + name })
			if same != text {
				t.Fatalf("%q becomes %q", text, same)
			}
		}
	})
}
