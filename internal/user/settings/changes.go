package settings

import (
	"context"
	"encoding/json"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

// ChangeFilter selects the changes to list.
type ChangeFilter struct {
	Owner        chat.UserID // those of this user's own settings
	Installation bool        // and those of the installation and of users
	Kind         string      // only these; empty: all
	Before       int64       // older ones than this; 0: the newest
	Limit        int
}

// Changes lists who changed which setting, the newest first.
func (s *Store) Changes(ctx context.Context, f ChangeFilter) ([]chat.SettingChange, error) {
	rows, err := dbsqlc.Q.ChangesOf(ctx, s.db.Pool, dbsqlc.ChangesOfParams{
		Owner: int64(f.Owner), Installation: f.Installation, Kind: f.Kind, Before: f.Before, N: int32(f.Limit),
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list changes of settings: %w", err))
	}
	list := make([]chat.SettingChange, len(rows))
	for i, r := range rows {
		list[i] = chat.SettingChange{ID: r.ID, Kind: r.Kind, Name: r.Name, Owner: r.Owner, Before: r.Before, After: r.After, ChangedAt: r.ChangedAt, ChangedBy: r.ChangedBy}
	}
	return list, nil
}

// kindPreference is the kind of the changes of user_settings.
const kindPreference = "preference"

// maxPreferenceVersions is how many changes of a user's preferences are listed.
const maxPreferenceVersions = 100

// Preferences returns the settings that a user chose, by name, with the version: the id of their newest change, or 0 if there is none.
func (s *Store) Preferences(ctx context.Context, user chat.UserID) (chosen map[UserSetting]string, version int64, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if version, err = dbsqlc.Q.PreferenceVersion(ctx, tx, int64(user)); err != nil { // first: what is read then is at least as new
			return fmt.Errorf("read the version of the preferences of user %d: %w", user, err)
		}
		rows, err := dbsqlc.Q.UserSettings(ctx, tx, user)
		if err != nil {
			return fmt.Errorf("read the preferences of user %d: %w", user, err)
		}
		chosen = map[UserSetting]string{}
		for _, r := range rows {
			chosen[UserSetting(r.Key)] = r.Value
		}
		return nil
	})
	return chosen, version, err
}

// PreferenceVersions lists the newest hundred changes of what a user chose, the newest first.
func (s *Store) PreferenceVersions(ctx context.Context, user chat.UserID) ([]chat.PreferenceVersion, error) {
	changes, err := s.Changes(ctx, ChangeFilter{Owner: user, Kind: kindPreference, Limit: maxPreferenceVersions})
	if err != nil {
		return nil, err
	}
	list := make([]chat.PreferenceVersion, len(changes))
	for i, c := range changes {
		list[i] = chat.PreferenceVersion{Version: c.ID, Name: c.Name, ChangedAt: c.ChangedAt, ChangedBy: c.ChangedBy}
		if list[i].Before, err = valueOf(c.Before); err == nil {
			list[i].After, err = valueOf(c.After)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// valueOf returns the value of a preference in a change; empty: it was not set.
func valueOf(side json.RawMessage) (string, error) {
	var v struct {
		Value string `json:"value"`
	}
	if err := json.Unmarshal(side, &v); err != nil {
		return "", fmt.Errorf("decode a change of a preference: %w", err)
	}
	return v.Value, nil
}

// RollPreferencesBack makes a user's preferences what they were right after a change. Each that differs is recorded as a change.
// from is the version that they were looked at in. It returns NotFound if the user has no such change, or it is kept no more, and
// Conflict if they were changed since from.
func (s *Store) RollPreferencesBack(ctx context.Context, user chat.UserID, to, from int64) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.PreferenceLock(ctx, tx, int64(user)); err != nil {
			return fmt.Errorf("lock the preferences of user %d: %w", user, err)
		}
		known, err := dbsqlc.Q.PreferenceKnown(ctx, tx, dbsqlc.PreferenceKnownParams{UserID: int64(user), Version: to})
		if err != nil {
			return fmt.Errorf("look for version %d of the preferences of user %d: %w", to, user, err)
		}
		if !known {
			return fault.Errorf(fault.NotFound, "there is no version %d of your preferences", to)
		}
		newest, err := dbsqlc.Q.PreferenceVersion(ctx, tx, int64(user))
		if err != nil {
			return fmt.Errorf("read the version of the preferences of user %d: %w", user, err)
		}
		if newest != from {
			return fault.Errorf(fault.Conflict, "your preferences were changed meanwhile: look at them again")
		}
		then, err := dbsqlc.Q.PreferencesThen(ctx, tx, dbsqlc.PreferencesThenParams{UserID: int64(user), Version: to})
		if err != nil {
			return fmt.Errorf("read the preferences of user %d as they were: %w", user, err)
		}
		for _, r := range then {
			if err := put(ctx, tx, user, UserSetting(r.Name), r.Value); err != nil {
				return err
			}
		}
		return nil
	})
}

// put stores what a user chose; an empty value is the default.
func put(ctx context.Context, tx *pg.Tx, user chat.UserID, key UserSetting, value string) error {
	var err error
	if value == "" {
		err = dbsqlc.Q.UserSettingClear(ctx, tx, dbsqlc.UserSettingClearParams{UserID: user, Key: string(key)})
	} else {
		err = dbsqlc.Q.UserSettingSet(ctx, tx, dbsqlc.UserSettingSetParams{UserID: user, Key: string(key), Value: value})
	}
	if err != nil {
		return fmt.Errorf("write %s of user %d: %w", key, user, err)
	}
	return nil
}
