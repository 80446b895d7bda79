package card

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"xbot/internal/fault"
)

// Bounds of a card as it is shown. Feishu takes 30 KB of its own JSON, and 200 elements and texts (open.feishu.cn, card JSON 2.0 structure).
const (
	MaxBytes = 26_000
	MaxParts = 180
)

// bounded is TooLarge for a card that no platform would take.
func (c Card) bounded() error {
	if size := c.Size(); size > MaxBytes {
		return fault.Errorf(fault.TooLarge, "the card has %d bytes as it is shown; at most %d fit, so shorten its texts", size, MaxBytes)
	}
	if parts := c.Parts(); parts > MaxParts {
		return fault.Errorf(fault.TooLarge, "the card has %d elements, labels and options; at most %d are shown, so leave some out", parts, MaxParts)
	}
	return nil
}

// Size returns how many bytes a card has at most as a platform shows it: FuzzDesign of Feishu verifies it.
func (c Card) Size() int {
	size := 600 + 2*cost(c.Title) + cost(c.Subtitle)
	names := 0
	for _, e := range c.Elements {
		names += len(e.Name) + 3
	}
	for _, e := range c.Elements {
		size += 330 + 2*cost(e.Text) + cost(e.URL) + cost(e.Name)
		if e.Kind == Markdown {
			size -= cost(e.Text)
		}
		if e.Answers() {
			size += 200 + names
		}
		for _, o := range e.Options {
			size += 70 + 2*cost(o)
		}
		for _, name := range e.People {
			size += 90 + cost(name)
		}
		size += 80*e.Count + 130*len(e.Files) + cells(e)
		for _, file := range e.Files {
			size += cost(path.Base(file)) // where it cannot be shown
		}
	}
	return size
}

// cells returns the size of a table or chart, where each figure has its labels.
func cells(e Element) (size int) {
	for _, head := range e.Columns {
		size += 10 + cost(head)
	}
	for _, row := range e.Rows {
		for i, cell := range row {
			size += 4 + cost(cell)
			if e.Kind == Chart && i > 0 && i < len(e.Columns) {
				size += 30 + cost(row[0]) + cost(e.Columns[i])
			}
		}
	}
	return size
}

// cost returns how many bytes a text has as JSON, with an adapter's additions that make it harmless: a character of no width, of three bytes,
// before possible markup, and addresses of images that it shows as links.
func cost(text string) int {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text is always JSON
	size := b.Len() + 6*strings.Count(text, "<") + 3*strings.Count(text, "]") + 2*strings.Count(text, "|")
	if strings.Contains(text, "![") {
		size += b.Len()
	}
	return size
}

// Parts returns how many elements and texts a platform counts at most.
func (c Card) Parts() int {
	parts := 3
	for _, e := range c.Elements {
		parts += 3 + len(e.Options) + e.Count
	}
	return parts
}
