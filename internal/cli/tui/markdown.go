package tui

import (
	"strings"

	"charm.land/glamour/v2"
	"github.com/charmbracelet/x/ansi"

	"xbot/internal/cli/text"
)

// markdown draws Markdown in a width. The renderer is kept as long as theme and width stay.
type markdown struct {
	width    int
	renderer *glamour.TermRenderer
}

// draw returns the lines of a text. What cannot be drawn as Markdown is shown as it is.
func (m *markdown) draw(source string, t theme, width int) []string {
	source = strings.ReplaceAll(text.Plain(source), "\t", "    ") // a terminal's tab stops do not know the column
	if strings.TrimSpace(source) == "" {
		return nil
	}
	if m.renderer == nil || m.width != width {
		renderer, err := glamour.NewTermRenderer(glamour.WithStyles(t.markdown), glamour.WithWordWrap(width), glamour.WithTableWrap(true))
		if err != nil {
			return wrap(source, width)
		}
		m.renderer, m.width = renderer, width
	}
	drawn, err := m.renderer.Render(source)
	if err != nil {
		return wrap(source, width)
	}
	lines := strings.Split(drawn, "\n")
	for i, line := range lines {
		lines[i] = trimRight(line)
	}
	return fit(trimBlank(lines), width)
}

// fit breaks the lines that are wider than the width.
func fit(lines []string, width int) []string {
	fitted := make([]string, 0, len(lines))
	for _, line := range lines {
		if ansi.StringWidth(line) <= width {
			fitted = append(fitted, line)
			continue
		}
		fitted = append(fitted, strings.Split(ansi.Hardwrap(line, width, true), "\n")...)
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

func blank(line string) bool { return strings.TrimSpace(ansi.Strip(line)) == "" }

// trimRight takes off the spaces with which the renderer fills lines, unless styles stand between them.
func trimRight(line string) string {
	if blank(line) {
		return ""
	}
	return strings.TrimRight(line, " ")
}

// wrap breaks a plain text into lines of a width.
func wrap(source string, width int) []string {
	source = strings.ReplaceAll(source, "\t", "    ")
	return strings.Split(ansi.Wrap(source, max(width, 1), ""), "\n")
}

// cut shortens one line to a width.
func cut(line string, width int) string {
	return ansi.Truncate(strings.ReplaceAll(line, "\t", "    "), width, "…")
}
