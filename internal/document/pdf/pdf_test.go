package pdf_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/png" // registers the format
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/pdf"
	_ "xbot/internal/document/pdf/engine" // decodes PDFs
	"xbot/internal/document/pdf/pdftest"
	"xbot/internal/fault"
)

// reader keeps the translated engine for all tests.
var reader = pdf.Reader{Cache: pdftest.Cache()}

func read(t *testing.T, file []byte, want pdf.Want) pdf.Document {
	t.Helper()
	d, err := reader.Read(t.Context(), file, want)
	require.NoError(t, err)
	return d
}

// text wants the text of pages.
func text(t *testing.T, pages string) pdf.Want {
	t.Helper()
	ranges, err := pdf.ParsePages(pages)
	require.NoError(t, err)
	return pdf.Want{Pages: ranges, MaxText: 60_000}
}

func TestRead_GivesTheTextOfTheWantedPages(t *testing.T) {
	file := pdftest.Of("one\nand (more)", "two", "three", "four")
	got := read(t, file, text(t, "4,1-2"))
	require.Equal(t, pdf.Document{Count: 4, Pages: []pdf.Page{{Number: 4, Text: "four"}, {Number: 1, Text: "one\nand (more)"}, {Number: 2, Text: "two"}}}, got)
	require.Equal(t, pdf.Document{Count: 4}, read(t, file, pdf.Want{}), "their number alone")
	require.Equal(t, pdf.Document{Count: 4}, read(t, file, text(t, "5-9")))
	require.Equal(t, "one\nand (more)", read(t, append([]byte("some bytes before\n"), file...), text(t, "1")).Pages[0].Text)
}

func TestPages_CountsThoseOfWhatItTakes(t *testing.T) {
	file := pdftest.Of("one", "two")
	require.True(t, reader.Takes(file[:20], pdf.MaxBytes))
	require.False(t, reader.Takes(file[:20], pdf.MaxBytes+1))
	require.False(t, reader.Takes([]byte("PDF"), 3))
	n, err := reader.Pages(t.Context(), file)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	n, err = reader.Pages(t.Context(), []byte("%PDF-1.7 and nothing"))
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Zero(t, n)
}

func TestRead_StopsWhereTheTextIsEnough(t *testing.T) {
	line := strings.Repeat("x", 50)
	file := pdftest.Of(line, line, line)
	want := text(t, "")
	want.MaxText = 120
	require.Len(t, read(t, file, want).Pages, 2)
	want.MaxText = 20
	require.Equal(t, []pdf.Page{{Number: 1, Text: line[:20], Cut: true}}, read(t, file, want).Pages)
}

func TestRead_DrawsPagesWithinTheBoundsOfPictures(t *testing.T) {
	for box, size := range map[string]image.Point{
		"0 0 612 792":         image.Pt(1211, 1568),
		"0 0 144 72":          image.Pt(300, 150),
		"0 0 1000000 1000000": image.Pt(1568, 1568),
		"0 0 1000000 1":       image.Pt(1568, 1),
	} {
		t.Run(box, func(t *testing.T) {
			file := pdftest.Document{Pages: []string{"one"}, Box: box}.File()
			got := read(t, file, pdf.Want{Pages: pdf.All, Pictures: true}).Pages
			require.Len(t, got, 1)
			require.Empty(t, got[0].Problem)
			shown, _, err := image.Decode(bytes.NewReader(got[0].Picture))
			require.NoError(t, err)
			require.InDelta(t, size.X, shown.Bounds().Dx(), 1)
			require.InDelta(t, size.Y, shown.Bounds().Dy(), 1)
		})
	}
	got := read(t, pdftest.Of("one"), pdf.Want{Pages: pdf.All, Pictures: true}).Pages
	shown, _, err := image.Decode(bytes.NewReader(got[0].Picture))
	require.NoError(t, err)
	dark := 0
	for y := range shown.Bounds().Dy() {
		for x := range shown.Bounds().Dx() {
			if r, _, _, a := shown.At(x, y).RGBA(); r < 0x8000 && a == 0xffff {
				dark++
			}
		}
	}
	require.Greater(t, dark, 50, "the word is to be seen")
	require.Less(t, dark, 5000, "on white")
}

