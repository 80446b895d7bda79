package apiclient

import (
	"context"
	"net/http"

	"xbot/internal/chat"
)

// Profile returns what the user says of themselves.
func (c *Client) Profile(ctx context.Context) (chat.UserProfile, error) {
	var out chat.UserProfile
	return out, c.do(ctx, http.MethodGet, "/api/profile", nil, nil, &out)
}

// SetProfile writes content and timezone of it over the one of its revision; Conflict if that is not the newest any more.
func (c *Client) SetProfile(ctx context.Context, p chat.UserProfile) (chat.UserProfile, error) {
	body := map[string]any{"content": p.Content, "timezone": p.Timezone, "revision": p.Revision}
	var out chat.UserProfile
	return out, c.do(ctx, http.MethodPut, "/api/profile", nil, body, &out)
}
