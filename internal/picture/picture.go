// Package picture makes of a file that somebody sent a picture that a model can be shown: upright, not larger than providers use, without
// what a camera wrote into it. The files are hostile input; their memory is bounded before anything is decoded.
package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	_ "image/gif"  // registers the format
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format
	"net/http"
	"path"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // registers the format

	"xbot/internal/chat"
	"xbot/internal/fault"
)

const (
	// MaxBytes bounds a file.
	MaxBytes = 30 << 20
	// maxDecoded bounds what one picture takes in memory while it is decoded, in bytes: 80 megapixels of eight bits a channel, and 44 of a
	// progressive photo.
	maxDecoded = 320 << 20
	// maxSide is the longest side of what is shown, in pixels: providers scale down what is larger.
	maxSide = 1568
)

// Picture is one as models are shown it.
type Picture struct {
	MediaType     string // image/jpeg or image/png
	Width, Height int    // in pixels
	Data          []byte
}

// Of is the picture as a conversation keeps it: made of a file of a path on a runner.
func (p Picture) Of(file string) chat.Picture {
	sum := sha256.Sum256(p.Data)
	return chat.Picture{Data: p.Data, PictureRef: chat.PictureRef{
		Hash: hex.EncodeToString(sum[:]), MediaType: p.MediaType, Width: p.Width, Height: p.Height, Name: path.Base(file), Path: file,
	}}
}

// Begins reports whether a file with such a beginning may be a picture that Make reads; 512 bytes are enough.
func Begins(head []byte) bool {
	switch http.DetectContentType(head) {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return true
	}
	return false
}

// Tokens estimates what a provider counts for a picture of a size: Anthropic names one token for 750 pixels, OpenAI is below that.
func Tokens(width, height int) int { return max(1, width*height/750) }

// one lets one picture be decoded at a time, so that their memory does not add up.
var one = make(chan struct{}, 1)

// Make reads a JPEG, PNG, GIF (its first frame) or WebP file, whatever its name is. Errors are fault.Invalid for what is none of them or is
// broken, fault.TooLarge for what would take too much memory, and the cause of the context.
func Make(ctx context.Context, file []byte) (Picture, error) {
	if len(file) > MaxBytes {
		return Picture{}, fault.Errorf(fault.TooLarge, "the picture has more than %d MB", MaxBytes>>20)
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return Picture{}, fault.Errorf(fault.Invalid, "this is no picture in one of the formats JPEG, PNG, GIF and WebP: %w", err)
	}
	if config.Width <= 0 || config.Height <= 0 {
		return Picture{}, fault.Errorf(fault.Invalid, "the picture is empty")
	}
	if decodedBytes(file, config, format) > maxDecoded {
		return Picture{}, fault.Errorf(fault.TooLarge, "the picture has %d × %d pixels, which is too much", config.Width, config.Height)
	}
	select {
	case one <- struct{}{}:
		defer func() { <-one }()
	case <-ctx.Done():
		return Picture{}, context.Cause(ctx)
	}
	decoded, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return Picture{}, fault.Errorf(fault.Invalid, "the picture is broken: %w", err)
	}
	return encode(turn(scale(decoded), orientation(file, format)), format)
}

// decodedBytes is what a picture takes in memory while it is decoded.
func decodedBytes(file []byte, c image.Config, format string) int64 {
	pixels := int64(c.Width) * int64(c.Height) // of 32 bits each, at most
	if format == "jpeg" {
		return jpegBytes(file, pixels)
	}
	return pixels * depth(c.ColorModel)
}

// depth is how many bytes a pixel takes when it is decoded.
func depth(m color.Model) int64 {
	switch m {
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	case color.GrayModel, color.YCbCrModel: // the chroma of a photo is a half of its brightness, at most twice of it
		return 3
	}
	return 4
}

// scale returns the picture with no side longer than maxSide.
func scale(source image.Image) *image.RGBA {
	size := source.Bounds().Size()
	width, height := size.X, size.Y
	if longest := max(width, height); longest > maxSide {
		width, height = max(1, width*maxSide/longest), max(1, height*maxSide/longest)
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	if width == size.X && height == size.Y {
		draw.Draw(out, out.Bounds(), source, source.Bounds().Min, draw.Src)
		return out
	}
	draw.CatmullRom.Scale(out, out.Bounds(), source, source.Bounds(), draw.Src, nil)
	return out
}
