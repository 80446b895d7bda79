package engine

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"xbot/internal/document/pdf"
)

const (
	// density is the number of pixels in an inch of a small page.
	density = 150
	// maxPNG is up to which size a picture is handed over as it is, in bytes.
	maxPNG = 2 << 20
)

// read reads the wanted pages, as many as fit.
func (d *document) read() {
	for _, r := range d.want.Pages {
		for n := max(r.First, 1); n <= min(r.Last, d.out.Count); n++ {
			if len(d.out.Pages) == d.want.Most() {
				return
			}
			page := d.page(n)
			if len(d.out.Pages) > 0 && d.text+len(page.Text) > d.want.MaxText {
				return
			}
			page.Text, page.Cut = cut(page.Text, d.want.MaxText)
			d.out.Pages, d.text = append(d.out.Pages, page), d.text+len(page.Text)
		}
	}
}

// cut shortens a text to so many bytes.
func cut(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	return strings.ToValidUTF8(text[:most], ""), true
}

// page reads one page.
func (d *document) page(n int) pdf.Page {
	at := requests.Page{ByIndex: &requests.PageByIndex{Document: d.ref, Index: n - 1}}
	out := pdf.Page{Number: n}
	var err error
	if d.want.Pictures {
		out.Picture, err = d.picture(at)
	} else {
		out.Text, err = d.words(at)
	}
	if err != nil {
		return pdf.Page{Number: n, Problem: "this page cannot be read"}
	}
	return out
}

func (d *document) words(at requests.Page) (string, error) {
	got, err := d.engine.GetPageText(&requests.GetPageText{Page: at})
	if err != nil {
		return "", fmt.Errorf("read the text: %w", err)
	}
	return got.Text, nil
}

// picture draws a page with its annotations.
func (d *document) picture(at requests.Page) ([]byte, error) {
	size, err := d.engine.GetPageSize(&requests.GetPageSize{Page: at})
	if err != nil {
		return nil, fmt.Errorf("measure the page: %w", err)
	}
	width, height := pixels(size.Width, size.Height, d.want.Width)
	drawn, err := d.engine.RenderPageInPixels(&requests.RenderPageInPixels{Page: at, Width: width, Height: height, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT})
	if err != nil {
		return nil, fmt.Errorf("draw the page: %w", err)
	}
	defer drawn.Cleanup()
	return encode(drawn.Result.RenderedImage)
}

// pixels returns how large a picture of a page is whose size is in points, 72 an inch, and that is to be so many pixels wide; 0: of the usual density.
func pixels(width, height float64, wanted int) (w, h int) {
	scale := density / 72.0
	if wanted > 0 {
		scale = float64(wanted) / max(width, 1)
	}
	scale = min(scale, pdf.MaxSide/max(width, height, 1))
	return max(1, int(width*scale)), max(1, int(height*scale))
}

// encode writes a picture: sharp if it is small that way.
func encode(p image.Image) ([]byte, error) {
	var b bytes.Buffer
	sharp := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := sharp.Encode(&b, p); err != nil {
		return nil, fmt.Errorf("encode the page: %w", err)
	}
	if b.Len() > maxPNG {
		b.Reset()
		if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: 90}); err != nil {
			return nil, fmt.Errorf("encode the page: %w", err)
		}
	}
	return b.Bytes(), nil
}
