package modelcall

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/document/picture"
)

// shownMessages is in how many of the newest messages of users, and in what followed them, pictures are shown. The line that names an
// older one stays, so that the model can read its file again.
const shownMessages = 3

// picture decides which pictures the request shows, and reads them: none to a model that cannot see. What it decides is kept with the step.
func (a *Assembler) picture(ctx context.Context, d *draft) error {
	if !d.Takes.Sees {
		return nil
	}
	newest := newestPictures(d.lines)
	d.showPictures(newest)
	known, err := a.Attachments.Pictures(ctx, d.Step.Session, d.w.PicturesOf(d.picturesFrom, d.picturesSkipped))
	if err != nil {
		return err
	}
	d.w.Pictures = known
	newest = within(newest, known)
	d.showPictures(newest)
	for _, p := range newest {
		if p.line >= d.counted {
			d.used += picture.Tokens(p.Width, p.Height)
		}
	}
	d.unseen = unseen(d.lines, newest)
	return nil
}

// showPictures has the request show some of the newest pictures, newest first.
func (d *draft) showPictures(newest []placedPicture) {
	d.picturesFrom, d.picturesSkipped = 0, 0
	if n := len(newest); n > 0 {
		d.picturesFrom, d.picturesSkipped = newest[n-1].message, newest[n-1].n
	}
}

// placedPicture is a picture and its position.
type placedPicture struct {
	chat.PictureRef

	line    int
	message chat.MessageID
	n       int // among those of its message, from 0
}

// newestPictures returns the newest pictures of the newest messages, newest first: at most chat.MaxPictures.
func newestPictures(lines []chat.Line) (out []placedPicture) {
	people := 0
	for i, l := range slices.Backward(lines) {
		if l.Message.ID == 0 {
			return out
		}
		for n, p := range slices.Backward(l.Message.AllPictures()) {
			if len(out) == chat.MaxPictures {
				return out
			}
			out = append(out, placedPicture{PictureRef: p, line: i, message: l.Message.ID, n: n})
		}
		if l.Message.Role == chat.RoleUser {
			if people++; people == shownMessages {
				return out
			}
		}
	}
	return out
}

// within returns those of the newest pictures that have at most chat.MaxPictureBytes together. One that is shown twice is sent twice.
func within(newest []placedPicture, known map[string]chat.Picture) []placedPicture {
	total := 0
	for i, p := range newest {
		if total += len(known[p.Hash].Data); total > chat.MaxPictureBytes {
			return newest[:i]
		}
	}
	return newest
}

// unseen returns how many pictures of the newest line are not among those that are shown.
func unseen(lines []chat.Line, shown []placedPicture) int {
	if len(lines) == 0 {
		return 0
	}
	n := len(lines[len(lines)-1].Message.AllPictures())
	for _, p := range shown {
		if p.line == len(lines)-1 {
			n--
		}
	}
	return n
}
