package format

import "strings"

// Plain returns an answer without markup: emphasis is gone, lists have bullets, links read "title (address)", formulas and
// code are unchanged.
func Plain(answer string) string {
	rows := Rows(answer)
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = strings.TrimRight(plainRow(row), " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// plainRow writes a line. The pieces of one link share one address.
func plainRow(row Row) string {
	var b strings.Builder
	for i := 0; i < len(row); {
		link, from := row[i].Link, b.Len()
		for ; i < len(row) && row[i].Link == link; i++ {
			b.WriteString(row[i].Text)
		}
		title := b.String()[from:]
		if link != "" && link != title && link != "mailto:"+title {
			b.WriteString(" (" + link + ")")
		}
	}
	return b.String()
}
