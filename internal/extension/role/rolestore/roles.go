// Package rolestore stores the roles of subagents that users define in xbot, in addition to the role files.
package rolestore

import (
	"context"
	"encoding/json"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
	"xbot/internal/pg"
)

// Limits of a user.
const (
	maxRoles    = 100
	maxVersions = 100 // of one role; the oldest go
	maxSwitches = 1000
)

// Store stores roles. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// RolesOf returns the roles and switches of a user, sorted by name.
func (s *Store) RolesOf(ctx context.Context, user chat.UserID) (kept role.UserRoles, err error) {
	rows, err := dbsqlc.Q.RoleList(ctx, s.db.Pool, dbsqlc.RoleListParams{UserID: user})
	if err != nil {
		return kept, pg.Classify(fmt.Errorf("read the roles of user %d: %w", user, err))
	}
	for _, r := range rows {
		own, err := owned(r)
		if err != nil {
			return kept, err
		}
		kept.Roles = append(kept.Roles, own)
	}
	switches, err := dbsqlc.Q.RoleSwitches(ctx, s.db.Pool, user)
	if err != nil {
		return kept, pg.Classify(fmt.Errorf("read the roles that user %d has switched: %w", user, err))
	}
	for _, w := range switches {
		kept.Switches = append(kept.Switches, role.Switch(w))
	}
	return kept, nil
}

func owned(row dbsqlc.RoleListRow) (role.OwnRole, error) {
	own := role.OwnRole{ID: row.ID, Change: role.Change{Revision: row.Revision, ChangedAt: row.ChangedAt, ChangedBy: row.ChangedBy}}
	if err := json.Unmarshal(row.Body, &own.RoleDefinition); err != nil {
		return own, fmt.Errorf("decode version %d of role %d: %w", row.Revision, row.ID, err)
	}
	return own, nil
}

// OwnRole returns a role of a user. It returns NotFound if the user has none of this id.
func (s *Store) OwnRole(ctx context.Context, user chat.UserID, id int64) (role.OwnRole, error) {
	own, err := s.get(ctx, s.db.Pool, user, id)
	return own, pg.Classify(err)
}

func (s *Store) get(ctx context.Context, db pg.DBTX, user chat.UserID, id int64) (role.OwnRole, error) {
	rows, err := dbsqlc.Q.RoleList(ctx, db, dbsqlc.RoleListParams{UserID: user, ID: id})
	switch {
	case err != nil:
		return role.OwnRole{}, fmt.Errorf("read role %d: %w", id, err)
	case id == 0 || len(rows) == 0: // the query takes 0 for all
		return role.OwnRole{}, unknown(id)
	}
	return owned(rows[0])
}

func unknown(id int64) error { return fault.Errorf(fault.NotFound, "there is no role %d", id) }

// AddRole stores a new role, which was checked. It returns Conflict if the user has one of its name, and TooLarge if the user has the maximum.
func (s *Store) AddRole(ctx context.Context, user chat.UserID, d role.RoleDefinition, by chat.UserID) (own role.OwnRole, err error) {
	body, err := json.Marshal(d)
	if err != nil {
		return own, fmt.Errorf("encode a role: %w", err)
	}
	err = s.change(ctx, user, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.RoleCount(ctx, tx, user)
		if err != nil {
			return fmt.Errorf("count roles: %w", err)
		}
		if n >= maxRoles {
			return fault.Errorf(fault.TooLarge, "there are %d roles, and no more are kept: delete one first", n)
		}
		if err := free(ctx, tx, user, d.Name, 0); err != nil {
			return err
		}
		id, err := dbsqlc.Q.RoleAdd(ctx, tx, dbsqlc.RoleAddParams{UserID: user, Key: role.Key(d.Name), Body: body, ChangedBy: author(by)})
		if err != nil {
			return fmt.Errorf("keep a role: %w", err)
		}
		own, err = s.get(ctx, tx, user, id)
		return err
	})
	return own, err
}

// free returns Conflict if another role of the user has a name.
func free(ctx context.Context, tx *pg.Tx, user chat.UserID, name string, id int64) error {
	taken, err := dbsqlc.Q.RoleNameTaken(ctx, tx, dbsqlc.RoleNameTakenParams{UserID: user, Key: role.Key(name), ID: id})
	if err == nil && taken {
		err = fault.Errorf(fault.Conflict, "you have a role %s already", name)
	}
	return err
}

// SetOwnRole replaces the version that a definition was made from with the checked definition. An unchanged one changes
// nothing. It returns Conflict if there is a newer version, or another role has the name.
func (s *Store) SetOwnRole(ctx context.Context, user chat.UserID, id int64, d role.RoleDefinition, from int64, by chat.UserID) (own role.OwnRole, err error) {
	err = s.change(ctx, user, func(tx *pg.Tx) error {
		var was role.OwnRole
		if was, err = s.get(ctx, tx, user, id); err != nil {
			return err
		}
		own, err = s.put(ctx, tx, user, was, d, from, by)
		return err
	})
	return own, err
}

