package graphics_test

import (
	"bytes"
	"context"
	"embed"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"xbot/internal/client/cli/graphics"
	"xbot/internal/fault"
	"xbot/internal/testing/goldentest"
)

// checks is a picture of a size.
func checks(w, h int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			p.Set(x, y, color.RGBA{R: uint8(255 * ((x + y) % 2)), A: 255})
		}
	}
	return p
}

func file(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, checks(w, h)))
	return b.Bytes()
}

func TestOf_TellsByTheEnvironmentWhatATerminalCan(t *testing.T) {
	t.Parallel()
	in := func(pairs ...string) map[string]string {
		env := map[string]string{"TERM": "xterm-256color"}
		for i := 0; i < len(pairs); i += 2 {
			env[pairs[i]] = pairs[i+1]
		}
		return env
	}
	cells := graphics.Terminal{Protocol: graphics.Kitty, Cells: true}
	off := graphics.Terminal{Protocol: graphics.Off}
	for name, c := range map[string]struct {
		wanted graphics.Protocol
		env    map[string]string
		want   graphics.Terminal
	}{
		"kitty by its name":                 {"", in("TERM", "xterm-kitty"), cells},
		"kitty by its window":               {graphics.Auto, in("KITTY_WINDOW_ID", "1"), cells},
		"Ghostty":                           {graphics.Auto, in("TERM_PROGRAM", "ghostty"), cells},
		"Ghostty over SSH":                  {graphics.Auto, in("TERM", "xterm-ghostty"), cells},
		"Konsole":                           {graphics.Auto, in("KONSOLE_VERSION", "240801"), graphics.Terminal{Protocol: graphics.Kitty}},
		"iTerm2":                            {graphics.Auto, in("TERM_PROGRAM", "iTerm.app"), graphics.Terminal{Protocol: graphics.ITerm2}},
		"iTerm2 over SSH":                   {graphics.Auto, in("LC_TERMINAL", "iTerm2"), graphics.Terminal{Protocol: graphics.ITerm2}},
		"WezTerm":                           {graphics.Auto, in("TERM_PROGRAM", "WezTerm"), graphics.Terminal{Protocol: graphics.ITerm2}},
		"tmux in kitty":                     {graphics.Auto, in("TERM", "tmux-256color", "TMUX", "/tmp/x", "KITTY_WINDOW_ID", "1"), off},
		"screen in iTerm2":                  {graphics.Auto, in("TERM", "screen.xterm-256color", "TERM_PROGRAM", "iTerm.app"), off},
		"tmux that keeps the name":          {graphics.Auto, in("TERM", "xterm-kitty", "TMUX", "/tmp/x"), off},
		"dumb":                              {graphics.Auto, in("TERM", "dumb", "KITTY_WINDOW_ID", "1"), off},
		"no name":                           {graphics.Auto, in("TERM", ""), off},
		"xterm, which has to be asked":      {graphics.Auto, in(), graphics.Terminal{Protocol: graphics.Auto}},
		"off in kitty":                      {graphics.Off, in("TERM", "xterm-kitty"), off},
		"sixel in tmux, as somebody wants":  {graphics.Sixel, in("TMUX", "/tmp/x"), graphics.Terminal{Protocol: graphics.Sixel}},
		"kitty anywhere, as somebody wants": {graphics.Kitty, in("TERM", "dumb"), cells},
	} {
		require.Equal(t, c.want, graphics.Of(c.wanted, func(v string) string { return c.env[v] }), name)
	}
}

func TestFit_KeepsTheShapeEnlargesNothingAndStaysWithinBounds(t *testing.T) {
	t.Parallel()
	cell, most := image.Pt(10, 20), graphics.Size{Columns: 60, Rows: 20}
	for _, c := range []struct {
		w, h int
		want graphics.Size
	}{
		{100, 100, graphics.Size{Columns: 10, Rows: 5}}, {1, 1, graphics.Size{Columns: 1, Rows: 1}}, {0, 0, graphics.Size{Columns: 1, Rows: 1}},
		{1200, 400, graphics.Size{Columns: 60, Rows: 10}}, {400, 4000, graphics.Size{Columns: 4, Rows: 20}}, {100_000, 10, graphics.Size{Columns: 60, Rows: 1}},
	} {
		require.Equal(t, c.want, graphics.Fit(image.Pt(c.w, c.h), cell, most), "%d × %d", c.w, c.h)
	}
	require.Equal(t, graphics.Size{Columns: 1, Rows: 1}, graphics.Fit(image.Pt(100, 100), cell, graphics.Size{}))
}

//go:embed testdata
var testdata embed.FS

