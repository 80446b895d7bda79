package settings

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

// UserSetting names a setting of a user.
type UserSetting string

// The settings of users.
const (
	ActiveRunner UserSetting = "active_runner" // name of the runner their commands go to; unset: the default
	Language     UserSetting = "language"      // they want to be answered in; unset: the one they write
	LLMSource    UserSetting = "llm_source"    // "server": the server's model, even if their runner offers one; unset: the runner's
	Model        UserSetting = "model"         // id of the one that answers them; unset: the installation's
	Think        UserSetting = "think"         // how much models think for them; unset: as the agent or the model does
	ContextMode  UserSetting = "context_mode"  // "auto", "none": whether old parts of their conversations are masked and summarized; unset: the installation's
	Preset       UserSetting = "preset"        // chat.Preset of their tools; unset: the installation's
	Titles       UserSetting = "titles"        // "off": no model gives their conversations titles; unset: it does
	Memory       UserSetting = "memory"        // "off": their conversations are not put into memory; unset: the policy's
	Soul         UserSetting = "soul"          // "off": their agents keep no soul files; unset: the policy's
	AgentNotes   UserSetting = "agent_notes"   // "locked": their agents read what they remember of them, and write nothing; unset: they write, too
	Theme        UserSetting = "theme"         // of the page: auto, light, dark; unset: that of the device
	PageLanguage UserSetting = "page_language" // of the page: en, zh; unset: that of the browser
)

// UserSetting returns what a user chose, empty if nothing.
func (s *Store) UserSetting(ctx context.Context, user chat.UserID, key UserSetting) (string, error) {
	value, err := dbsqlc.Q.UserSettingGet(ctx, s.db.Pool, dbsqlc.UserSettingGetParams{UserID: user, Key: string(key)})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", pg.Classify(fmt.Errorf("read %s of user %d: %w", key, user, err))
	}
	return value, nil
}

// SetUserSetting stores what a user chose; an empty value is the default. A value that differs from the one before is a version (Changes).
func (s *Store) SetUserSetting(ctx context.Context, user chat.UserID, key UserSetting, value string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.PreferenceLock(ctx, tx, int64(user)); err != nil {
			return fmt.Errorf("lock the preferences of user %d: %w", user, err)
		}
		return put(ctx, tx, user, key, value)
	})
}

// MemoryChoices returns which parts of memory a user has turned off or locked.
func (s *Store) MemoryChoices(ctx context.Context, user chat.UserID) (c chat.MemoryChoices, err error) {
	for _, one := range []struct {
		key UserSetting
		off string
		is  *bool
	}{{Memory, "off", &c.NoMemory}, {Soul, "off", &c.NoSoul}, {AgentNotes, "locked", &c.NotesLocked}} {
		value, err := s.UserSetting(ctx, user, one.key)
		if err != nil {
			return c, err
		}
		*one.is = value == one.off
	}
	return c, nil
}

// UsualModel returns the model that a user chose for all their conversations; empty: none.
func (s *Store) UsualModel(ctx context.Context, user chat.UserID) (string, error) {
	return s.UserSetting(ctx, user, Model)
}

// tierPrefix begins the settings of the models of tiers.
const tierPrefix = "tier_"

// TierModels returns the models that a user chose for tiers, by tier.
func (s *Store) TierModels(ctx context.Context, user chat.UserID) (map[string]string, error) {
	rows, err := dbsqlc.Q.UserSettingsLike(ctx, s.db.Pool, dbsqlc.UserSettingsLikeParams{UserID: user, Prefix: tierPrefix})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the tiers of user %d: %w", user, err))
	}
	out := map[string]string{}
	for _, r := range rows {
		out[strings.TrimPrefix(r.Key, tierPrefix)] = r.Value
	}
	return out, nil
}

// SetTierModel stores the model that a user chose for a tier; empty: that of the policy.
func (s *Store) SetTierModel(ctx context.Context, user chat.UserID, tier, model string) error {
	return s.SetUserSetting(ctx, user, UserSetting(tierPrefix+tier), model)
}
