package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/charmbracelet/x/term"

	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/graphics"
)

// mostPicture is how much of a terminal a picture of an answer takes, in cells.
var mostPicture = graphics.Size{Columns: 80, Rows: 24}

// drawTime bounds how long the pictures of an answer are waited for.
const drawTime = 30 * time.Second

// draw draws the pictures of an answer below it, where the output is a terminal that can. One that cannot be read or drawn is named in the
// answer, as all of them are.
func (p Program) draw(ctx context.Context, e *exchange, answer string) {
	paths := graphics.Sources(answer)
	if len(paths) == 0 || !term.IsTerminal(p.Out.Fd()) {
		return
	}
	by := p.protocol(e.conn.pictures)
	if by == graphics.Off {
		return
	}
	most := mostPicture
	if width, _, err := term.GetSize(p.Out.Fd()); err == nil && width > 0 {
		most.Columns = min(most.Columns, width-1)
	}
	cell := graphics.CellOf(p.Out)
	ctx, cancel := context.WithTimeout(ctx, drawTime)
	defer cancel()
	for _, path := range paths {
		shown, err := graphics.Fetch(ctx, func(to io.Writer) (int64, error) {
			return e.conn.client.DownloadFile(ctx, e.session.Key, apiclient.DownloadFileParams{Path: path}, to)
		})
		if err != nil {
			continue
		}
		if drawn, err := graphics.Line(by, shown, graphics.Fit(shown.Bounds().Size(), cell, most), cell); err == nil {
			fmt.Fprintln(p.Out, drawn)
		}
	}
}

// protocol returns how the terminal draws pictures: as wanted, by its environment, or by its own answer.
func (p Program) protocol(wanted graphics.Protocol) graphics.Protocol {
	by := graphics.Of(wanted, p.Getenv).Protocol
	if by != graphics.Auto {
		return by
	}
	if term.IsTerminal(p.In.Fd()) && graphics.AsksSixel(p.In, p.Out) {
		return graphics.Sixel
	}
	return graphics.Off
}
