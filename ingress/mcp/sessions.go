package mcp

import (
	"cmp"
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

const (
	// maxListed bounds a list of conversations or messages, and usualListed is the default.
	maxListed, usualListed = 100, 20
	// maxQuery bounds the search text for titles, in bytes.
	maxQuery = 200
)

// ListSessions asks for conversations.
type ListSessions struct {
	Query string `json:"query,omitempty" jsonschema:"part of the title"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many at most, 1 to 100; 20 if left out"`
}

// SessionList lists conversations.
type SessionList struct {
	Sessions []SessionLine `json:"sessions"`
}

// SessionLine is one conversation in a list.
type SessionLine struct {
	Session chat.SessionKey `json:"session" jsonschema:"what the other tools call it"`
	Title   string          `json:"title"`
	Running bool            `json:"running" jsonschema:"xbot works on an answer"`
	Waiting bool            `json:"waiting" jsonschema:"xbot has asked something; read_answer says what"`
	Queued  int             `json:"queued" jsonschema:"messages that wait for their turn"`
	Written time.Time       `json:"written" jsonschema:"when a person wrote there last"`
}

func (s *Server) listSessions(ctx context.Context, _ *sdk.CallToolRequest, in ListSessions) (SessionList, error) {
	limit, err := limitOf(in.Limit)
	if err != nil {
		return SessionList{}, err
	}
	if len(in.Query) > maxQuery {
		return SessionList{}, fault.Errorf(fault.Invalid, "query has %d bytes; at most %d are accepted", len(in.Query), maxQuery)
	}
	found, err := s.Sessions.List(ctx, in.Query, limit)
	if err != nil {
		return SessionList{}, err
	}
	out := SessionList{Sessions: []SessionLine{}}
	for _, f := range found {
		out.Sessions = append(out.Sessions, SessionLine{Session: f.Key, Title: f.Title, Running: f.Running != "", Waiting: f.Waiting, Queued: f.Queued, Written: f.UpdatedAt})
	}
	return out, nil
}

func limitOf(asked int) (int, error) {
	if asked < 0 || asked > maxListed {
		return 0, fault.Errorf(fault.Invalid, "limit is %d; it must be between 1 and %d, or left out", asked, maxListed)
	}
	return cmp.Or(asked, usualListed), nil
}