func TestRead_DrawsPagesAsWideAsTheyAreWanted(t *testing.T) {
	for want, size := range map[int]image.Point{400: image.Pt(400, 517), 1: image.Pt(1, 1), 1_000_000: image.Pt(1211, 1568), -1: image.Pt(1211, 1568)} {
		got := read(t, pdftest.Of("one"), pdf.Want{Pages: pdf.All, Pictures: true, Width: want}).Pages
		require.Len(t, got, 1)
		shown, _, err := image.DecodeConfig(bytes.NewReader(got[0].Picture))
		require.NoError(t, err)
		require.InDelta(t, size.X, shown.Width, 1, want)
		require.InDelta(t, size.Y, shown.Height, 1, want)
	}
}

func TestRead_BoundsHowManyPagesItReads(t *testing.T) {
	pages := make([]string, pdf.MaxTextPages+20)
	for i := range pages {
		pages[i] = fmt.Sprint("page ", i+1)
	}
	file := pdftest.Of(pages...)
	got := read(t, file, text(t, ""))
	require.Len(t, got.Pages, pdf.MaxTextPages)
	require.Equal(t, "101-120", pdf.Rest(pdf.All, got.Count, len(got.Pages)))
	require.Len(t, read(t, file, pdf.Want{Pages: pdf.All, Pictures: true}).Pages, pdf.MaxPicturePages)
}

func TestRead_SaysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		kind fault.Kind
		says string
	}{
		"a password":      {pdftest.Encrypted(), fault.Invalid, "password"},
		"a broken file":   {[]byte("%PDF-1.7\nnothing of it"), fault.Invalid, "broken"},
		"no pages":        {pdftest.Of(), fault.Invalid, "no pages"},
		"a text":          {[]byte("hello"), fault.Invalid, "broken"},
		"nothing":         {nil, fault.Invalid, "broken"},
		"a file of 51 MB": {make([]byte, pdf.MaxBytes+1), fault.TooLarge, "50 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := reader.Read(t.Context(), c.file, text(t, ""))
			require.True(t, fault.Is(err, c.kind), "%v", err)
			require.ErrorContains(t, err, c.says)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := reader.Read(ctx, pdftest.Of("one"), pdf.Want{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestRead_SurvivesADocumentThatClaims10000Pages(t *testing.T) {
	got := read(t, pdftest.Document{Pages: []string{"the only one"}, Claimed: 10_000}.File(), text(t, ""))
	require.NotEmpty(t, got.Pages)
	require.LessOrEqual(t, len(got.Pages), pdf.MaxTextPages)
	require.Equal(t, "the only one", got.Pages[0].Text)
	for _, p := range got.Pages[1:] {
		require.NotEmpty(t, p.Problem)
	}
}

func TestParsePages_ReadsLists(t *testing.T) {
	for list, want := range map[string][]pdf.Range{
		"": pdf.All, " ": pdf.All, "3": {{3, 3}}, "1-5,9": {{1, 5}, {9, 9}}, " 2 - 4 , 7- ": {{2, 4}, {7, 1_000_000}}, "1,": {{1, 1}},
	} {
		got, err := pdf.ParsePages(list)
		require.NoError(t, err, list)
		require.Equal(t, want, got, list)
	}
	for _, list := range []string{"0", "5-1", "-3", "a", "1;2", "1,,2", "1000001", "1-2-3", strings.Repeat("1,", 200)} {
		_, err := pdf.ParsePages(list)
		require.True(t, fault.Is(err, fault.Invalid), list)
	}
}

func TestRest_NamesWhatIsLeft(t *testing.T) {
	for want, c := range map[string]struct {
		list        string
		count, read int
	}{
		"6-12": {"", 12, 5}, "": {"1-5,9", 12, 6}, "5,9": {"1-5,9", 12, 4}, "9": {"1-5,9", 9, 5}, "12": {"8-", 12, 4}, "1-3": {"1-3", 3, 0},
	} {
		pages, err := pdf.ParsePages(c.list)
		require.NoError(t, err)
		require.Equal(t, want, pdf.Rest(pages, c.count, c.read))
	}
}
