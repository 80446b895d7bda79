package tui

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient/apitest"
	"xbot/internal/client/cli/graphics"
)

// able lets a terminal show pictures in its cells.
func (s *screen) able() {
	s.m.gallery.able, s.m.gallery.cell = true, image.Pt(10, 20)
	s.take(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
}

// cells counts those of pictures on the screen.
func (s *screen) cells() int { return strings.Count(s.m.View().Content, string(kitty.Placeholder)) }

func pictureOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, w, h))))
	return b.Bytes()
}

// draws answers with a picture.
func draws(turn *apitest.Turn, path string) {
	turn.Say("Here it is:\n\n![the figure](" + path + ")")
	turn.Answer()
}

func TestPictures_OfAnswersAndOfPeopleStandBelowTheirTexts(t *testing.T) {
	t.Parallel()
	s := setup(t, draws)
	s.server.Show("h1", pictureOf(t, 30, 20))
	s.able()
	s.take(tea.WindowSizeMsg{Width: 80, Height: 60})
	s.typed("missing.png", tea.KeyEnter)
	s.shows("Here it is:", "the figure")
	require.Zero(t, s.cells(), "there is no such file: the text names it")

	s.server.Put("b.png", string(pictureOf(t, 200, 80)))
	s.typed("b.png", tea.KeyEnter)
	s.until("the picture", func() bool { return s.cells() == 20*4 })
	first := s.m.story.Entries[0]
	first.Pictures = []chat.PictureRef{{Hash: "h1", MediaType: "image/png", Width: 30, Height: 20}}
	first.Changes++
	s.m.redraw()
	s.take(tickMsg{})
	s.until("what the person sent", func() bool { return s.cells() == 20*4+3 })

	s.take(tea.WindowSizeMsg{Width: 16, Height: 60})
	s.until("it fits", func() bool {
		return s.m.gallery.hung[source{path: "b.png"}].size == graphics.Size{Columns: 12, Rows: 3}
	})
	for line := range strings.SplitSeq(s.m.View().Content, "\n") {
		require.LessOrEqual(t, strings.Count(line, string(kitty.Placeholder)), 12)
	}
	require.Len(t, s.m.gallery.hung, 3)
	require.Equal(t, 3, strings.Count(s.m.gallery.takeAll(), "a=d,d=I"), "nothing stays in the terminal")
}

func TestPictures_AreNotAskedForWhereTheTerminalShowsNone(t *testing.T) {
	t.Parallel()
	for _, terminal := range []graphics.Terminal{{Protocol: graphics.Off}, {Protocol: graphics.Auto}, {Protocol: graphics.Sixel}, {Protocol: graphics.ITerm2}, {Protocol: graphics.Kitty}} {
		require.False(t, newGallery(terminal, nil).able)
	}
	s := setup(t, draws)
	s.server.Put("b.png", string(pictureOf(t, 100, 40)))
	s.typed("b.png", tea.KeyEnter)
	s.shows("the figure", "1.2k in")
	require.Empty(t, s.m.gallery.hung)
	require.Zero(t, s.cells())
}
