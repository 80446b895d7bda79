package clientcontrol

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

// channels are the channels whose clients can be asked to show something.
var channels = []string{"web", "cli"}

// Source brings the tool to the conversations of one user with an agent on the page and in the terminal.
type Source struct{ tool tool.Tool }

var _ toolset.Source = Source{}

// NewSource returns the source of a tool that New has made.
func NewSource(t tool.Tool) Source { return Source{t} }

// Tools returns tui_control, or nothing. Rules may name it for any place.
func (s Source) Tools(_ context.Context, at toolset.Place) ([]tool.Tool, error) {
	if at.Session != "" && (at.ChatType != chat.ChatDirect || !slices.Contains(channels, at.Channel)) {
		return nil, nil
	}
	return []tool.Tool{s.tool}, nil
}
