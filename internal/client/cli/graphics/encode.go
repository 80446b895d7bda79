package graphics

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"

	"xbot/internal/fault"
)

// silent keeps a terminal from answering: the answer would be read as typed.
const silent = 2

// Line draws a picture where the cursor is, in so many cells; the cursor is in its last line then.
func Line(by Protocol, p image.Image, size Size, cell image.Point) (string, error) {
	p = scaled(p, size, cell)
	var b bytes.Buffer
	switch by {
	case Kitty:
		err := kitty.EncodeGraphics(&b, p, &kitty.Options{
			Action: kitty.TransmitAndPut, Quiet: silent, Format: kitty.PNG, Transmission: kitty.Direct, Chunk: true, Columns: size.Columns, Rows: size.Rows,
		})
		return b.String(), encoded(err)
	case ITerm2:
		if err := png.Encode(&b, p); err != nil {
			return "", encoded(err)
		}
		content := base64.StdEncoding.EncodeToString(b.Bytes())
		return ansi.ITerm2(iterm2.File{
			Inline: true, Size: int64(b.Len()), Width: iterm2.Cells(size.Columns), Height: iterm2.Cells(size.Rows), Content: []byte(content),
		}), nil
	case Sixel:
		err := (&sixel.Encoder{}).Encode(&b, p)
		return ansi.SixelGraphics(0, 1, 0, b.Bytes()), encoded(err)
	case Auto, Off:
	}
	return "", fault.Errorf(fault.Invalid, "pictures are not drawn by %q", by)
}

func encoded(err error) error {
	if err != nil {
		return fmt.Errorf("encode a picture for the terminal: %w", err)
	}
	return nil
}
