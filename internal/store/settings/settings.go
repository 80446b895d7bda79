package settings

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// UserSetting names something a person chose for themselves.
type UserSetting string

// The settings of people.
const (
	ActiveRunner UserSetting = "active_runner" // name of the runner their commands go to; unset: the default
	Language     UserSetting = "language"      // they want to be answered in; unset: the one they write
	LLMSource    UserSetting = "llm_source"    // "server": the server's model, even if their runner offers one; unset: the runner's
)

// UserSetting returns what a person chose, empty if nothing.
func (s *Store) UserSetting(ctx context.Context, user chat.UserID, key UserSetting) (string, error) {
	value, err := s.db.Q.UserSettingGet(ctx, s.db.Pool, dbsqlc.UserSettingGetParams{UserID: user, Key: string(key)})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", pg.Classify(fmt.Errorf("read %s of user %d: %w", key, user, err))
	}
	return value, nil
}

// SetUserSetting keeps what a person chose; an empty value is the default.
func (s *Store) SetUserSetting(ctx context.Context, user chat.UserID, key UserSetting, value string) error {
	var err error
	if value == "" {
		err = s.db.Q.UserSettingClear(ctx, s.db.Pool, dbsqlc.UserSettingClearParams{UserID: user, Key: string(key)})
	} else {
		err = s.db.Q.UserSettingSet(ctx, s.db.Pool, dbsqlc.UserSettingSetParams{UserID: user, Key: string(key), Value: value})
	}
	if err != nil {
		return pg.Classify(fmt.Errorf("write %s of user %d: %w", key, user, err))
	}
	return nil
}
