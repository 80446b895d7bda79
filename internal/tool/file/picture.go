package file

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/document/picture"
	"xbot/internal/tool"
)

// shown returns the result for a picture. A model that cannot see learns what it is and how large.
func (s source) shown(ctx context.Context) (chat.ToolResult, error) {
	p, err := picture.Make(ctx, s.data)
	if err != nil {
		return tool.FromError(fmt.Errorf("%s: %w", s.path, err))
	}
	result := tool.Text(fmt.Sprintf("[image: %s · %d bytes · shown with %d × %d pixels to models that read pictures]", s.path, len(s.data), p.Width, p.Height))
	result.Pictures = []chat.Picture{p.Of(s.path)}
	return result, nil
}
