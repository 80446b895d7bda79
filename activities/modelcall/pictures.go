package modelcall

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/picture"
)

// shownMessages is in how many of the newest messages of people, and in what followed them, pictures are shown. The line that names an
// older one stays, so that the model can read its file again.
const shownMessages = 3

// picture decides which pictures the request shows, and reads them: none to a model that cannot see.
func (a *Assembler) picture(ctx context.Context, d *draft) (err error) {
	if !d.Takes.Sees {
		return nil
	}
	d.picturesFrom = firstPictures(d.lines)
	d.w.Pictures, err = a.Windows.Pictures(ctx, d.Step.Session, d.w.PicturesOf(d.picturesFrom))
	for _, l := range d.lines[d.counted:] {
		if d.picturesFrom > 0 && l.Message.ID >= d.picturesFrom {
			d.used += pictureTokens(l)
		}
	}
	return err
}

// pictureTokens estimates what a provider counts for the pictures of a line.
func pictureTokens(l chat.Line) (n int) {
	for _, p := range l.Message.Pictures {
		n += picture.Tokens(p.Width, p.Height)
	}
	for _, c := range l.Message.ToolCalls {
		for _, p := range c.Pictures {
			n += picture.Tokens(p.Width, p.Height)
		}
	}
	return n
}

// firstPictures returns the first message whose pictures are shown: with those of all later ones they are at most chat.MaxPictures, unless the
// newest alone has more. 0: there are none.
func firstPictures(lines []chat.Line) (from chat.MessageID) {
	people, shown := 0, 0
	for _, l := range slices.Backward(lines) {
		n := len(l.Message.Pictures)
		for _, c := range l.Message.ToolCalls {
			n += len(c.Pictures)
		}
		if shown += n; from > 0 && shown > chat.MaxPictures || l.Message.ID == 0 {
			return from
		}
		if n > 0 {
			from = l.Message.ID
		}
		if l.Message.Role == chat.RoleUser {
			if people++; people == shownMessages {
				return from
			}
		}
	}
	return from
}
