package picture

import (
	"image"

	"golang.org/x/image/draw"
)

const (
	// scratch is how many bytes CatmullRom needs for each pixel of a picture with the new width and the old height.
	scratch = 32
	// maxScratch bounds this memory: larger pictures are scaled in parts.
	maxScratch = 160 << 20
)

// scale returns the picture with no side longer than maxSide.
func scale(source image.Image) *image.RGBA {
	from := source.Bounds()
	width, height := from.Dx(), from.Dy()
	if longest := max(width, height); longest > maxSide {
		width, height = max(1, width*maxSide/longest), max(1, height*maxSide/longest)
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	switch {
	case out.Bounds().Size() == from.Size():
		draw.Draw(out, out.Bounds(), source, from.Min, draw.Src)
	case width*from.Dy()*scratch <= maxScratch:
		draw.CatmullRom.Scale(out, out.Bounds(), source, from, draw.Src, nil)
	default:
		heights(out, widths(source, width))
	}
	return out
}

// widths scales only the width, some rows at a time: rows are independent while the height stays.
func widths(source image.Image, width int) *image.RGBA {
	from := source.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, width, from.Dy()))
	rows := max(1, maxScratch/(width*scratch))
	for y := 0; y < from.Dy(); y += rows {
		part := image.Rect(0, y, width, min(y+rows, from.Dy()))
		draw.CatmullRom.Scale(out, part, source, image.Rect(from.Min.X, from.Min.Y+y, from.Max.X, from.Min.Y+part.Max.Y), draw.Src, nil)
	}
	return out
}

// heights scales only the height into a picture of the same width, some columns at a time.
func heights(out, source *image.RGBA) {
	size := out.Bounds().Size()
	high := source.Bounds().Dy()
	columns := max(1, maxScratch/(high*scratch))
	for x := 0; x < size.X; x += columns {
		part := image.Rect(x, 0, min(x+columns, size.X), size.Y)
		draw.CatmullRom.Scale(out, part, source, image.Rect(x, 0, part.Max.X, high), draw.Src, nil)
	}
}
