package file_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/pdf"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/file"
	"xbot/internal/tool/tooltest"
)

// shelf is what PDFs hold; it keeps what was wanted last.
type shelf struct {
	pdf.Document

	wanted pdf.Want
	err    error
}

func (s *shelf) Read(_ context.Context, _ []byte, want pdf.Want) (pdf.Document, error) {
	s.wanted = want
	return s.Document, s.err
}

// withPDF is a box with a PDF that has another name.
func withPDF(t *testing.T, d pdf.Document) (*tooltest.Box, *shelf, tool.Tool) {
	t.Helper()
	box, s := tooltest.New(t), &shelf{Document: d}
	box.Put(t, "report.txt", "%PDF-1.7\n\x00")
	return box, s, file.NewRead(s)
}

func TestRead_GivesAPDFAsTextByPages(t *testing.T) {
	t.Parallel()
	box, s, read := withPDF(t, pdf.Document{Count: 12, Pages: []pdf.Page{
		{Number: 1, Text: "one\ntwo"}, {Number: 2}, {Number: 3, Problem: "this page cannot be read"}, {Number: 4, Text: "much", Cut: true},
	}})
	got := ok(t, box, read, args{"path": "report.txt"})
	require.Equal(t, "[PDF: "+box.Workspace()+"/report.txt · 10 bytes · 12 pages]\n--- page 1 ---\none\ntwo\n--- page 2 ---\n--- page 3 ---\n"+
		"(this page cannot be read)\n--- page 4 ---\nmuch\n(cut: this page has more than 60000 bytes)\n(not shown yet: pages \"5-12\" of 12)", got)
	require.Equal(t, pdf.Want{Pages: pdf.All, MaxText: 60_000}, s.wanted)

	got = ok(t, box, read, args{"path": "report.txt", "pages": "1-4"})
	require.NotContains(t, got, "not shown yet")
	require.Equal(t, []pdf.Range{{First: 1, Last: 4}}, s.wanted.Pages)
}

func TestRead_SaysThatAScannedPDFHasNoText(t *testing.T) {
	t.Parallel()
	box, _, read := withPDF(t, pdf.Document{Count: 1, Pages: []pdf.Page{{Number: 1}}})
	require.Contains(t, ok(t, box, read, args{"path": "report.txt"}), "no text on these pages: they may be scanned; pictures=true")
}

func TestRead_ShowsPagesOfAPDFAsPictures(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	require.NoError(t, png.Encode(&page, image.NewGray(image.Rect(0, 0, 31, 20))))
	box, s, read := withPDF(t, pdf.Document{Count: 30, Pages: []pdf.Page{{Number: 7, Picture: page.Bytes()}, {Number: 8, Picture: []byte("no picture")}}})
	got := run(t, box, read, args{"path": "report.txt", "pages": "7-9", "pictures": true})
	require.False(t, got.IsError)
	require.True(t, s.wanted.Pictures)
	require.Len(t, got.Pictures, 1)
	require.Equal(t, "report.txt, page 7", got.Pictures[0].Name)
	require.Equal(t, box.Workspace()+"/report.txt", got.Pictures[0].Path)
	for _, words := range []string{"--- page 7 ---\n(a picture of 31 × 20 pixels)", "--- page 8 ---\n(this page cannot be shown)", "others see none", `(not shown yet: pages "9" of 30)`} {
		require.Contains(t, got.Content, words)
	}
}

func TestRead_SaysWhyAPDFCannotBeRead(t *testing.T) {
	t.Parallel()
	box, s, read := withPDF(t, pdf.Document{Count: 2})
	require.Contains(t, fails(t, box, read, args{"path": "report.txt", "pages": "x"}), "pages has")
	require.Equal(t, `pages "3" are behind the end: `+box.Workspace()+"/report.txt has 2 pages", fails(t, box, read, args{"path": "report.txt", "pages": "3"}))
	s.err = fault.Errorf(fault.Invalid, "the PDF is encrypted")
	require.Equal(t, box.Workspace()+"/report.txt: the PDF is encrypted", fails(t, box, read, args{"path": "report.txt"}))
	s.err = fault.Errorf(fault.Internal, "no process")
	_, err := read.Run(t.Context(), box.Call("turn.0.0", `{"path":"report.txt"}`))
	require.ErrorContains(t, err, "no process")
	require.Contains(t, fails(t, box, file.NewRead(nil), args{"path": "report.txt"}), "is a binary file (application/pdf")
}
