package files

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/document/pdf"
	"xbot/internal/document/picture"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

const (
	// pagesHeader is the number of pages of a PDF.
	pagesHeader = "X-Pages"
	// minWidth is the least width of a picture of a page, in pixels; the largest is pdf.MaxSide.
	minWidth = 100
	// pdfChunk is how much of a PDF is read from a runner at once, in bytes; a frame of the runner protocol holds more.
	pdfChunk = 4 << 20
	// pageCache lets a browser keep a page, which it shows again once the server has confirmed that its file is the same.
	pageCache = "private, no-cache"
)

// Documents reads PDFs.
type Documents interface {
	// Read draws the pages that are wanted; errors are those of pdf.Reader.
	Read(ctx context.Context, file []byte, want pdf.Want) (pdf.Document, error)
}

// pageRequest asks for a page of a PDF.
type pageRequest struct {
	endpoint.Key
	Path  string `query:"path" required:"true" minLength:"1" maxLength:"4096" doc:"Relative to the session's folder or, where there is none, to the workspace; or absolute."`
	Page  int    `query:"page" minimum:"1" maximum:"1000000" default:"1" doc:"From 1."`
	Width int    `query:"width" minimum:"1" maximum:"100000" default:"1200" doc:"Of the picture, in pixels: 100 to 1568 are drawn, others as the nearest of them. A page that would be higher than 1568 is drawn narrower."`
	Known string `header:"If-None-Match"`
}

// pageResponse is the picture of a page, which the server has drawn.
type pageResponse struct {
	Type  string `header:"Content-Type"`
	Pages int    `header:"X-Pages" doc:"How many pages the PDF has."`
	Tag   string `header:"ETag"`
	Cache string `header:"Cache-Control"`
	Sniff string `header:"X-Content-Type-Options"`
	Body  []byte
}

func (a *Endpoints) registerPages(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "draw-page", Method: http.MethodGet, Path: filesPath + "/page", Summary: "Render a page of a PDF",
		Description: "For PDF files of at most 50 MB without a password. 400: the file or the page cannot be rendered; the response has the reason. " +
			"429: you draw two pages already, or the server too many.",
		Security: endpoint.Secured, Responses: map[string]*huma.Response{"200": {
			Description: "The picture.", Content: map[string]*huma.MediaType{
				"image/png":  {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
				"image/jpeg": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
			},
		}},
	}, func(ctx context.Context, in *pageRequest) (*pageResponse, error) {
		p, err := a.location(ctx, in.Key.Key)
		if err != nil {
			return nil, a.Problem(err)
		}
		file, info, err := p.find(ctx, in.Path)
		if err != nil {
			return nil, a.Problem(err)
		}
		in.Width = min(max(in.Width, minWidth), pdf.MaxSide)
		tag := in.tag(file, info)
		if strings.TrimPrefix(in.Known, "W/") == tag { // a proxy that packs answers calls it weak
			return nil, huma.ErrorWithHeaders(huma.Status304NotModified(), http.Header{"ETag": {tag}, "Cache-Control": {pageCache}})
		}
		page, err := a.draw(ctx, p.box, file, info, in)
		if err != nil {
			return nil, withPages(a.Problem(err), page.Pages)
		}
		page.Tag, page.Cache, page.Sniff = tag, pageCache, "nosniff"
		return &page, nil
	})
}

// tag is another one once the file was written.
func (r pageRequest) tag(file string, info sandbox.FileInfo) string {
	made := fmt.Sprintf("%s\x00%s\x00%d\x00%d\x00%d\x00%d", cmp.Or(info.Real, file), r.Key.Key, info.Size, info.ModTime.UnixNano(), r.Page, r.Width)
	return strconv.Quote(sum([]byte(made)))
}

// withPages adds the number of pages to the error of a page that cannot be drawn, if it is known: others may be.
func withPages(problem error, pages int) error {
	if pages == 0 {
		return problem
	}
	return huma.ErrorWithHeaders(problem, http.Header{pagesHeader: {strconv.Itoa(pages)}})
}

// draw draws a page within the bounds of the user and of the process.
func (a *Endpoints) draw(ctx context.Context, box sandbox.Sandbox, file string, info sandbox.FileInfo, want *pageRequest) (pageResponse, error) {
	if info.Dir {
		return pageResponse{}, fault.Errorf(fault.Invalid, "%s is a folder", file)
	}
	done, err := a.drawings.begin(auth.User(ctx).ID)
	if err != nil {
		return pageResponse{}, err
	}
	defer done()
	data, err := readPDF(ctx, box, file)
	if err != nil {
		return pageResponse{}, err
	}
	d, err := a.Documents.Read(ctx, data, pdf.Want{Pages: []pdf.Range{{First: want.Page, Last: want.Page}}, Pictures: true, Width: want.Width})
	if err != nil {
		return pageResponse{}, err
	}
	out := pageResponse{Pages: d.Count}
	switch {
	case len(d.Pages) == 0:
		return out, fault.Errorf(fault.Invalid, "there is no page %d: the PDF ends with page %d", want.Page, d.Count)
	case d.Pages[0].Problem != "":
		return out, fault.Errorf(fault.Invalid, "%s", d.Pages[0].Problem)
	}
	made, err := picture.Make(ctx, d.Pages[0].Picture)
	if err != nil {
		return out, fmt.Errorf("show the page: %w", err)
	}
	out.Type, out.Body = made.MediaType, made.Data
	return out, nil
}

// readPDF reads a whole PDF. Of another file, or one that is too large, it reads only the beginning.
func readPDF(ctx context.Context, box sandbox.Sandbox, file string) ([]byte, error) {
	var data []byte
	for {
		part, err := box.ReadFile(ctx, file, int64(len(data)), pdfChunk)
		if err != nil {
			return nil, err
		}
		data = append(data, part.Data...)
		switch {
		case !pdf.Begins(data):
			return nil, fault.Errorf(fault.Invalid, "%s is no PDF", file)
		case max(part.Size, int64(len(data))) > pdf.MaxBytes:
			return nil, fault.Errorf(fault.TooLarge, "%s has more than %d MB: download it", file, pdf.MaxBytes>>20)
		case len(part.Data) == 0 || int64(len(data)) >= part.Size:
			return data, nil
		}
	}
}
