// Package permissions stores the rules that users set for tool calls.
package permissions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

// Store keeps the rules.
type Store struct{ db *pg.DB }

// New returns a store over a database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// UserPermissions returns what the user of a session wants of its tools. Of a session that is gone it is nothing.
func (s *Store) UserPermissions(ctx context.Context, key chat.SessionKey) (chat.UserPermissions, error) {
	var out chat.UserPermissions
	said, err := dbsqlc.Q.PermitsOf(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return out, nil
	}
	if err != nil {
		return out, pg.Classify(fmt.Errorf("read the permissions of %s: %w", key, err))
	}
	if err := json.Unmarshal(said, &out); err != nil {
		return out, fmt.Errorf("decode the permissions of %s: %w", key, err)
	}
	return out, nil
}

// Permissions returns the rules that a user has set. Other calls follow the presets and the installation.
func (s *Store) Permissions(ctx context.Context, user chat.UserID) ([]chat.ToolRule, error) {
	rows, err := dbsqlc.Q.PermissionList(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list permissions: %w", err))
	}
	out := make([]chat.ToolRule, 0, len(rows))
	for _, r := range rows {
		out = append(out, chat.ToolRule{Tool: r.Tool, Pattern: r.Pattern, Rule: r.Rule, Pin: r.Pin})
	}
	return out, nil
}

// SetPermission sets a rule for a user, for the calls that its pattern means. It holds for calls that are made from now on. Beyond 500
// rules it is a Conflict.
func (s *Store) SetPermission(ctx context.Context, user chat.UserID, r chat.ToolRule) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		err := dbsqlc.Q.PermissionSet(ctx, tx, dbsqlc.PermissionSetParams{UserID: user, Tool: r.Tool, Pattern: chat.Clean(r.Pattern), Rule: r.Rule, Pin: r.Pin})
		if err != nil {
			return fmt.Errorf("set a permission: %w", err)
		}
		n, err := dbsqlc.Q.PermissionCount(ctx, tx, user)
		if err != nil {
			return fmt.Errorf("count permissions: %w", err)
		}
		if n > chat.MaxToolRules {
			return fault.Errorf(fault.Conflict, "there are %d rules, which is the most that are kept; remove some first", chat.MaxToolRules)
		}
		return nil
	})
}

// AllowInSession sets a rule of the session's user. Beyond 500 rules it is a Conflict.
func (s *Store) AllowInSession(ctx context.Context, key chat.SessionKey, r chat.ToolRule) error {
	added, err := AllowIn(ctx, s.db.Pool, key, r)
	if err == nil && !added {
		return fault.Errorf(fault.Conflict, "there are %d rules, which is the most that are kept; remove some first", chat.MaxToolRules)
	}
	return pg.Classify(err)
}

// PinPermission pins the rule of the session's user that allows a tool of an MCP server to the tool, if it has no pin yet.
func (s *Store) PinPermission(ctx context.Context, key chat.SessionKey, name, pin string) error {
	if err := dbsqlc.Q.PermissionPin(ctx, s.db.Pool, dbsqlc.PermissionPinParams{SessionKey: key, Tool: name, Pin: pin}); err != nil {
		return pg.Classify(fmt.Errorf("note what a permission is for: %w", err))
	}
	return nil
}

// RemovePermission takes a rule of a user back. One that is not there is NotFound.
func (s *Store) RemovePermission(ctx context.Context, user chat.UserID, tool, pattern string) error {
	n, err := dbsqlc.Q.PermissionDelete(ctx, s.db.Pool, dbsqlc.PermissionDeleteParams{UserID: user, Tool: tool, Pattern: pattern})
	if err == nil && n == 0 {
		return fault.Errorf(fault.NotFound, "there is no such rule for %s", tool)
	}
	return pg.Classify(err)
}

// AllowIn sets a rule of the user of a session. It returns false if the user has as many as are kept.
func AllowIn(ctx context.Context, db pg.DBTX, key chat.SessionKey, r chat.ToolRule) (bool, error) {
	n, err := dbsqlc.Q.PermissionSetOfOwner(ctx, db, dbsqlc.PermissionSetOfOwnerParams{
		SessionKey: key, Tool: r.Tool, Pattern: r.Pattern, Rule: r.Rule, Pin: r.Pin, Most: chat.MaxToolRules,
	})
	return n > 0, err
}
