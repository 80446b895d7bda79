// Package markdown draws Markdown in a terminal: prose in lines that can be read, tables and code as wide as the terminal is.
package markdown

import (
	"strings"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/ansi"
	x "github.com/charmbracelet/x/ansi"

	written "xbot/internal/channel/markdown"
	"xbot/internal/client/cli/text"
)

// Drawer draws Markdown. Its renderers are kept as long as the widths stay.
type Drawer struct {
	Style ansi.StyleConfig

	renderers map[int]*glamour.TermRenderer // by width
}

// most is how many renderers are kept: tables have many widths.
const most = 20

// Draw returns the lines of a text: prose is at most as wide as prose, tables and code as full, in cells. What cannot be drawn as
// Markdown is shown as it is.
func (d *Drawer) Draw(source string, prose, full int) []string {
	source = strings.ReplaceAll(text.Plain(source), "\t", "    ") // a terminal's tab stops do not know the column
	if strings.TrimSpace(source) == "" {
		return nil
	}
	if written.Heavy(source) {
		return fit(Wrap(source, prose), full)
	}
	var lines []string
	for _, part := range partsOf(source) {
		width := prose
		if part.needs > 0 {
			width = max(min(part.needs, full), 10)
		}
		drawn := d.render(part.source, width)
		if len(drawn) > 0 && len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, drawn...)
	}
	return fit(lines, full)
}

func (d *Drawer) render(source string, width int) []string {
	renderer := d.renderers[width]
	if renderer == nil {
		var err error
		renderer, err = glamour.NewTermRenderer(glamour.WithStyles(d.Style), glamour.WithWordWrap(width), glamour.WithTableWrap(true))
		if err != nil {
			return Wrap(source, width)
		}
		if d.renderers == nil || len(d.renderers) >= most {
			d.renderers = map[int]*glamour.TermRenderer{}
		}
		d.renderers[width] = renderer
	}
	drawn, err := renderer.Render(source)
	if err != nil {
		return Wrap(source, width)
	}
	lines := strings.Split(drawn, "\n")
	for i, line := range lines {
		lines[i] = trimRight(line)
	}
	return trimBlank(lines)
}

// fit breaks the lines that are wider than the width.
func fit(lines []string, width int) []string {
	fitted := make([]string, 0, len(lines))
	for _, line := range lines {
		if x.StringWidth(line) <= width {
			fitted = append(fitted, line)
			continue
		}
		fitted = append(fitted, strings.Split(x.Hardwrap(line, width, true), "\n")...)
	}
	return fitted
}

// trimBlank takes blank lines off both ends.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func blank(line string) bool { return strings.TrimSpace(x.Strip(line)) == "" }

// trimRight removes the spaces with which the renderer fills lines, unless styles are between them.
func trimRight(line string) string {
	if blank(line) {
		return ""
	}
	return strings.TrimRight(line, " ")
}

// Wrap breaks a plain text into lines of a width.
func Wrap(source string, width int) []string {
	source = strings.ReplaceAll(source, "\t", "    ")
	return strings.Split(x.Wrap(source, max(width, 1), ""), "\n")
}
