package people

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// Permissions returns the rules that a user has set, by the name of the tool. Other tools follow the installation.
func (s *Store) Permissions(ctx context.Context, user chat.UserID) (map[string]chat.Rule, error) {
	rows, err := s.db.Q.PermissionList(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list permissions: %w", err))
	}
	out := make(map[string]chat.Rule, len(rows))
	for _, r := range rows {
		out[r.Tool] = r.Rule
	}
	return out, nil
}

// SetPermission sets the rule of a tool for a user. It holds for calls that are made from now on.
func (s *Store) SetPermission(ctx context.Context, user chat.UserID, tool string, rule chat.Rule) error {
	err := s.db.Q.PermissionSet(ctx, s.db.Pool, dbsqlc.PermissionSetParams{UserID: user, Tool: tool, Rule: rule})
	return pg.Classify(err)
}
