// Package pdf reads PDF files: their number of pages, their text, and pictures of their pages. The files are untrusted: a separate process reads each
// (package decode), with PDFium (package engine).
package pdf

import (
	"bytes"
	"context"
	"time"

	"xbot/internal/document/decode"
	"xbot/internal/fault"
)

const (
	// MaxBytes bounds a file.
	MaxBytes = 50 << 20
	// MaxTextPages bounds the pages whose text is read at once.
	MaxTextPages = 100
	// MaxPicturePages is of how many pages pictures are made at once.
	MaxPicturePages = 10
	// MaxSide is the longest side of a picture of a page, in pixels (package picture shows no more).
	MaxSide = 1568
	// maxProblem bounds why a page could not be read, in bytes.
	maxProblem = 500
)

// Request is the request to the engine.
type Request struct {
	Cache string `json:"cache,omitempty"` // see Reader
	Want  Want   `json:"want"`
}

// Decoder is implemented by package engine. The first start on a machine compiles the engine, which takes seconds, and longer on a busy machine.
var Decoder = decode.Decoder[Request, Document]{
	Name: "pdf", What: "the PDF", Limits: decode.Limits{Memory: 1 << 30, CPU: 30 * time.Second, Time: 4 * time.Minute, Answer: 32 << 20},
}

// Begins reports whether a file with such a beginning is a PDF. Readers accept some bytes before the mark (ISO 32000-2 annex J); 1 KB is enough.
func Begins(head []byte) bool { return bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) }

// Reader reads documents. The program must import package engine.
type Reader struct {
	// Cache is a folder that keeps the engine translated for this machine, which no other user may write; empty: each reading translates it.
	Cache string
}

// Want is the requested parts of a document; without pages only their number.
type Want struct {
	Pages    []Range `json:"pages,omitempty"`
	Pictures bool    `json:"pictures,omitempty"` // in place of the text
	Width    int     `json:"width,omitempty"`    // of pictures, in pixels, as far as their longest side allows it (MaxSide); 0: as models are shown pages
	MaxText  int     `json:"max_text,omitempty"` // of all pages, in bytes; a first page that has more is cut
}

// Document is the result of reading.
type Document struct {
	Count int    `json:"count"`           // of all pages
	Pages []Page `json:"pages,omitempty"` // the wanted pages, as many as fit, in the wanted order
}

// Page is one page.
type Page struct {
	Number  int    `json:"number"`
	Text    string `json:"text,omitempty"`
	Cut     bool   `json:"cut,omitempty"`     // the text was longer than wanted
	Picture []byte `json:"picture,omitempty"` // an untrusted PNG or JPEG file
	Problem string `json:"problem,omitempty"` // why it could not be read
}

// Read reads a document. Errors are fault.Invalid for a file that is not a PDF, is broken, needs a password or takes too long, fault.TooLarge for a
// file that has more than MaxBytes or takes too much memory, those of package decode, and the cause of the context.
func (r Reader) Read(ctx context.Context, file []byte, want Want) (Document, error) {
	if len(file) > MaxBytes {
		return Document{}, fault.Errorf(fault.TooLarge, "the PDF has more than %d MB", MaxBytes>>20)
	}
	d, err := Decoder.Run(ctx, Request{Cache: r.Cache, Want: want}, file)
	if err != nil {
		return Document{}, err
	}
	return d.checked(want)
}

// checked validates a document, which a hostile one may have written.
func (d Document) checked(want Want) (Document, error) {
	if d.Count < 1 || d.Count > maxPage || len(d.Pages) > want.Most() {
		return Document{}, fault.Errorf(fault.Invalid, "the PDF cannot be read: its decoder returned an invalid result")
	}
	text := 0
	for i, p := range d.Pages {
		text += len(p.Text)
		if p.Number < 1 || p.Number > d.Count || text > want.MaxText || len(p.Problem) > maxProblem {
			return Document{}, fault.Errorf(fault.Invalid, "the PDF cannot be read: its decoder returned an invalid result")
		}
		d.Pages[i].Text, d.Pages[i].Problem = clean(p.Text), clean(p.Problem)
	}
	return d, nil
}

// Most returns how many pages are read at once.
func (w Want) Most() int {
	if w.Pictures {
		return MaxPicturePages
	}
	return MaxTextPages
}

// Takes reports whether a file of this size, in bytes, and with such a beginning is a PDF that can be read.
func (Reader) Takes(head []byte, size int64) bool { return size <= MaxBytes && Begins(head) }

// Pages counts the pages of a document. Errors are those of Read.
func (r Reader) Pages(ctx context.Context, file []byte) (int, error) {
	d, err := r.Read(ctx, file, Want{})
	return d.Count, err
}
