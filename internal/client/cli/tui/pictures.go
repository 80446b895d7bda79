package tui

import (
	"context"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/graphics"
	"xbot/internal/client/cli/story"
)

const (
	// maxHung is how many pictures the terminal is given at once: the newest of the conversation.
	maxHung = 40
	// loads is how many are read at the same time.
	loads = 2
)

// mostPicture is how much of the screen a picture takes, in cells.
var mostPicture = graphics.Size{Columns: 60, Rows: 16}

// gallery is the pictures that the terminal has, below the messages that show them. Their cells are drawn like letters, so that they scroll
// with the text. Terminals whose pictures are painted over the cells (iTerm2, sixel) show none on the whole screen.
type gallery struct {
	able     bool // pictures are in cells
	coloured bool // the terminal has all colours; those of the cells encode which picture is in them
	cell     image.Point
	turn     chan struct{}   // has a place for each that is read
	next     int             // id of the next one
	session  chat.SessionKey // whose pictures they are
	hung     map[source]*placedPicture
	of       map[*story.Entry]sources
}

// source is where a picture comes from: a file, or what a user sent.
type source struct{ path, hash string }

// sources are those of an entry as it was after so many changes.
type sources struct {
	changes int
	list    []source
}

// placedPicture is a picture on its way to the terminal, or there.
type placedPicture struct {
	id     int
	pixels image.Point // zero: it is not there, or cannot be drawn
	size   graphics.Size
}

func (h *placedPicture) there() bool { return h.pixels != image.Point{} }

func newGallery(t graphics.Terminal, out *os.File) *gallery {
	g := &gallery{
		able: t.Protocol == graphics.Kitty && t.Cells, turn: make(chan struct{}, loads), next: 1 + rand.IntN(graphics.MaxID/2),
		hung: map[source]*placedPicture{}, of: map[*story.Entry]sources{},
	}
	if g.able {
		g.cell = graphics.CellOf(out)
	}
	return g
}

// lines returns those of the pictures of an entry that the terminal has.
func (g *gallery) lines(e *story.Entry, width int) (lines []string) {
	if g == nil || !g.able {
		return nil
	}
	for _, from := range g.sourcesOf(e) {
		if h := g.hung[from]; h != nil && h.there() {
			lines = append(lines, "")
			lines = append(lines, indent(graphics.Cells(h.id, g.fit(h.pixels, width)))...)
		}
	}
	return lines
}

// fit returns how many cells a picture takes in a column of a width.
func (g *gallery) fit(pixels image.Point, width int) graphics.Size {
	most := mostPicture
	most.Columns = min(most.Columns, width)
	return graphics.Fit(pixels, g.cell, most)
}

// sourcesOf returns where the pictures of an entry come from. Those of an answer that is being written are not known yet.
func (g *gallery) sourcesOf(e *story.Entry) []source {
	if e.Live {
		return nil
	}
	if known, ok := g.of[e]; ok && known.changes == e.Changes {
		return known.list
	}
	var list []source
	if e.Kind == story.Assistant {
		for _, path := range graphics.Sources(e.Content) {
			list = append(list, source{path: path})
		}
	} else if e.Kind == story.Person {
		for _, p := range e.Pictures {
			list = append(list, source{hash: p.Hash})
		}
	}
	g.of[e] = sources{e.Changes, list}
	return list
}

// takeAll takes all pictures away from the terminal.
func (g *gallery) takeAll() string {
	var b strings.Builder
	for _, h := range g.hung {
		b.WriteString(graphics.Take(h.id))
	}
	g.hung = map[source]*placedPicture{}
	return b.String()
}

// hang gives the terminal the newest pictures of the conversation, takes away those that are not among them any more, and fits those that are
// there to the width.
func (m *model) hang() tea.Cmd {
	g := m.gallery
	if !g.able || !g.coloured || m.session.Key == "" {
		return nil
	}
	var said strings.Builder
	if g.session != m.session.Key {
		said.WriteString(g.takeAll())
		g.session, g.of = m.session.Key, map[*story.Entry]sources{}
		m.column.forget()
		m.redraw()
	}
	wanted := g.newest(m.story.Entries)
	for from, h := range g.hung {
		if !slices.Contains(wanted, from) {
			said.WriteString(graphics.Take(h.id))
			delete(g.hung, from)
		}
	}
	var cmds []tea.Cmd
	for _, from := range wanted {
		switch h := g.hung[from]; {
		case h == nil:
			cmds = append(cmds, m.load(from))
		case h.there() && h.size != g.fit(h.pixels, m.column.inner()):
			h.size = g.fit(h.pixels, m.column.inner())
			said.WriteString(graphics.Resize(h.id, h.size))
		}
	}
	if said.Len() > 0 {
		cmds = append(cmds, tea.Raw(said.String()))
	}
	return tea.Batch(cmds...)
}

// newest returns where the newest pictures of entries come from, each once.
func (g *gallery) newest(entries []*story.Entry) (list []source) {
	for _, e := range slices.Backward(entries) {
		for _, from := range g.sourcesOf(e) {
			if len(list) == maxHung {
				return list
			}
			if !slices.Contains(list, from) {
				list = append(list, from)
			}
		}
	}
	return list
}

// load reads a picture and makes of it what the terminal is given.
func (m *model) load(from source) tea.Cmd {
	g, client, key := m.gallery, m.o.Client, m.session.Key
	g.next = g.next%graphics.MaxID + 1
	id, width := g.next, m.column.inner()
	g.hung[from] = &placedPicture{id: id}
	return m.do(func(ctx context.Context) tea.Msg {
		select {
		case g.turn <- struct{}{}:
			defer func() { <-g.turn }()
		case <-ctx.Done():
			return nil
		}
		shown, err := graphics.Fetch(ctx, func(to io.Writer) (int64, error) {
			if from.hash != "" {
				return client.ReadPicture(ctx, key, from.hash, to)
			}
			return client.DownloadFile(ctx, key, apiclient.DownloadFileParams{Path: from.path}, to)
		})
		if err != nil {
			return nil // the message names it
		}
		loaded := placedPicture{id: id, pixels: shown.Bounds().Size()}
		loaded.size = g.fit(loaded.pixels, width)
		sequence, err := graphics.Give(id, shown, loaded.size, g.cell)
		if err != nil {
			return nil
		}
		return response(func() tea.Cmd { return m.given(from, loaded, sequence) })
	})
}

// given hands a picture to the terminal, and draws the messages that show it.
func (m *model) given(from source, loaded placedPicture, sequence string) tea.Cmd {
	h := m.gallery.hung[from]
	if h == nil || h.id != loaded.id {
		return nil // it is not wanted any more
	}
	*h = loaded
	for e, known := range m.gallery.of {
		if slices.Contains(known.list, from) {
			delete(m.column.kept, e)
		}
	}
	m.redraw()
	return tea.Raw(sequence)
}
