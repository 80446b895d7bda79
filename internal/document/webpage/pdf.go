package webpage

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/document/pdf"
)

// pages returns the text of a PDF, each page below its number.
func (r *Reader) pages(ctx context.Context, p Page, b body) (Page, error) {
	d, err := r.documents.Read(ctx, b.data, pdf.Want{Pages: pdf.All, MaxText: maxPDF})
	if err != nil {
		return Page{}, fmt.Errorf("%s: %w", Short(b.from), err)
	}
	var out strings.Builder
	words, cut := false, false
	for _, page := range d.Pages {
		fmt.Fprintf(&out, "--- page %d of %d ---\n", page.Number, d.Count)
		if page.Problem != "" {
			fmt.Fprintf(&out, "(%s)\n", page.Problem)
		} else if page.Text != "" {
			out.WriteString(page.Text + "\n")
			words = true
		}
		cut = cut || page.Cut
	}
	p.Text = clean(out.String())
	rest := pdf.Rest(pdf.All, d.Count, len(d.Pages))
	switch {
	case rest != "" || cut:
		p.Note = "Not all of the PDF is read here"
		if rest != "" {
			p.Note += ": pages " + rest + " are missing"
		}
		p.Note += ". DownloadFile gets it whole, and Read shows its pages."
	case !words:
		p.Note = "There is no text on these pages: they may be scanned. DownloadFile gets the PDF, and Read with pictures=true shows it."
	}
	return p, nil
}
