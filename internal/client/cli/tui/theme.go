package tui

import (
	"image/color"

	"charm.land/glamour/v2/ansi"
	"charm.land/glamour/v2/styles"
	"charm.land/lipgloss/v2"
)

// The colours, for light and for dark backgrounds. All are in the palette of 256, so that they look the same there.
var (
	accents = [2]string{"#005fd7", "#87afff"}
	codes   = [2]string{"#875faf", "#d7afd7"}
)

// theme is the few styles that everything is drawn with: the terminal's own colours, one accent, and a grey.
type theme struct {
	accent, good, warn, bad, dim, faint, bold, none lipgloss.Style
	markdown                                        ansi.StyleConfig
}

// newTheme returns the theme for a dark or light background; plain leaves all colours out (NO_COLOR).
func newTheme(dark, plain bool) theme {
	if plain {
		markdown := styles.NoTTYStyleConfig
		compact(&markdown)
		return theme{bold: lipgloss.NewStyle().Bold(true), markdown: markdown}
	}
	pick := func(light, darker string) color.Color {
		return lipgloss.LightDark(dark)(lipgloss.Color(light), lipgloss.Color(darker))
	}
	paint := func(light, darker string) lipgloss.Style { return lipgloss.NewStyle().Foreground(pick(light, darker)) }
	markdown := styles.LightStyleConfig
	if dark {
		markdown = styles.DarkStyleConfig
	}
	compact(&markdown)
	quiet(&markdown, dark)
	return theme{
		accent:   paint(accents[0], accents[1]),
		good:     paint("#5f875f", "#87af87"),
		warn:     paint("#875f00", "#d7af5f"),
		bad:      paint("#af0000", "#ff8787"),
		dim:      paint("#6c6c6c", "#8a8a8a"),
		faint:    paint("#c6c6c6", "#4e4e4e"),
		bold:     lipgloss.NewStyle().Bold(true),
		markdown: markdown,
	}
}

// compact takes the margins off a document, which is in a separate column.
func compact(config *ansi.StyleConfig) {
	none := uint(0)
	config.Document.Margin = &none
	config.Document.BlockPrefix, config.Document.BlockSuffix = "", ""
	config.Document.Color = nil
	config.CodeBlock.Margin = &none
}

// quiet replaces the coloured banners of headings and code by weight and the accent.
func quiet(config *ansi.StyleConfig, dark bool) {
	accent, code := &accents[0], &codes[0]
	if dark {
		accent, code = &accents[1], &codes[1]
	}
	bold, underline := true, true
	config.Heading.Color, config.Heading.Bold = accent, &bold
	for _, heading := range []*ansi.StyleBlock{&config.H1, &config.H2, &config.H3, &config.H4, &config.H5, &config.H6} {
		heading.StylePrimitive = ansi.StylePrimitive{Bold: &bold, Color: accent}
	}
	config.Code.StylePrimitive = ansi.StylePrimitive{Color: code}
	config.LinkText = ansi.StylePrimitive{Color: accent}
	config.Link = ansi.StylePrimitive{Color: accent, Underline: &underline}
	indent := uint(2)
	config.CodeBlock.Indent = &indent
}
