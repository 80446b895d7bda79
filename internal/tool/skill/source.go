package skill

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/prompt"
	"xbot/internal/tool"
	"xbot/internal/toolset"
)

// Listings know whether the prompt of a conversation lists skills, or a person has asked for one in it.
type Listings interface {
	HasToolOrPart(ctx context.Context, key chat.SessionKey, tool, part string) (bool, error)
}

// Server knows whether the server has skills.
type Server interface {
	Any() bool
}

// Source brings the tool Skill to conversations that have skills: others do not pay for it.
type Source struct {
	tool     tool.Tool
	server   Server
	listings Listings
}

var _ toolset.Source = (*Source)(nil)

// NewSource returns the source of a tool that New has made.
func NewSource(t tool.Tool, server Server, listings Listings) *Source {
	return &Source{tool: t, server: server, listings: listings}
}

// Tools returns Skill, or nothing. Rules may name it for any place.
func (s *Source) Tools(ctx context.Context, at toolset.Place) ([]tool.Tool, error) {
	if at.Session == "" || s.server.Any() {
		return []tool.Tool{s.tool}, nil
	}
	listed, err := s.listings.HasToolOrPart(ctx, at.Session, chat.SkillTool, prompt.SkillsPart)
	if err != nil || !listed {
		return nil, err
	}
	return []tool.Tool{s.tool}, nil
}
