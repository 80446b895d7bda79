package picture

import (
	"bytes"
	"image"
	"time"

	"github.com/bep/imagemeta"
)

// upright is the orientation of EXIF that needs no turning; the others are 2 to 8.
const upright = 1

// formats are those whose files can hold how the camera was held.
var formats = map[string]imagemeta.ImageFormat{"jpeg": imagemeta.JPEG, "png": imagemeta.PNG, "webp": imagemeta.WebP}

// orientation reads how the camera was held. What cannot be read is upright.
func orientation(file []byte, format string) int {
	kind, ok := formats[format]
	if !ok {
		return upright
	}
	found := upright
	_, err := imagemeta.Decode(imagemeta.Options{
		R: bytes.NewReader(file), ImageFormat: kind, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool { return tag.Tag == "Orientation" },
		HandleTag: func(tag imagemeta.TagInfo) error {
			if n, ok := tag.Value.(uint16); ok && n >= 1 && n <= 8 && tag.Namespace == "IFD0" {
				found = int(n)
			}
			return nil
		},
		LimitNumTags: 1000, LimitTagSize: 10_000, Timeout: 2 * time.Second,
	})
	if err != nil {
		return upright
	}
	return found
}

// turn returns the picture as it was meant to be seen.
func turn(source *image.RGBA, orientation int) *image.RGBA {
	if orientation == upright {
		return source
	}
	w, h := source.Bounds().Dx(), source.Bounds().Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 { // the first row is a column
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewRGBA(size)
	for y := range h {
		for x := range w {
			tx, ty := turned(orientation, x, y, w, h)
			copy(out.Pix[out.PixOffset(tx, ty):][:4], source.Pix[source.PixOffset(x, y):][:4])
		}
	}
	return out
}

// turned returns the new place of a pixel of a picture of w × h pixels.
func turned(orientation, x, y, w, h int) (tx, ty int) {
	switch orientation {
	case 2: // mirrored
		return w - 1 - x, y
	case 3: // upside down
		return w - 1 - x, h - 1 - y
	case 4: // upside down and mirrored
		return x, h - 1 - y
	case 5: // on its side and mirrored
		return y, x
	case 6: // the top is at the right
		return h - 1 - y, x
	case 7: // the other side and mirrored
		return h - 1 - y, w - 1 - x
	case 8: // the top is at the left
		return y, w - 1 - x
	}
	return x, y
}
