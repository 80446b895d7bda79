// Package markdown writes the pieces of Markdown that answers to users consist of. Untrusted texts (names, paths, titles) are
// shown literally and cannot become markup.
package markdown

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// Quoted shows a short text, such as a name or a path, as code. A backtick in it becomes a quotation mark.
func Quoted(text string) string { return "`" + strings.ReplaceAll(text, "`", "'") + "`" }

// Code formats a text as code, with any backticks in it. An empty text gives an empty result.
func Code(text string) string {
	if text == "" {
		return ""
	}
	fence := fenceAround(text, 1)
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// breaks escapes line breaks and tabs.
var breaks = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// Line formats a text as code on one line, with invisible characters written out.
func Line(text string) string {
	return Code(cmp.Or(breaks.Replace(Visible(text)), " "))
}

// Visible writes out invisible characters, and those that change the order of the letters around them.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// maxFenced bounds a block of code, in characters: answers to commands are kept in transcripts.
const maxFenced = 20_000

// Fenced formats a text as a code block, with any Markdown in it. A long one is cut.
func Fenced(text string) string { return FencedAs("text", text) }

// FencedAs returns a block of code in a language.
func FencedAs(language, text string) string {
	if runes := []rune(text); len(runes) > maxFenced {
		text = string(runes[:maxFenced]) + "\n[…]"
	}
	return block(language, text)
}

// Block formats the whole of a text as a code block without a language, with any Markdown in it.
func Block(text string) string { return block("", text) }

func block(language, text string) string {
	mark := fenceAround(text, 3)
	return mark + language + "\n" + text + "\n" + mark
}

// fenceAround returns a run of at least so many backticks, longer than any in the text.
func fenceAround(text string, least int) string {
	run := 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		least = max(least, run+1)
	}
	return strings.Repeat("`", least)
}

// Indented quotes a text inside a list: every line of it belongs to the item.
func Indented(text string) string { return "  > " + strings.ReplaceAll(text, "\n", "\n  > ") }

// Escaped returns a text of one line that is not read as Markdown.
func Escaped(text string) string { return special.Replace(strings.Join(strings.Fields(text), " ")) }

var special = strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "`", "'", "[", "\\[", "]", "\\]", "<", "&lt;", "|", "\\|")

// Table formats a table. The names of its columns are separated by bars.
func Table(head string, rows [][]string) string {
	columns := strings.Count(head, "|") + 1
	lines := []string{"| " + head + " |", "|" + strings.Repeat(" --- |", columns)}
	for _, row := range rows {
		lines = append(lines, "| "+strings.Join(row, " | ")+" |")
	}
	return strings.Join(lines, "\n")
}

// Bytes writes a size for a reader.
func Bytes(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1000)
}

// Tokens writes a number of tokens for a reader.
func Tokens(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%d k", (n+500)/1000)
	default:
		return fmt.Sprintf("%.2f M", float64(n)/1e6)
	}
}
