package cards

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

// channels are the channels that show cards of models.
var channels = []string{"feishu"}

// places are the kinds of chats that a turn answers.
var places = []chat.ChatType{chat.ChatDirect, chat.ChatGroup, chat.ChatChannel, chat.ChatThread}

// Source brings the tools to conversations in chats that show cards.
type Source struct{ tools []tool.Tool }

var _ toolset.Source = Source{}

// NewSource returns the source of the tools that New has made.
func NewSource(tools []tool.Tool) Source { return Source{tools} }

// Tools returns the tools, or nothing. Rules may name them for any place.
func (s Source) Tools(_ context.Context, at toolset.Place) ([]tool.Tool, error) {
	if at.Session != "" && (!slices.Contains(channels, at.Channel) || !slices.Contains(places, at.ChatType)) {
		return nil, nil
	}
	return s.tools, nil
}
