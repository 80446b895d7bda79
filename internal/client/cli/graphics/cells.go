package graphics

import (
	"bytes"
	"fmt"
	"image"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// MaxID is the largest id of a picture in cells: their colour encodes it.
const MaxID = 1<<24 - 1

// Give returns the sequence that sends a picture to the terminal, which shows it in cells of this id.
func Give(id int, p image.Image, size Size, cell image.Point) (string, error) {
	var b bytes.Buffer
	err := kitty.EncodeGraphics(&b, scaled(p, size, cell), &kitty.Options{
		Action: kitty.TransmitAndPut, Quiet: silent, ID: id, Format: kitty.PNG, Transmission: kitty.Direct, Chunk: true,
		VirtualPlacement: true, Columns: size.Columns, Rows: size.Rows,
	})
	return b.String(), encoded(err)
}

// Resize moves a picture that the terminal has to other cells.
func Resize(id int, size Size) string {
	return ansi.KittyGraphics(nil, "a=p", "U=1", fmt.Sprint("q=", silent), fmt.Sprint("i=", id), fmt.Sprint("c=", size.Columns), fmt.Sprint("r=", size.Rows))
}

// Take takes a picture away from the terminal.
func Take(id int) string {
	return ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprint("q=", silent), fmt.Sprint("i=", id))
}

// Cells returns the lines that show a picture that the terminal has.
func Cells(id int, size Size) []string {
	lines := make([]string, size.Rows)
	for row := range lines {
		var b strings.Builder
		fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm", id>>16&0xff, id>>8&0xff, id&0xff)
		for column := range size.Columns {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(row))
			b.WriteRune(kitty.Diacritic(column))
		}
		b.WriteString("\x1b[39m")
		lines[row] = b.String()
	}
	return lines
}
