package file

import (
	"context"
	"fmt"
	"path"

	"xbot/internal/chat"
	"xbot/internal/picture"
	"xbot/internal/tool"
)

// shown is the result for a picture. A model that cannot see learns what it is and how large.
func (s source) shown(ctx context.Context) (chat.ToolResult, error) {
	p, err := picture.Make(ctx, s.data)
	if err != nil {
		return tool.FromError(fmt.Errorf("%s: %w", s.path, err))
	}
	ref := chat.PictureRef{Hash: p.Hash(), MediaType: p.MediaType, Width: p.Width, Height: p.Height, Name: path.Base(s.path), Path: s.path}
	result := tool.Text(fmt.Sprintf("[image: %s · %d bytes · shown with %d × %d pixels to models that read pictures]", s.path, len(s.data), p.Width, p.Height))
	result.Pictures = []chat.Picture{{PictureRef: ref, Data: p.Data}}
	return result, nil
}
