// Package picture converts a received file to a picture that a model can be shown: upright, not larger than providers use, without camera metadata.
// The files are untrusted: a separate process decodes each (package decode) within limits that are checked before decoding.
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
	"time"

	_ "golang.org/x/image/webp" // registers the format

	"xbot/internal/chat"
	"xbot/internal/document/decode"
	"xbot/internal/fault"
)

const (
	// MaxBytes bounds a file.
	MaxBytes = 30 << 20
	// maxDecoded bounds what one picture takes in memory while it is decoded, in bytes: 80 megapixels of eight bits a channel, and 44 of a
	// progressive photo.
	maxDecoded = 320 << 20
	// maxLength bounds the longer side of a file, in pixels: scaling takes 64 bytes for each. Only PNG allows longer ones.
	maxLength = 1 << 20
	// maxSide is the longest side of a picture for a model, in pixels: providers scale down larger ones.
	maxSide = 1568
)

// Picture is one as models are shown it.
type Picture struct {
	MediaType     string // image/jpeg or image/png
	Width, Height int    // in pixels
	Data          []byte
}

// Of returns the picture in the form for a conversation: made of a file of a path on a runner.
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

// decoder runs Decode in a separate process. Its memory covers the largest picture, the file and the buffers of scaling.
var decoder = decode.Decoder[struct{}, Picture]{
	Name: "picture", What: "the picture", Limits: decode.Limits{Memory: 768 << 20, CPU: 15 * time.Second, Time: time.Minute, Answer: 8 << 20},
}

var _ = decode.Serve(decoder, decode.Ready(func(_ struct{}, file []byte) (Picture, error) { return Decode(file) }))

// Make reads a JPEG, PNG, GIF (its first frame) or WebP file, independent of its name. Errors are fault.Invalid for another format, a broken file or
// one that takes too long, fault.TooLarge for one that takes too much memory, those of package decode, and the cause of the context.
func Make(ctx context.Context, file []byte) (Picture, error) {
	switch {
	case len(file) > MaxBytes:
		return Picture{}, fault.Errorf(fault.TooLarge, "the picture has more than %d MB", MaxBytes>>20)
	case !Begins(file):
		return Picture{}, fault.Errorf(fault.Invalid, "this is no picture in one of the formats JPEG, PNG, GIF and WebP")
	}
	made, err := decoder.Run(ctx, struct{}{}, file)
	if err != nil {
		return Picture{}, err
	}
	return made, made.check()
}

// check validates a picture from the decoder process, which a hostile file may control.
func (p Picture) check() error {
	if p.MediaType != http.DetectContentType(p.Data) || p.MediaType != "image/png" && p.MediaType != "image/jpeg" ||
		p.Width < 1 || p.Height < 1 || max(p.Width, p.Height) > maxSide {
		return fault.Errorf(fault.Invalid, "the picture cannot be read: its decoder returned an invalid result")
	}
	return nil
}

// Decode is Make without a separate process, for programs that read only their own user's pictures, and for the process that Make starts.
func Decode(file []byte) (Picture, error) {
	file = mend(file)
	config, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return Picture{}, fault.Errorf(fault.Invalid, "this is no picture in one of the formats JPEG, PNG, GIF and WebP: %w", err)
	}
	if config.Width <= 0 || config.Height <= 0 {
		return Picture{}, fault.Errorf(fault.Invalid, "the picture is empty")
	}
	if max(config.Width, config.Height) > maxLength || decodedBytes(file, config, format) > maxDecoded {
		return Picture{}, fault.Errorf(fault.TooLarge, "the picture has %d × %d pixels, which is too much", config.Width, config.Height)
	}
	decoded, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return Picture{}, fault.Errorf(fault.Invalid, "the picture is broken: %w", err)
	}
	return encode(turn(scale(decoded), orientation(file, format)), format)
}

// decodedBytes returns the memory that a picture takes while it is decoded.
func decodedBytes(file []byte, c image.Config, format string) int64 {
	pixels := int64(c.Width) * int64(c.Height) // of 32 bits each, at most
	if format == "jpeg" {
		return jpegBytes(file, pixels)
	}
	return pixels * depth(c.ColorModel)
}

// depth returns the number of bytes of a pixel when it is decoded.
func depth(m color.Model) int64 {
	switch m {
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	case color.GrayModel, color.YCbCrModel: // the chroma of a photo is a half of its brightness, at most twice of it
		return 3
	}
	return 4
}
