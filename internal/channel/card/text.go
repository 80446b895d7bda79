package card

import (
	"cmp"
	"path"
	"strings"
)

// Text returns the content of a card in Markdown, for places that have no cards.
func Text(c Card) string { return text(c, func(Element) bool { return true }) }

// Content returns the text of a card without its fields and the elements that send answers.
func Content(c Card) string {
	return text(c, func(e Element) bool { return !e.Answers() && !e.IsField() })
}

func text(c Card, wanted func(Element) bool) string {
	parts := []string{"**" + c.Title + "**"}
	if c.Subtitle != "" {
		parts = append(parts, c.Subtitle)
	}
	return strings.Join(append(parts, texts(c.Tree(), wanted)...), "\n\n")
}

func texts(nodes []Node, wanted func(Element) bool) (parts []string) {
	for _, n := range nodes {
		said := n.text()
		if !wanted(n.Element) {
			said = ""
		}
		inside := texts(n.Inside, wanted)
		if n.Kind == Area { // pressed elements follow the content they belong to
			inside, said = append(inside, said), ""
		}
		for _, part := range append([]string{said}, inside...) {
			if part != "" {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

func (e Element) text() string {
	switch {
	case e.Kind == Markdown:
		return e.Text
	case e.Kind == Divider:
		return "---"
	case e.Kind == Table:
		return TableText(e)
	case e.Kind == Chart && e.Text != "":
		return "**" + e.Text + "**\n\n" + TableText(e)
	case e.Kind == Chart:
		return TableText(e)
	case e.Kind == Person || e.Kind == People:
		return strings.Join(e.People, ", ")
	case e.Kind == Image || e.Kind == Images:
		return PicturesText(e)
	case e.Kind == Panel:
		return "**" + e.Text + "**"
	case e.Answers():
		return "[ " + strings.Join(e.Actions(), " ] [ ") + " ]"
	case e.URL != "":
		return e.Text + ": " + e.URL
	case e.Kind == Checker:
		return "☐ " + e.Text
	case e.IsField() && len(e.Options) == 0:
		return e.Text + ": ____"
	case e.IsField():
		return e.Text + ": " + strings.Join(e.Options, " / ")
	}
	return ""
}

// PicturesText returns the text shown in place of pictures.
func PicturesText(e Element) string {
	names := make([]string, len(e.Files))
	for i, file := range e.Files {
		names[i] = path.Base(file)
	}
	return "🖼 " + cmp.Or(e.Text, strings.Join(names, ", "))
}

// TableText returns a table in Markdown.
func TableText(e Element) string {
	var out strings.Builder
	row := func(cells []string) {
		for _, cell := range cells {
			out.WriteString("| " + strings.ReplaceAll(cell, "|", "\\|") + " ")
		}
		out.WriteString("|\n")
	}
	row(e.Columns)
	out.WriteString(strings.Repeat("| --- ", len(e.Columns)) + "|\n")
	for _, cells := range e.Rows {
		row(cells)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
