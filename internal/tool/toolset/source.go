package toolset

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/llm/choice"
	"xbot/internal/tool"
)

// Source brings tools to some conversations: an MCP server, a plugin, a search engine that a user has a key for.
type Source interface {
	// Tools returns the tools of a place. It answers from rows and memory and connects to nothing: it is asked at each step. What a
	// source cannot know now it leaves out; an error is one of the database.
	Tools(ctx context.Context, at Place) ([]tool.Tool, error)
}

// OutsideSource is a Source whose tools services may be published with. Others are not asked in conversations with consumers: what the administrator
// of a service has connected is theirs.
type OutsideSource interface {
	Source
	ServesOutside()
}

// Place is the conversation and the user that tools are wanted for.
type Place struct {
	Session chat.SessionKey // empty: in none yet, as where rules are written
	User    chat.UserID

	Channel  string // with Session: where people write
	ChatType chat.ChatType
	OfGroup  bool         // with Session: the conversation belongs to a group, which has no accounts
	Use      chat.ToolUse // with Session; empty for consumers of services
	Version  int64        // of the rows that define tools (chat.PersonModels.ToolSources); 0: not read
}

// PlaceOf returns the place of a conversation.
func PlaceOf(ctx context.Context, store Settings, key chat.SessionKey) (Place, error) {
	w, err := choice.Wanted(ctx, store, key)
	return Place{Session: key, User: w.User, Channel: w.Channel, ChatType: w.ChatType, OfGroup: w.OfGroup, Version: w.ToolSources}, err
}