// EnableRole switches a role on or off, which makes a version, too.
func (s *Store) EnableRole(ctx context.Context, user chat.UserID, id int64, enabled bool, by chat.UserID) (own role.OwnRole, err error) {
	err = s.change(ctx, user, func(tx *pg.Tx) error {
		var was role.OwnRole
		if was, err = s.get(ctx, tx, user, id); err != nil {
			return err
		}
		d := was.RoleDefinition
		d.Enabled = enabled
		own, err = s.put(ctx, tx, user, was, d, was.Revision, by)
		return err
	})
	return own, err
}

// RollRoleBack makes a new version from an earlier one. It returns NotFound if there is none any more, and Conflict if there is a newer version than
// the one that the user saw, or another role has the name by now.
func (s *Store) RollRoleBack(ctx context.Context, user chat.UserID, id, to, from int64, by chat.UserID) (own role.OwnRole, err error) {
	versions, err := s.RoleVersions(ctx, user, id)
	if err != nil {
		return own, err
	}
	for _, v := range versions {
		if v.Revision == to {
			return s.SetOwnRole(ctx, user, id, v.RoleDefinition, from, by)
		}
	}
	return own, fault.Errorf(fault.NotFound, "there is no version %d of the role", to)
}

func (s *Store) put(ctx context.Context, tx *pg.Tx, user chat.UserID, was role.OwnRole, d role.RoleDefinition, from int64, by chat.UserID) (role.OwnRole, error) {
	before, err := json.Marshal(was.RoleDefinition)
	if err != nil {
		return was, fmt.Errorf("encode a role: %w", err)
	}
	body, err := json.Marshal(d)
	switch {
	case err != nil:
		return was, fmt.Errorf("encode a role: %w", err)
	case string(body) == string(before):
		return was, nil
	case was.Revision != from:
		return was, fault.Errorf(fault.Conflict, "the role was changed meanwhile: version %d is in force and yours was made from %d; read it again", was.Revision, from)
	}
	if err := free(ctx, tx, user, d.Name, was.ID); err != nil {
		return was, err
	}
	if err := dbsqlc.Q.RoleReplace(ctx, tx, dbsqlc.RoleReplaceParams{ID: was.ID, Key: role.Key(d.Name), Body: body, ChangedBy: author(by), Keep: maxVersions}); err != nil {
		return was, fmt.Errorf("write role %d: %w", was.ID, err)
	}
	return s.get(ctx, tx, user, was.ID)
}

// DeleteRole removes a role with its versions.
func (s *Store) DeleteRole(ctx context.Context, user chat.UserID, id int64) error {
	return s.change(ctx, user, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.RoleDelete(ctx, tx, dbsqlc.RoleDeleteParams{UserID: user, ID: id})
		if err == nil && n == 0 {
			return unknown(id)
		}
		return err
	})
}

// RoleVersions lists the versions of a role, the newest first.
func (s *Store) RoleVersions(ctx context.Context, user chat.UserID, id int64) ([]role.OwnRoleVersion, error) {
	rows, err := dbsqlc.Q.RoleList(ctx, s.db.Pool, dbsqlc.RoleListParams{UserID: user, ID: id, History: true})
	switch {
	case err != nil:
		return nil, pg.Classify(fmt.Errorf("read versions of role %d: %w", id, err))
	case id == 0 || len(rows) == 0: // the query takes 0 for all
		return nil, unknown(id)
	}
	list := make([]role.OwnRoleVersion, len(rows))
	for i, row := range rows {
		v, err := owned(row)
		if err != nil {
			return nil, err
		}
		list[i] = role.OwnRoleVersion{RoleDefinition: v.RoleDefinition, Change: v.Change}
	}
	return list, nil
}

// SwitchRole sets whether a user has a role of the program or the installation. It is for this user alone.
func (s *Store) SwitchRole(ctx context.Context, user chat.UserID, name string, enabled bool, by chat.UserID) error {
	return s.change(ctx, user, func(tx *pg.Tx) error {
		switched, err := dbsqlc.Q.RoleSwitches(ctx, tx, user)
		if err != nil {
			return fmt.Errorf("read switches: %w", err)
		}
		if len(switched) >= maxSwitches {
			return fault.Errorf(fault.TooLarge, "more than %d roles are switched", maxSwitches)
		}
		return dbsqlc.Q.RoleSwitch(ctx, tx, dbsqlc.RoleSwitchParams{UserID: user, Key: role.Key(name), Enabled: enabled, ChangedBy: author(by)})
	})
}

// change runs a change of a user's roles, one at a time.
func (s *Store) change(ctx context.Context, user chat.UserID, do func(tx *pg.Tx) error) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.RoleLock(ctx, tx, fmt.Sprint(user)); err != nil {
			return fmt.Errorf("lock roles: %w", err)
		}
		return do(tx)
	})
}

func author(by chat.UserID) *int64 { return new(int64(by)) }
