package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"

	"xbot/internal/fault"
)

const (
	// maxPNG is up to which size what was no photo stays sharp, in bytes: a larger one is a photo after all.
	maxPNG = 1 << 20
	// quality of JPEG, of 100.
	quality = 85
)

// encode writes the picture: drawings and screenshots as PNG, photos as JPEG.
func encode(p *image.RGBA, from string) (Picture, error) {
	out := Picture{MediaType: "image/png", Width: p.Bounds().Dx(), Height: p.Bounds().Dy()}
	var b bytes.Buffer
	if from != "jpeg" {
		if err := png.Encode(&b, p); err != nil {
			return Picture{}, fault.Errorf(fault.Internal, "encode the picture: %w", err)
		}
		if b.Len() <= maxPNG {
			out.Data = b.Bytes()
			return out, nil
		}
		b.Reset()
	}
	if err := jpeg.Encode(&b, onWhite(p), &jpeg.Options{Quality: quality}); err != nil {
		return Picture{}, fault.Errorf(fault.Internal, "encode the picture: %w", err)
	}
	out.MediaType, out.Data = "image/jpeg", b.Bytes()
	return out, nil
}

// onWhite returns the picture without anything to see through.
func onWhite(p *image.RGBA) *image.RGBA {
	if p.Opaque() {
		return p
	}
	out := image.NewRGBA(p.Bounds())
	draw.Draw(out, out.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), p, image.Point{}, draw.Over)
	return out
}
