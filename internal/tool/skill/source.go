package skill

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/prompt"
)

// Server reports whether the server has skills.
type Server interface {
	Any() bool
}

// Source brings the tool Skill to conversations that have skills: others do not pay for it.
type Source struct {
	tool   tool.Tool
	server Server
}

var _ toolset.Source = (*Source)(nil)

// NewSource returns the source of a tool that New has made.
func NewSource(t tool.Tool, server Server) *Source { return &Source{tool: t, server: server} }

// Tools returns Skill, or nothing. Rules may name it for any place. A conversation has skills where its prompt lists them, or a person has
// asked for one.
func (s *Source) Tools(_ context.Context, at toolset.Place) ([]tool.Tool, error) {
	listed := slices.Contains(at.Use.Parts, prompt.SkillsPart) || slices.Contains(at.Use.Used, chat.SkillTool)
	if at.Session == "" || s.server.Any() || listed {
		return []tool.Tool{s.tool}, nil
	}
	return nil, nil
}
