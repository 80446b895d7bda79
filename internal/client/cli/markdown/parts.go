package markdown

import (
	"strings"

	x "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// part is a piece of a text that is drawn in one width.
type part struct {
	source string
	needs  int // the width of a table, in cells; wide for code; 0 for prose
}

// wide is more than any terminal has.
const wide = 1 << 20

// parser reads Markdown only to find its tables and code.
var parser = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

// partsOf separates the tables and the code of a text from what is around them. Those inside of lists and quotations stay there.
func partsOf(source string) []part {
	if !strings.ContainsAny(source, "|`~") {
		return []part{{source: source}}
	}
	var parts []part
	end := 0
	add := func(upto int, needs int) {
		if piece := source[end:upto]; strings.TrimSpace(piece) != "" {
			parts = append(parts, part{source: piece, needs: needs})
		}
		end = upto
	}
	document := parser.Parse(text.NewReader([]byte(source)))
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		var from, to int
		needs := wide
		switch node.Kind() {
		case extast.KindTable:
			from, to = extent(node, source)
			needs = widthOf(source[from:to])
		case ast.KindFencedCodeBlock:
			from, to = fenced(node, source)
		}
		if from < end || to <= from {
			continue
		}
		add(from, 0)
		add(to, needs)
	}
	add(len(source), 0)
	return parts
}

// extent returns where the lines of a table begin and end.
func extent(table ast.Node, source string) (from, to int) {
	from, to = len(source), 0
	rows := 0
	// The callback returns no error.
	_ = ast.Walk(table, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() == extast.KindTableRow {
			rows++
		}
		if entering && n.Kind() == extast.KindTableCell {
			for i := range n.Lines().Len() {
				segment := n.Lines().At(i)
				from, to = min(from, segment.Start), max(to, segment.Stop)
			}
		}
		return ast.WalkContinue, nil
	})
	if to == 0 {
		return 0, 0
	}
	from = strings.LastIndexByte(source[:from], '\n') + 1
	to = lineEnd(source, to)
	if rows == 0 { // its last line is the one of dashes
		to = lineEnd(source, to)
	}
	return from, to
}

// fenced returns where a block of code begins and ends, with the lines of its fence. An empty one has no place.
func fenced(node ast.Node, source string) (from, to int) {
	lines := node.Lines()
	if lines.Len() == 0 || lines.At(0).Start == 0 {
		return 0, 0
	}
	from = strings.LastIndexByte(source[:lines.At(0).Start], '\n') + 1 // an indented fence takes the indentation of its lines
	from = strings.LastIndexByte(source[:max(from-1, 0)], '\n') + 1
	to = lines.At(lines.Len() - 1).Stop
	closing := strings.TrimSpace(source[to:lineEnd(source, to)])
	if strings.HasPrefix(closing, "```") || strings.HasPrefix(closing, "~~~") {
		to = lineEnd(source, to)
	}
	return from, to
}

func lineEnd(source string, at int) int {
	if i := strings.IndexByte(source[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(source)
}

// widthOf returns how wide a table is when no cell of it is broken.
func widthOf(table string) int {
	var widest []int
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		if i == 1 { // the dashes
			continue
		}
		cells := strings.Split(strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), `\|`, "  "), "|")
		for column, cell := range cells {
			if column == len(widest) {
				widest = append(widest, 0)
			}
			widest[column] = max(widest[column], x.StringWidth(strings.TrimSpace(cell)))
		}
	}
	width := 1
	for _, w := range widest {
		width += w + 3 // a space at both sides, and the line between columns
	}
	return width
}
