package file

import (
	"context"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"xbot/internal/fault"
	"xbot/internal/tool"
)

// Bounds of what a user is shown of a change.
const (
	maxPreviewed = 1 << 20 // bytes of a file
	maxPreview   = 20_000  // bytes of a diff
)

// Preview shows what would be replaced. A file that does not exist is made of what the arguments say.
func (create) Preview(ctx context.Context, call tool.Call, p createParams) (string, error) {
	src, err := load(ctx, call, p.Path)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	content, _, err := src.rewrite(p.Content)
	if err != nil {
		return "", err
	}
	return difference(call.Short(src.path), src.content, content), nil
}

// Preview shows what the edit would change.
func (replace) Preview(ctx context.Context, call tool.Call, p replaceParams) (string, error) {
	src, err := load(ctx, call, p.Path)
	if err != nil {
		return "", err
	}
	edited, _, err := src.apply(p)
	if err != nil {
		return "", err
	}
	return difference(call.Short(src.path), src.content, edited), nil
}

// difference returns a unified diff of a file, bounded. Of large files and of those that are no text there is none.
func difference(name, before, after string) string {
	if len(before) > maxPreviewed || len(after) > maxPreviewed || strings.ContainsRune(before+after, 0) {
		return ""
	}
	diff := udiff.Unified(name, name, before, after)
	if len(diff) <= maxPreview {
		return diff
	}
	cut := strings.LastIndexByte(diff[:maxPreview], '\n') + 1
	return diff[:cut] + fmt.Sprintf("… and %s more", tool.Count(strings.Count(diff[cut:], "\n"), "line"))
}
