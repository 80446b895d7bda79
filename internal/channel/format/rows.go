package format

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	written "xbot/internal/channel/markdown"
)

// Span is a piece of a line that looks the same.
type Span struct {
	Text                       string
	Bold, Italic, Strike, Code bool
	Link                       string // empty: none
}

// Row is one line. A row without spans is an empty line.
type Row []Span

// markdown reads Markdown as the page does, but for stars (emphasis.go), which come before the library's own.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
	goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(stars{}, 400))),
).Parser()

// Rows reads an answer as lines of rich text: a post in Feishu. Headings are bold, lists have bullets, tables are aligned
// text or, if they are wide, lines of their cells.
func Rows(answer string) []Row {
	answer = strings.ToValidUTF8(strings.ReplaceAll(answer, "\r\n", "\n"), "\uFFFD")
	if written.Heavy(answer) {
		return unread(answer)
	}
	marked, kept := keepFormulas(answer)
	src := []byte(marked)
	w := &writer{src: src, kept: kept}
	w.blocks(markdown.Parse(text.NewReader(src)), "", "")
	return w.rows
}

// unread returns the lines of a reply unchanged.
func unread(answer string) []Row {
	var rows []Row
	for line := range strings.SplitSeq(answer, "\n") {
		rows = append(rows, Row{{Text: line}})
	}
	return rows
}

// writer turns a tree of Markdown into rows.
type writer struct {
	src  []byte
	kept []string
	rows []Row
	line Row // the line that is being written
	look Span
}

// blocks writes the children of a block. The first line begins with first, the others with rest.
func (w *writer) blocks(parent ast.Node, first, rest string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.PreviousSibling() != nil && apart(n) {
			w.rows = append(w.rows, prefixed(strings.TrimRight(rest, " "), nil))
		}
		w.block(n, first, rest)
		first = rest
	}
}

// apart reports whether an empty line precedes a block.
func apart(n ast.Node) bool {
	switch parent := n.Parent().(type) {
	case *ast.List:
		return !parent.IsTight
	case *ast.ListItem:
		list, ok := parent.Parent().(*ast.List)
		return !ok || !list.IsTight
	}
	return true
}

func prefixed(prefix string, row Row) Row {
	if prefix == "" {
		return row
	}
	return append(Row{{Text: prefix}}, row...)
}

func (w *writer) block(n ast.Node, first, rest string) {
	switch n := n.(type) {
	case *ast.Heading:
		w.look.Bold = true
		w.lines(n, first, rest)
		w.look.Bold = false
	case *ast.Blockquote:
		w.blocks(n, first+"> ", rest+"> ")
	case *ast.List:
		w.list(n, first, rest)
	case *ast.ThematicBreak:
		w.rows = append(w.rows, prefixed(first, Row{{Text: "———"}}))
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		w.raw(n, first, rest, true)
	case *ast.HTMLBlock:
		w.raw(n, first, rest, false)
		if n.HasClosure() {
			w.rows = append(w.rows, prefixed(rest, Row{{Text: bringBack(strings.TrimRight(string(n.ClosureLine.Value(w.src)), "\n"), w.kept)}}))
		}
	case *east.Table:
		w.table(n, first, rest)
	default:
		w.lines(n, first, rest)
	}
}

// list writes the items of a list, whose later lines are indented as far as their text.
func (w *writer) list(n *ast.List, first, rest string) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item.PreviousSibling() != nil {
			first = rest
			if !n.IsTight {
				w.rows = append(w.rows, prefixed(strings.TrimRight(rest, " "), nil))
			}
		}
		bullet := "• "
		if n.IsOrdered() {
			bullet = fmt.Sprintf("%d%c ", number, n.Marker)
			number++
		}
		if _, ok := taskOf(item); ok {
			bullet = ""
		}
		if item.FirstChild() == nil {
			w.rows = append(w.rows, prefixed(first+bullet, nil))
			continue
		}
		w.blocks(item, first+bullet, rest+strings.Repeat(" ", max(2, len([]rune(bullet)))))
	}
}

func taskOf(item ast.Node) (*east.TaskCheckBox, bool) {
	if item.FirstChild() == nil || item.FirstChild().FirstChild() == nil {
		return nil, false
	}
	box, ok := item.FirstChild().FirstChild().(*east.TaskCheckBox)
	return box, ok
}

// raw writes the lines of a block as they are.
func (w *writer) raw(n ast.Node, first, rest string, code bool) {
	lines := n.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		line := bringBack(strings.TrimRight(string(at.Value(w.src)), "\n"), w.kept)
		for part := range strings.SplitSeq(line, "\n") {
			w.rows = append(w.rows, prefixed(first, Row{{Text: part, Code: code}}))
			first = rest
		}
	}
}

// lines writes a block of inline text.
func (w *writer) lines(n ast.Node, first, rest string) {
	start := len(w.rows)
	w.inlines(n)
	w.flush()
	for i := start; i < len(w.rows); i++ {
		w.rows[i] = prefixed(first, w.rows[i])
		first = rest
	}
}

func (w *writer) flush() {
	w.rows = append(w.rows, w.line)
	w.line = nil
}

func (w *writer) inlines(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		w.inline(n)
	}
}

func (w *writer) inline(n ast.Node) {
	before := w.look
	switch n := n.(type) {
	case *ast.Text:
		w.put(plainText(n, w.src))
		if n.SoftLineBreak() || n.HardLineBreak() {
			w.flush()
		}
	case *ast.String:
		w.put(string(n.Value))
	case *ast.CodeSpan:
		w.look.Code = true
		w.inlines(n)
	case *ast.Emphasis:
		if name := w.dunder(n); name != "" {
			w.put(name)
			return
		}
		w.look.Bold, w.look.Italic = before.Bold || n.Level == 2, before.Italic || n.Level == 1
		w.inlines(n)
	case *east.Strikethrough:
		w.look.Strike = true
		w.inlines(n)
	case *ast.Link:
		w.look.Link = linkTo(n.Destination)
		w.linked(n)
	case *ast.Image:
		w.look.Link = linkTo(n.Destination)
		w.linked(n)
	case *ast.AutoLink:
		w.look.Link = string(n.URL(w.src))
		w.put(string(n.Label(w.src)))
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			at := n.Segments.At(i)
			w.put(string(at.Value(w.src)))
		}
	case *east.TaskCheckBox:
		w.put(map[bool]string{true: "☑ ", false: "☐ "}[n.IsChecked])
	default:
		w.inlines(n)
	}
	w.look = before
}

// linked writes the text of a link, or its address if it has none.
func (w *writer) linked(n ast.Node) {
	if n.FirstChild() == nil {
		w.put(w.look.Link)
		return
	}
	w.inlines(n)
}

func linkTo(destination []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(destination))))
}

// plainText returns a piece of text without the marks of Markdown.
func plainText(n *ast.Text, src []byte) string {
	value := n.Value(src)
	if n.IsRaw() || n.Parent().Kind() == ast.KindCodeSpan {
		return string(value)
	}
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value))))
}

// put adds text to the line. Formulas may have several lines.
func (w *writer) put(piece string) {
	parts := strings.Split(strings.ToValidUTF8(bringBack(piece, w.kept), "\uFFFD"), "\n")
	for i, part := range parts {
		if i > 0 {
			w.flush()
		}
		if part == "" {
			continue
		}
		span := w.look
		span.Link = bringBack(span.Link, w.kept)
		span.Text = part
		w.line = append(w.line, span)
	}
}
