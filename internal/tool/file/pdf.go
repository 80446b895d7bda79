package file

import (
	"context"
	"fmt"
	"path"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/document/pdf"
	"xbot/internal/document/picture"
	"xbot/internal/tool"
)

// pages returns the result for a PDF: the text of its pages, or pictures of them.
func (r read) pages(ctx context.Context, src source, p readParams) (chat.ToolResult, error) {
	pages, err := pdf.ParsePages(p.Pages)
	if err != nil {
		return tool.FromError(err)
	}
	d, err := r.documents.Read(ctx, src.data, pdf.Want{Pages: pages, Pictures: p.Pictures, MaxText: maxReadBytes})
	if err != nil {
		return tool.FromError(fmt.Errorf("%s: %w", src.path, err))
	}
	if len(d.Pages) == 0 {
		return tool.Fail("pages %q are behind the end: %s has %s", p.Pages, src.path, tool.Count(d.Count, "page")), nil
	}
	result := tool.Text(fmt.Sprintf("[PDF: %s · %d bytes · %s]\n", src.path, len(src.data), tool.Count(d.Count, "page")))
	if p.Pictures {
		err = drawn(ctx, src, d, &result)
	} else {
		result.Content += wordsOf(d)
	}
	if err != nil {
		return chat.ToolResult{}, err
	}
	if rest := pdf.Rest(pages, d.Count, len(d.Pages)); rest != "" {
		result.Content += fmt.Sprintf("\n(not shown yet: pages %q of %d)", rest, d.Count)
	}
	return result, nil
}

// wordsOf returns the text of pages, each below its number.
func wordsOf(d pdf.Document) string {
	var out strings.Builder
	words := false
	for _, p := range d.Pages {
		heading(&out, p.Number)
		switch {
		case p.Problem != "":
			out.WriteString("(" + p.Problem + ")\n")
		case p.Text != "":
			out.WriteString(p.Text + "\n")
			words = true
		}
		if p.Cut {
			fmt.Fprintf(&out, "(cut: this page has more than %d bytes)\n", maxReadBytes)
		}
	}
	if !words {
		out.WriteString("(no text on these pages: they may be scanned; pictures=true shows them to models that read pictures)\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func heading(out *strings.Builder, page int) { fmt.Fprintf(out, "--- page %d ---\n", page) }

// drawn adds pictures of pages to the result. A model that cannot see learns that there are some, and what it can do instead.
func drawn(ctx context.Context, src source, d pdf.Document, result *chat.ToolResult) error {
	var out strings.Builder
	for _, p := range d.Pages {
		heading(&out, p.Number)
		problem := p.Problem
		if problem == "" {
			made, err := picture.Make(ctx, p.Picture)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err == nil {
				shown := made.Of(src.path)
				shown.Name = fmt.Sprintf("%s, page %d", path.Base(src.path), p.Number)
				result.Pictures = append(result.Pictures, shown)
				fmt.Fprintf(&out, "(a picture of %d × %d pixels)\n", made.Width, made.Height)
				continue
			}
			problem = "this page cannot be shown"
		}
		out.WriteString("(" + problem + ")\n")
	}
	result.Content += out.String() + "(pictures are shown to models that read them; others see none and read the text, without pictures=true)"
	return nil
}
