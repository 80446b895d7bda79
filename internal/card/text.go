package card

import "strings"

// Text is the content of a card in Markdown, for places that have no cards.
func Text(c Card) string { return text(c, func(Element) bool { return true }) }

// Content is the text of a card without what a person answers: its fields, and the buttons that send them.
func Content(c Card) string {
	return text(c, func(e Element) bool { return !e.Answers() && !e.IsField() })
}

func text(c Card, wanted func(Element) bool) string {
	parts := []string{"**" + c.Title + "**"}
	if c.Subtitle != "" {
		parts = append(parts, c.Subtitle)
	}
	for _, e := range c.Elements {
		if part := e.text(); part != "" && wanted(e) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n\n")
}

func (e Element) text() string {
	switch e.Kind {
	case Markdown:
		return e.Text
	case Divider:
		return "---"
	case Table:
		return TableText(e)
	case Button:
		if e.URL != "" {
			return e.Text + ": " + e.URL
		}
		return "[ " + e.Text + " ]"
	case Form:
		return ""
	case Input, Select, MultiSelect, Date, Time, DateTime:
	}
	out := e.Text + ": "
	if len(e.Options) == 0 {
		return out + "____"
	}
	return out + strings.Join(e.Options, " / ")
}

// TableText is a table in Markdown.
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
