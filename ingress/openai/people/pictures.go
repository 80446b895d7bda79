package people

import (
	"context"
	"fmt"

	"xbot/ingress/auth"
	"xbot/ingress/openai"
	"xbot/internal/chat"
	"xbot/internal/document/picture"
	"xbot/internal/turn/engine"
)

// pictures makes the pictures of a message in the form for models. Those of one that was accepted before are there, and nothing is fetched.
func (p *People) pictures(ctx context.Context, a openai.Ask, known engine.Delivered, found bool) ([]chat.Picture, error) {
	if len(a.Pictures) == 0 {
		return nil, nil
	}
	if found {
		return p.storedPictures(ctx, known, len(a.Pictures))
	}
	files, err := p.Pictures.Fetch(ctx, fmt.Sprint(auth.User(ctx).ID), a.Files())
	if err != nil {
		return nil, a.NotHad(err)
	}
	out := make([]chat.Picture, len(files))
	for i, file := range files {
		made, err := picture.Make(ctx, file)
		if err != nil {
			return nil, fmt.Errorf("picture %d: %w", i+1, err)
		}
		out[i] = made.Of("")
		out[i].Path = ""
	}
	return out, nil
}

// storedPictures returns the pictures of a message that was accepted before, as far as the request has them too: another message has another text.
func (p *People) storedPictures(ctx context.Context, known engine.Delivered, most int) ([]chat.Picture, error) {
	sent, err := p.Services.Sent(ctx, known.Session, []chat.InboxID{known.Inbox})
	if err != nil {
		return nil, err
	}
	out := make([]chat.Picture, most)
	for i, f := range sent[known.Inbox].Files {
		if i < most && f.Picture != nil {
			out[i].PictureRef = *f.Picture
		}
	}
	return out, nil
}

// keep keeps the pictures of a message in its conversation: there is no file of them on a runner. One without bytes is there.
func (p *People) keep(ctx context.Context, key chat.SessionKey, files []chat.Attachment, pictures []chat.Picture) ([]chat.Attachment, error) {
	for i, kept := range pictures {
		kept.Name = files[i].Name
		files[i].Size = int64(len(kept.Data))
		files[i].Shown = &kept.PictureRef
		if kept.Data == nil {
			continue
		}
		if err := p.Attachments.CheckSpace(ctx, auth.User(ctx).ID, int64(len(kept.Data))); err != nil {
			return nil, err
		}
		if err := p.Attachments.AddPicture(ctx, key, kept); err != nil {
			return nil, err
		}
	}
	return files, nil
}
