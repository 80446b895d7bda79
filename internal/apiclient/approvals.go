package apiclient

import (
	"context"
	"net/http"
	"net/url"

	"xbot/internal/chat"
)

// Permission is what may happen when a tool is to be run for the user.
type Permission struct {
	Name    string         `json:"name"`
	Class   chat.ToolClass `json:"class"`
	Summary string         `json:"summary"`
	Rule    chat.Rule      `json:"rule"`
}

// Answer is what a person says to the question whether a call may run.
type Answer struct {
	Allow  bool
	Note   string // told to the model with a denial
	Always bool   // with Allow: the tool needs no permission from now on

	Answers chat.Answers // with Allow, where the call asks questions
}

// Permissions lists the tools with the user's rules.
func (c *Client) Permissions(ctx context.Context) ([]Permission, error) {
	var list struct {
		Tools []Permission `json:"tools"`
	}
	return list.Tools, c.do(ctx, http.MethodGet, "/api/permissions", nil, nil, &list)
}

// SetPermission sets the rule of a tool for calls that are made from now on.
func (c *Client) SetPermission(ctx context.Context, tool string, rule chat.Rule) (Permission, error) {
	var set Permission
	return set, c.do(ctx, http.MethodPut, "/api/permissions/"+url.PathEscape(tool), nil, map[string]chat.Rule{"rule": rule}, &set)
}

// Answer allows or denies a call that waits for permission, or answers what it asks. Answered before, or too late: a Conflict that says so.
func (c *Client) Answer(ctx context.Context, key chat.SessionKey, call chat.CallID, a Answer) (chat.ToolCall, error) {
	decision := "deny"
	if a.Allow {
		decision = "allow"
	}
	body := struct {
		Decision string       `json:"decision"`
		Note     string       `json:"note,omitempty"`
		Always   bool         `json:"always,omitempty"`
		Answers  chat.Answers `json:"answers,omitempty"`
	}{decision, a.Note, a.Always, a.Answers}
	var answered chat.ToolCall
	return answered, c.do(ctx, http.MethodPost, sessionPath(key, "/approvals/"+url.PathEscape(string(call))), nil, body, &answered)
}
