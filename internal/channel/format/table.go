package format

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// wide is how many columns a table may have on a phone; wider ones are written as lines.
const wide = 48

// table writes a table: the heads, a rule, the rows; or, if it is wide, each row as lines "head: cell".
func (w *writer) table(n *east.Table, first, rest string) {
	cells := w.cells(n)
	widths := make([]int, 0, 8)
	total := 0
	for _, row := range cells {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], displaywidth.String(cell))
		}
	}
	for _, width := range widths {
		total += width + 2
	}
	lines := aligned(cells, widths)
	if total > wide {
		lines = listed(cells)
	}
	for _, line := range lines {
		w.rows = append(w.rows, prefixed(first, Row{{Text: line}}))
		first = rest
	}
}

// cells returns the texts of a table, its heads first.
func (w *writer) cells(n *east.Table) (rows [][]string) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, w.cell(cell))
		}
		rows = append(rows, cells)
	}
	return rows
}

func (w *writer) cell(n ast.Node) string {
	inner := &writer{src: w.src, kept: w.kept}
	inner.inlines(n)
	inner.flush()
	var parts []string
	for _, row := range inner.rows {
		parts = append(parts, strings.TrimSpace(plainRow(row)))
	}
	return strings.Join(parts, " ")
}

func aligned(cells [][]string, widths []int) (lines []string) {
	for i, row := range cells {
		var b strings.Builder
		for j, cell := range row {
			b.WriteString(cell)
			if j < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[j]-displaywidth.String(cell)+2))
			}
		}
		lines = append(lines, b.String())
		if i == 0 {
			var rule []string
			for _, width := range widths {
				rule = append(rule, strings.Repeat("-", max(width, 1)))
			}
			lines = append(lines, strings.Join(rule, "  "))
		}
	}
	return lines
}

func listed(cells [][]string) (lines []string) {
	if len(cells) == 1 {
		return []string{strings.Join(cells[0], " · ")}
	}
	for i, row := range cells[1:] {
		if i > 0 {
			lines = append(lines, "")
		}
		for j, cell := range row {
			head := ""
			if j < len(cells[0]) && cells[0][j] != "" {
				head = cells[0][j] + ": "
			}
			if cell != "" || head != "" {
				lines = append(lines, head+cell)
			}
		}
	}
	return lines
}
