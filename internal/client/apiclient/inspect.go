package apiclient

import (
	"context"

	"xbot/internal/chat/ops"
)

// AllSessions follows InspectSessions page by page, to the last.
func (c *Client) AllSessions(ctx context.Context, params InspectSessionsParams) ([]ops.SessionSummary, error) {
	all := []ops.SessionSummary{}
	for {
		page, err := c.InspectSessions(ctx, params)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Sessions...)
		if page.Next == "" {
			return all, nil
		}
		params.After = page.Next
	}
}
