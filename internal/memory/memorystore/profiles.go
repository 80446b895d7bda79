package memorystore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/pg"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
)

// Profile returns a user's description of themselves, with the timezone that they want times in; the zero value where they
// never wrote any, and for groups.
func (s *Store) Profile(ctx context.Context, user chat.UserID) (chat.UserProfile, error) {
	p, err := s.profile(ctx, s.db.Pool, user)
	return p, pg.Classify(err)
}

func (s *Store) profile(ctx context.Context, db pg.DBTX, user chat.UserID) (chat.UserProfile, error) {
	row, err := dbsqlc.Q.ProfileGet(ctx, db, user)
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.UserProfile{}, nil
	}
	if err != nil {
		return chat.UserProfile{}, fmt.Errorf("read the profile of user %d: %w", user, err)
	}
	return chat.UserProfile{Content: row.Content, Timezone: row.Timezone, Revision: int(row.Revision), UpdatedAt: row.UpdatedAt}, nil
}

// SetProfile writes content and timezone of a profile over the one whose revision it has, and returns the stored one. A
// profile that is the same changes nothing. It returns Conflict if the profile was changed since that revision, and TooLarge if it is longer
// than chat.MaxProfile. It returns Invalid if the timezone is none, or the user is a group. Each change is a version, of which the newest hundred are kept.
func (s *Store) SetProfile(ctx context.Context, user chat.UserID, p chat.UserProfile) (chat.UserProfile, error) {
	p.Content, p.Timezone = strings.TrimSpace(chat.Clean(p.Content)), strings.TrimSpace(p.Timezone)
	if n := utf8.RuneCountInString(p.Content); n > chat.MaxProfile {
		return p, fault.Errorf(fault.TooLarge, "the profile has %d characters, and holds %d: shorten it by %d", n, chat.MaxProfile, n-chat.MaxProfile)
	}
	if p.Timezone != "" {
		if _, err := schedule.Zone(p.Timezone); err != nil {
			return p, err
		}
	}
	var stands chat.UserProfile
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := users.Lock(ctx, tx, user); err != nil {
			return fmt.Errorf("lock the profile: %w", err)
		}
		was, err := s.profile(ctx, tx, user)
		switch {
		case err != nil:
			return err
		case was.Content == p.Content && was.Timezone == p.Timezone:
			stands = was
			return nil
		case was.Revision != p.Revision:
			return fault.Errorf(fault.Conflict, "the profile was changed meanwhile: read it again, and write what it shall be")
		}
		stands, err = putProfile(ctx, tx, user, p)
		return err
	})
	return stands, err
}

func putProfile(ctx context.Context, t *pg.Tx, user chat.UserID, p chat.UserProfile) (chat.UserProfile, error) {
	row, err := dbsqlc.Q.ProfilePut(ctx, t, dbsqlc.ProfilePutParams{UserID: user, Content: p.Content, Timezone: p.Timezone})
	if errors.Is(err, pgx.ErrNoRows) {
		return p, fault.Errorf(fault.Invalid, "a group has no profile; what is remembered of it is in /memory")
	}
	if err != nil {
		return p, fmt.Errorf("write the profile of user %d: %w", user, err)
	}
	p.Revision, p.UpdatedAt = int(row.Revision), row.UpdatedAt
	if err := dbsqlc.Q.ProfileVersionAdd(ctx, t, dbsqlc.ProfileVersionAddParams{UserID: user, ChangedBy: int64(user), Keep: maxProfileVersions}); err != nil {
		return p, fmt.Errorf("keep a version of the profile of user %d: %w", user, err)
	}
	return p, nil
}

// moveProfile makes one profile of two, when two accounts become one. What does not fit becomes a note; versions of the profile that goes, go.
func moveProfile(ctx context.Context, t *pg.Tx, from, to chat.UserID) error {
	rows, err := dbsqlc.Q.ProfileTake(ctx, t, from)
	if err != nil || len(rows) == 0 {
		return err
	}
	gone := rows[0]
	stays, err := dbsqlc.Q.ProfileGet(ctx, t, to)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read the profile of user %d: %w", to, err)
	}
	merged := chat.UserProfile{Content: stays.Content, Timezone: cmp.Or(stays.Timezone, gone.Timezone)}
	joined := strings.TrimSpace(stays.Content + "\n\n" + gone.Content)
	switch {
	case gone.Content == stays.Content:
	case utf8.RuneCountInString(joined) <= chat.MaxProfile:
		merged.Content = joined
	default:
		err := dbsqlc.Q.MemoryPut(ctx, t, dbsqlc.MemoryPutParams{
			UserID: to, Agent: policy.DefaultAgent, Path: fmt.Sprintf("linked/%d/profile.md", from), Content: gone.Content,
		})
		if err != nil {
			return fmt.Errorf("keep a profile as a note: %w", err)
		}
	}
	_, err = putProfile(ctx, t, to, merged)
	return err
}
