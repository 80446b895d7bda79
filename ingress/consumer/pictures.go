package consumer

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"xbot/ingress/largebody"
	"xbot/internal/chat"
	"xbot/internal/document/decode"
	"xbot/internal/document/picture"
	"xbot/internal/document/webpicture"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/engine"
)

// pictures makes the pictures of a message, which was admitted, in the form for models. Those of addresses are fetched, unless it was accepted
// before: then the stored ones are used.
func (a *API) pictures(ctx context.Context, v *visit, c service.Conversation, o outgoingMessage) ([]chat.Picture, error) {
	ctx = decode.WithOwner(ctx, "consumer "+v.Key)
	if webpicture.Fetched(o.content.Pictures) {
		kept, found, err := a.storedPictures(ctx, c, o)
		if err != nil || found {
			return kept, err
		}
		largebody.Read(ctx) // a slow sender of a picture keeps no others from sending requests
	}
	files, err := a.Pictures.Fetch(ctx, v.Key, o.content.Pictures)
	if err != nil {
		return nil, err
	}
	var out []chat.Picture
	for i, file := range files {
		one, err := draw(ctx, file, o.content.Pictures[i].Address)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// draw makes a picture of a file as models are shown it. One of an address is named by that.
func draw(ctx context.Context, file []byte, address string) (chat.Picture, error) {
	made, err := picture.Make(ctx, file)
	if err != nil {
		return chat.Picture{}, err
	}
	name := pictureName(made.MediaType)
	if address != "" {
		name = webpicture.Name(address)
	}
	one := made.Of(name)
	one.Path = ""
	return one, nil
}

// storedPictures returns the pictures of a message that was accepted before. It returns Conflict if the message came with other ones.
func (a *API) storedPictures(ctx context.Context, c service.Conversation, o outgoingMessage) (pictures []chat.Picture, found bool, err error) {
	if c.ID == "" {
		return nil, false, nil // it is to begin with the message
	}
	known, found, err := a.Turns.Delivered(ctx, inbound(c, o.id, "").NewRow)
	if err != nil || !found {
		return nil, false, err
	}
	sent, err := a.Services.Sent(ctx, c.Session, []chat.InboxID{known.Inbox})
	if err != nil {
		return nil, false, err
	}
	files := sent[known.Inbox].Files
	if len(files) < len(o.content.Pictures) {
		return nil, false, errAnother
	}
	for i, p := range o.content.Pictures {
		one := chat.Picture{}
		switch was := files[i]; {
		case p.Address == "":
			if one, err = draw(ctx, p.Data, ""); err != nil {
				return nil, false, err
			}
		case was.Picture == nil || was.Name != webpicture.Name(p.Address):
			return nil, false, errAnother
		default:
			one.PictureRef = *was.Picture
			one.Name = was.Name
		}
		pictures = append(pictures, one)
	}
	return pictures, true, nil
}

// errAnother is the Conflict of a message whose id another one has.
var errAnother = fault.Errorf(fault.Conflict, "this Idempotency-Key came with another message before; use a new one for a new message")

// same is a Conflict where a message came with other files before.
func (a *API) same(ctx context.Context, c service.Conversation, id chat.InboxID, files []chat.Attachment) error {
	sent, err := a.Services.Sent(ctx, c.Session, []chat.InboxID{id})
	if err != nil {
		return err
	}
	if !slices.EqualFunc(sent[id].Files, files, func(was servicestore.SentFile, now chat.Attachment) bool {
		if now.Shown != nil {
			return was.Picture != nil && (was.Picture.Hash == now.Shown.Hash || webpicture.IsName(now.Name) && was.Name == now.Name)
		}
		return was.Path == now.At
	}) {
		return errAnother
	}
	return nil
}

// attach keeps the pictures of a message with its conversation, unless it came before, and names its files.
func (a *API) attach(ctx context.Context, c service.Conversation, o outgoingMessage, pictures []chat.Picture, in engine.NewRow) ([]chat.Attachment, error) {
	var out []chat.Attachment
	for _, p := range pictures {
		out = append(out, chat.Attachment{Kind: kindOf(true), Name: p.Name, Size: int64(len(p.Data)), Shown: new(p.PictureRef)})
	}
	for _, file := range o.files {
		at, err := inFolder(attachmentsFolder, file)
		if err != nil {
			return nil, err
		}
		out = append(out, chat.Attachment{Kind: kindOf(false), Name: path.Base(at), At: at})
	}
	return out, a.keep(ctx, c, pictures, in)
}

// keep stores the pictures of a message. Those of one that was accepted before are there, however much there may be by now; other ones
// under its key are not wanted.
func (a *API) keep(ctx context.Context, c service.Conversation, pictures []chat.Picture, in engine.NewRow) error {
	if len(pictures) == 0 {
		return nil
	}
	if _, before, err := a.Turns.Delivered(ctx, in); before || err != nil {
		return err
	}
	if err := a.Attachments.CheckSpace(ctx, c.User, bytesOf(pictures)); err != nil { // all or none
		return err
	}
	for _, p := range pictures {
		if err := a.Attachments.AddPicture(ctx, c.Session, p); err != nil {
			return err
		}
	}
	return nil
}

func bytesOf(pictures []chat.Picture) (n int64) {
	for _, p := range pictures {
		n += int64(len(p.Data))
	}
	return n
}

func pictureName(mediaType string) string {
	return "picture." + strings.TrimPrefix(cmp.Or(strings.TrimPrefix(mediaType, "image/"), "png"), "x-")
}
