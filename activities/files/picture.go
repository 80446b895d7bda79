package files

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/activity"

	"xbot/internal/chat"
	"xbot/internal/picture"
	"xbot/internal/sandbox"
)

// pictureChunk is how much of a file is read from a runner at once, in bytes.
const pictureChunk = 4 << 20

// show makes a picture of a file that is one, so that models are shown it. A file that cannot be shown stays a file.
func (r *Fetcher) show(ctx context.Context, p chat.AttachmentSet, f *chat.AttachmentFetch, box sandbox.Sandbox) error {
	if p.Command || f.Size > picture.MaxBytes {
		return nil
	}
	var data []byte
	for int64(len(data)) < f.Size {
		part, err := box.ReadFile(ctx, f.Path, int64(len(data)), pictureChunk)
		if err != nil {
			return fmt.Errorf("read the picture again: %w", err)
		}
		if data = append(data, part.Data...); len(part.Data) == 0 || !picture.Begins(data[:min(len(data), sniffed)]) {
			return nil
		}
	}
	made, err := picture.Make(ctx, data)
	if err != nil {
		activity.GetLogger(ctx).Info("a file is not shown as a picture", "session", p.Session, "error", err)
		return context.Cause(ctx)
	}
	shown := made.Of(f.Path)
	f.Picture = &shown.PictureRef
	return r.Store.AddPicture(ctx, p.Session, shown)
}
