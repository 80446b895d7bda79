package apiclient

import (
	"context"
	"net/http"
	"net/url"

	"xbot/internal/chat"
	"xbot/internal/memory/view"
)

// Memory returns what is remembered of the user in a memory; main is that of the default agent.
func (c *Client) Memory(ctx context.Context, agent string) (view.Look, error) {
	var out view.Look
	return out, c.do(ctx, http.MethodGet, "/api/memory", url.Values{"agent": {agent}}, nil, &out)
}

// SearchMemory finds what is remembered. With exact: what would be forgotten by these words.
func (c *Client) SearchMemory(ctx context.Context, agent, q string, exact bool) ([]chat.Remembered, error) {
	var list struct {
		Items []chat.Remembered `json:"items"`
	}
	query := url.Values{"agent": {agent}, "q": {q}}
	if exact {
		query.Set("exact", "true")
	}
	return list.Items, c.do(ctx, http.MethodGet, "/api/memory/search", query, nil, &list)
}

// EditMemory writes a note or a block; Conflict if it is not was any more.
func (c *Client) EditMemory(ctx context.Context, agent, id, was, content string) error {
	body := map[string]string{"id": id, "was": was, "content": content}
	return c.do(ctx, http.MethodPut, "/api/memory", url.Values{"agent": {agent}}, body, nil)
}

// ForgetMemory forgets what SearchMemory has found, for good.
func (c *Client) ForgetMemory(ctx context.Context, agent string, items []chat.Remembered) error {
	return c.do(ctx, http.MethodPost, "/api/memory/forget", url.Values{"agent": {agent}}, map[string]any{"items": items}, nil)
}
