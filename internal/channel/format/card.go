package format

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	written "xbot/internal/channel/markdown"
)

// Card returns an answer in the Markdown of Feishu's cards. Tags there are commands, such as <at>, so similar text outside of
// code is escaped. Tables after the first ones become code, aligned.
func Card(answer string, tables int) string {
	answer = strings.ToValidUTF8(strings.ReplaceAll(answer, "\r\n", "\n"), "\uFFFD")
	var b strings.Builder
	for _, p := range passages([]byte(answer)) {
		switch {
		case p.table && tables > 0:
			tables--
			b.WriteString(untagged(p.text))
		case p.table:
			b.WriteString(asCode(p.text))
		case p.code:
			b.WriteString(p.text)
		default:
			b.WriteString(untagged(p.text))
		}
	}
	return b.String()
}

// Tableless returns an answer for a Markdown without tables: they become code, aligned. The rest is unchanged.
func Tableless(answer string) string {
	if !strings.Contains(answer, "|") {
		return answer
	}
	var b strings.Builder
	for _, p := range passages([]byte(answer)) {
		if p.table {
			b.WriteString(asCode(p.text))
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// autolink is an address in angle brackets.
var autolink = regexp.MustCompile(`<((?:https?|mailto):[^<>\s]+)>`)

func untagged(text string) string {
	text = autolink.ReplaceAllString(text, "[$1]($1)")
	return strings.ReplaceAll(text, "<", "&lt;")
}

// asCode writes a table as a block of code.
func asCode(table string) string {
	end := ""
	if strings.HasSuffix(table, "\n") {
		end = "\n"
	}
	return "```\n" + strings.ReplaceAll(Plain(table), "```", "'''") + "\n```" + end
}

// passage is a part of an answer that is treated in one way.
type passage struct {
	text        string
	code, table bool
}

// passages cuts an answer at its code and tables; joined they are the answer.
func passages(src []byte) (all []passage) {
	if written.Heavy(string(src)) {
		return []passage{{text: string(src)}}
	}
	at := 0
	add := func(from, to int, code, table bool) {
		if from < at || to <= from || to > len(src) {
			return
		}
		if from > at {
			all = append(all, passage{text: string(src[at:from])})
		}
		all = append(all, passage{text: string(src[from:to]), code: code, table: table})
		at = to
	}
	// The walk never fails: its function returns no error.
	_ = ast.Walk(markdown.Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			lines := n.Lines()
			for i := range lines.Len() {
				add(lines.At(i).Start, lines.At(i).Stop, true, false)
			}
			return ast.WalkSkipChildren, nil
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if piece, ok := c.(*ast.Text); ok {
					add(piece.Segment.Start, piece.Segment.Stop, true, false)
				}
			}
			return ast.WalkSkipChildren, nil
		case *east.Table:
			if _, top := n.Parent().(*ast.Document); top {
				if from, to, ok := extent(n, src); ok {
					add(from, to, false, true)
					return ast.WalkSkipChildren, nil
				}
			}
		}
		return ast.WalkContinue, nil
	})
	if at < len(src) {
		all = append(all, passage{text: string(src[at:])})
	}
	return all
}

// extent finds the lines of a table by the first and the last text in it.
func extent(n *east.Table, src []byte) (from, to int, ok bool) {
	from, to = len(src), 0
	_ = ast.Walk(n, func(c ast.Node, _ bool) (ast.WalkStatus, error) {
		if piece, is := c.(*ast.Text); is && piece.Segment.Stop > piece.Segment.Start {
			from, to = min(from, piece.Segment.Start), max(to, piece.Segment.Stop)
		}
		return ast.WalkContinue, nil
	})
	if from >= to {
		return 0, 0, false
	}
	for from > 0 && src[from-1] != '\n' {
		from--
	}
	to = lineEnd(src, from, to)
	if !strings.Contains(string(src[from:to]), "\n") {
		to = lineEnd(src, min(to+1, len(src)), 0) // a table of heads alone ends with its rule
	}
	for to < len(src) { // rows without text are found by their bars
		next := lineEnd(src, to+1, 0)
		if !strings.Contains(string(src[to+1:next]), "|") {
			break
		}
		to = next
	}
	return from, to, true
}

// lineEnd returns where the line ends that holds a place, or a later one.
func lineEnd(src []byte, from, at int) int {
	for at = max(from, at); at < len(src) && src[at] != '\n'; {
		at++
	}
	return at
}
