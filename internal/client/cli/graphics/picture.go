package graphics

import (
	"bytes"
	"context"
	"image"
	"io"

	"golang.org/x/image/draw"

	"xbot/internal/document/picture"
	"xbot/internal/fault"
)

// MaxBytes bounds the file of a picture that is drawn.
const MaxBytes = 20 << 20

// usualCell is the size of a cell where a terminal does not say, in pixels.
var usualCell = image.Pt(10, 20)

// sensible returns the size of a cell, unless it cannot be one.
func sensible(cell image.Point) image.Point {
	if cell.X < 4 || cell.Y < 6 || cell.X > 64 || cell.Y > 128 {
		return usualCell
	}
	return cell
}

// Size is how many cells something takes.
type Size struct{ Columns, Rows int }

// Fit returns how many cells of so many pixels a picture of so many pixels takes: it is not enlarged, keeps its shape, and has one at least.
func Fit(pixels, cell image.Point, most Size) Size {
	w, h := float64(max(pixels.X, 1))/float64(cell.X), float64(max(pixels.Y, 1))/float64(cell.Y)
	scale := min(1, float64(max(most.Columns, 1))/w, float64(max(most.Rows, 1))/h)
	up := func(n float64) int { return max(1, int(n*scale+0.999)) }
	return Size{Columns: min(up(w), max(most.Columns, 1)), Rows: min(up(h), max(most.Rows, 1))}
}

// Read decodes a picture file, which is untrusted: its bytes, pixels and memory are bounded. It decodes in this process, which is the user's own.
// Errors are Invalid if it is not a picture, and TooLarge.
func Read(_ context.Context, file []byte) (image.Image, error) {
	made, err := picture.Decode(file)
	if err != nil {
		return nil, err
	}
	decoded, _, err := image.Decode(bytes.NewReader(made.Data))
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "decode the picture again: %w", err)
	}
	return decoded, nil
}

// Fetch reads a picture that a function copies somewhere, such as a download.
func Fetch(ctx context.Context, download func(io.Writer) (int64, error)) (image.Image, error) {
	var file boundedBuffer
	if _, err := download(&file); err != nil {
		return nil, err
	}
	return Read(ctx, file.Bytes())
}

// boundedBuffer is a buffer of at most MaxBytes.
type boundedBuffer struct{ bytes.Buffer }

// Write returns TooLarge beyond the limit.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > MaxBytes {
		return 0, fault.Errorf(fault.TooLarge, "the picture has more than %d MB", MaxBytes>>20)
	}
	return b.Buffer.Write(p)
}

// scaled returns a picture of the pixels of so many cells at most, in its own shape.
func scaled(p image.Image, size Size, cell image.Point) image.Image {
	b := p.Bounds()
	scale := min(1, float64(size.Columns*cell.X)/float64(b.Dx()), float64(size.Rows*cell.Y)/float64(b.Dy()))
	if scale == 1 {
		return p
	}
	out := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(b.Dx())*scale)), max(1, int(float64(b.Dy())*scale))))
	draw.ApproxBiLinear.Scale(out, out.Bounds(), p, b, draw.Src, nil)
	return out
}
