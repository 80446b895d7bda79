package files

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.temporal.io/sdk/activity"

	"xbot/internal/chat"
	"xbot/internal/document/picture"
	"xbot/internal/sandbox"
)

const (
	// headSize is how much of a file is read to see whether it is a picture or a PDF, in bytes.
	headSize = 1024
	// pictureChunk is how much of one that is is read from a runner at once, in bytes.
	pictureChunk = 4 << 20
)

// pictureEndings are those of names that say that a file is a picture.
var pictureEndings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif"}

// show makes a picture of a file that is one, so that models are shown it, and counts the pages of a PDF. A file that cannot be shown stays a file,
// and the message has the reason if it is a picture or has the name of one.
func (r *Fetcher) show(ctx context.Context, p chat.AttachmentSet, f *chat.AttachmentFetch, box sandbox.Sandbox) error {
	if p.Command {
		return nil
	}
	data, err := r.content(ctx, f, box)
	switch {
	case err != nil || len(data) == 0:
		return err
	case r.counts(data, f.Size):
		return r.count(ctx, p, f, data)
	}
	made, err := picture.Make(ctx, data)
	if err != nil {
		activity.GetLogger(ctx).Info("a file is not shown as a picture", "session", p.Session, "error", err)
		f.Unshown = chat.FirstWords(err.Error(), maxReason)
		return context.Cause(ctx)
	}
	shown := made.Of(f.Path)
	f.Picture = &shown.PictureRef
	return r.Store.AddPicture(ctx, p.Session, shown)
}

// content reads a file that begins as a picture or a PDF; empty for others, of which only the beginning is read.
func (r *Fetcher) content(ctx context.Context, f *chat.AttachmentFetch, box sandbox.Sandbox) ([]byte, error) {
	var data []byte
	for size := int64(headSize); int64(len(data)) < f.Size; size = pictureChunk {
		part, err := box.ReadFile(ctx, f.Path, int64(len(data)), size)
		if err != nil {
			return nil, fmt.Errorf("read the file again: %w", err)
		}
		data = append(data, part.Data...)
		shown := f.Size <= picture.MaxBytes && picture.Begins(data[:min(len(data), sniffed)])
		if len(part.Data) == 0 || !shown && !r.counts(data, f.Size) {
			f.Unshown = unshown(f, data)
			return nil, nil
		}
	}
	return data, nil
}

// unshown returns why no picture is made of a file with this beginning; empty for one that is none and has no name of one.
func unshown(f *chat.AttachmentFetch, head []byte) string {
	switch {
	case f.Size > picture.MaxBytes && picture.Begins(head[:min(len(head), sniffed)]):
		return fmt.Sprintf("the picture has more than %d MB", picture.MaxBytes>>20)
	case f.Kind == "image", slices.Contains(pictureEndings, strings.ToLower(path.Ext(f.Path))):
		return "this is no picture in one of the formats JPEG, PNG, GIF and WebP"
	}
	return ""
}

func (r *Fetcher) counts(head []byte, size int64) bool {
	return r.Documents != nil && r.Documents.Takes(head, size)
}

// count records how many pages a PDF has. One that cannot be read stays a file.
func (r *Fetcher) count(ctx context.Context, p chat.AttachmentSet, f *chat.AttachmentFetch, data []byte) error {
	pages, err := r.Documents.Pages(ctx, data)
	if err != nil {
		activity.GetLogger(ctx).Info("the pages of a PDF are not counted", "session", p.Session, "error", err)
		return context.Cause(ctx)
	}
	f.Pages = pages
	return nil
}
