// Package reference writes the pages of docs/reference from the code: each function makes one page from what it is given.
// Its tests hold all documents to the tree: links lead somewhere, and tests that are named exist.
package reference

import (
	"fmt"
	"strings"
)

// page is a page that is being written.
type page struct{ strings.Builder }

// newPage begins a page. about describes what it lists, in sentences.
func newPage(title, about string) *page {
	p := &page{}
	p.line("# %s", title)
	p.line("")
	p.line("<!-- Made by \"make gen\" from the code. Do not edit. -->")
	p.line("")
	p.line("%s", about)
	return p
}

func (p *page) line(format string, values ...any) { fmt.Fprintf(p, format+"\n", values...) }

// section begins a section.
func (p *page) section(level int, title string) {
	p.line("\n%s %s\n", strings.Repeat("#", level), title)
}

// table writes a table; cells that hold several lines become one.
func (p *page) table(head []string, rows [][]string) {
	p.row(head)
	p.line("|%s", strings.Repeat("---|", len(head)))
	for _, row := range rows {
		p.row(row)
	}
}

var cell = strings.NewReplacer("|", `\|`, "\n", " ")

func (p *page) row(cells []string) {
	for i := range cells {
		fmt.Fprintf(p, "| %s ", cell.Replace(cells[i]))
	}
	p.line("|")
}

// block writes text as it is.
func (p *page) block(language, text string) {
	p.line("```%s\n%s\n```", language, strings.TrimRight(text, "\n"))
}

// quoted returns a word as code; nothing stays nothing.
func quoted(word string) string {
	if word == "" {
		return ""
	}
	return "`" + word + "`"
}
