package memorystore

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/pg"
	"xbot/internal/service/servicestore"
	"xbot/internal/user/users"
)

// maxProfileVersions is how many versions of a profile are kept; the oldest go.
const maxProfileVersions = 100

// ProfileVersions lists the versions of a user's profile, the newest first, without the texts.
func (s *Store) ProfileVersions(ctx context.Context, user chat.UserID) ([]chat.ProfileVersion, error) {
	rows, err := dbsqlc.Q.ProfileVersionList(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list versions of the profile of user %d: %w", user, err))
	}
	list := make([]chat.ProfileVersion, len(rows))
	for i, r := range rows {
		list[i] = chat.ProfileVersion{Version: int(r.Version), Timezone: r.Timezone, ChangedAt: r.ChangedAt, ChangedBy: r.ChangedBy, Characters: int(r.Characters)}
	}
	return list, nil
}

// ProfileVersion returns a version with its text. It returns NotFound if the user has none of this number.
func (s *Store) ProfileVersion(ctx context.Context, user chat.UserID, n int) (chat.ProfileVersion, error) {
	r, err := dbsqlc.Q.ProfileVersionOf(ctx, s.db.Pool, dbsqlc.ProfileVersionOfParams{UserID: user, Version: int32(n)})
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.ProfileVersion{}, noProfileVersion(n)
	}
	if err != nil {
		return chat.ProfileVersion{}, pg.Classify(fmt.Errorf("read version %d of the profile of user %d: %w", n, user, err))
	}
	return chat.ProfileVersion{
		Version: int(r.Version), Content: r.Content, Timezone: r.Timezone, ChangedAt: r.ChangedAt, ChangedBy: r.ChangedBy, Characters: utf8.RuneCountInString(r.Content),
	}, nil
}

func noProfileVersion(n int) error {
	return fault.Errorf(fault.NotFound, "there is no version %d of your profile", n)
}

// DeleteProfileVersion forgets a version. It returns NotFound if the user has none of this number, and Conflict if it is the profile as it is, or a service
// works with it.
func (s *Store) DeleteProfileVersion(ctx context.Context, user chat.UserID, n int) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := users.Lock(ctx, tx, user); err != nil {
			return fmt.Errorf("lock the profile: %w", err)
		}
		now, err := s.profile(ctx, tx, user)
		if err != nil {
			return err
		}
		if n > 0 && now.Revision == n {
			return fault.Errorf(fault.Conflict, "version %d is your profile as it is: go back to another one first", n)
		}
		if err := servicestore.NotUsed(ctx, tx, user, servicestore.UsesProfile, n); err != nil {
			return err
		}
		rows, err := dbsqlc.Q.ProfileVersionDelete(ctx, tx, dbsqlc.ProfileVersionDeleteParams{UserID: user, Version: int32(n)})
		if err == nil && rows == 0 {
			return noProfileVersion(n)
		}
		return err
	})
}