func TestLine_SpeaksEachProtocol(t *testing.T) {
	t.Parallel()
	size, cell := graphics.Size{Columns: 2, Rows: 1}, image.Pt(4, 6)
	plain := image.NewRGBA(image.Rect(0, 0, 8, 6))
	draw.Draw(plain, plain.Bounds(), image.NewUniform(color.RGBA{R: 255, A: 255}), image.Point{}, draw.Src)
	for by, p := range map[graphics.Protocol]image.Image{
		graphics.Kitty: checks(8, 6), graphics.ITerm2: checks(8, 6), graphics.Sixel: plain, // of several colors the order is left to chance
	} {
		got, err := graphics.Line(by, p, size, cell)
		require.NoError(t, err)
		goldentest.Equal(t, testdata, "testdata/"+string(by), got)
		require.Empty(t, ansi.Strip(got), "no byte of it is shown as text")
	}
	for _, by := range []graphics.Protocol{graphics.Auto, graphics.Off, "x"} {
		_, err := graphics.Line(by, checks(8, 6), size, cell)
		require.Error(t, err)
	}
}

func TestCells_HoldAPictureThatTheTerminalHas(t *testing.T) {
	t.Parallel()
	size := graphics.Size{Columns: 3, Rows: 2}
	given, err := graphics.Give(0x010203, checks(8, 6), size, image.Pt(4, 6))
	require.NoError(t, err)
	goldentest.Equal(t, testdata, "testdata/"+"cells", given+"\n"+strings.Join(graphics.Cells(0x010203, size), "\n")+"\n"+graphics.Resize(0x010203, graphics.Size{Columns: 1, Rows: 1})+graphics.Take(0x010203))
	for _, line := range graphics.Cells(graphics.MaxID, size) {
		require.Equal(t, 3, ansi.StringWidth(line))
	}
}

func TestGive_ALargePictureComesInPiecesOfItsCells(t *testing.T) {
	t.Parallel()
	size, cell := graphics.Size{Columns: 40, Rows: 20}, image.Pt(10, 20)
	noise := image.NewRGBA(image.Rect(0, 0, 1500, 1500))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(i*i*i>>7) | 3*uint8(i&1)
	}
	given, err := graphics.Give(7, noise, size, cell)
	require.NoError(t, err)
	require.Less(t, len(given), 1<<20)
	pieces := strings.Split(strings.TrimSuffix(given, "\x1b\\"), "\x1b\\")
	require.Greater(t, len(pieces), 1)
	form := regexp.MustCompile(`^\x1b_G[a-zA-Z0-9=,]*;[A-Za-z0-9+/=]*$`)
	for _, piece := range pieces {
		require.Regexp(t, form, piece)
		require.LessOrEqual(t, len(piece), 4096+100)
	}
}

func TestRead_HostileFilesAreRefusedAndNothingOfThemIsLeft(t *testing.T) {
	t.Parallel()
	escape := "\x1b]52;c;cm0gLXJm\x07\x1b_Ga=d\x1b\\"
	for _, content := range []string{"", escape, "GIF89a" + escape, string(file(t, 4, 4)[:40]) + escape} {
		_, err := graphics.Read(t.Context(), []byte(content))
		require.Error(t, err)
	}
	// A chunk of text that a picture carries along is decoded away.
	carried := file(t, 8, 6)
	carried = append(carried, []byte(escape)...)
	p, err := graphics.Read(t.Context(), carried)
	require.NoError(t, err)
	for _, by := range []graphics.Protocol{graphics.Kitty, graphics.ITerm2, graphics.Sixel} {
		drawn, err := graphics.Line(by, p, graphics.Size{Columns: 2, Rows: 1}, image.Pt(4, 6))
		require.NoError(t, err)
		require.NotContains(t, drawn, "]52;")
		require.Empty(t, ansi.Strip(drawn))
	}
}

func TestFetch_StopsAtTheBound(t *testing.T) {
	t.Parallel()
	read := 0
	_, err := graphics.Fetch(context.Background(), func(to io.Writer) (int64, error) {
		for range 1000 {
			n, err := to.Write(make([]byte, 1<<20))
			if read += n; err != nil {
				return int64(read), err
			}
		}
		return int64(read), nil
	})
	require.True(t, fault.Is(err, fault.TooLarge))
	require.LessOrEqual(t, read, graphics.MaxBytes)
}

func TestSources_ArePathsAndNoAddresses(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"a.png", "/srv/b c.png", "d%.png", "/e.png"}, graphics.Sources(
		"![x](a.png) [l](no.png) ![x](a.png)\n\n* ![y](/srv/b%20c.png)\n* ![](<d%.png>) ![](file:///e.png)\n\n"+
			"![](https://example.org/x.png) ![](//example.org/y.png) ![](data:image/png;base64,AAAA)\n\n`![](code.png)`\n"))
	require.Len(t, graphics.Sources(strings.Repeat("![](x", 1)+strings.Repeat(".png) ![](y", 1)+".png)"), 2)
	require.Empty(t, graphics.Sources("no picture"))
}

func FuzzSources(f *testing.F) {
	f.Add("![a](b.png) ![c](<d e>)")
	f.Add("[![a](b)](c) ![](file://\x1b)")
	f.Fuzz(func(t *testing.T, markdown string) {
		require.LessOrEqual(t, len(graphics.Sources(markdown)), 10)
	})
}
