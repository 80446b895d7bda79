package memorystore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/pg"
	"xbot/internal/turn/quota"
)

// ClaimDigest reserves an entry that is to be shortened for its caller, for some time. It returns false if another process has reserved
// it, or it was shortened or deleted.
func (s *Store) ClaimDigest(ctx context.Context, id chat.ArchivalID, pause time.Duration) (bool, error) {
	n, err := dbsqlc.Q.DigestClaim(ctx, s.db.Pool, dbsqlc.DigestClaimParams{ID: id, Pause: pg.Interval(pause)})
	if err != nil {
		return false, pg.Classify(fmt.Errorf("claim an entry of the archive: %w", err))
	}
	return n == 1, nil
}

// KeepDigest stores the digest of an entry and releases the reservation. Without a digest it postpones the next attempt.
func (s *Store) KeepDigest(ctx context.Context, id chat.ArchivalID, digest string, pause time.Duration) error {
	if err := dbsqlc.Q.DigestKeep(ctx, s.db.Pool, dbsqlc.DigestKeepParams{ID: id, Digest: chat.Clean(digest), Pause: pg.Interval(pause)}); err != nil {
		return pg.Classify(fmt.Errorf("keep a digest: %w", err))
	}
	return nil
}

// DigestReader returns the conversation whose model shortens entries of a user's archive. It returns RateLimited if all leases of the
// tenant are needed for answers. It returns NotFound if the user has no conversation.
func (s *Store) DigestReader(ctx context.Context, user chat.UserID) (chat.SessionKey, error) {
	most, err := s.quota.Caps(ctx)
	if err != nil {
		return "", err
	}
	row, err := dbsqlc.Q.DigestReader(ctx, s.db.Pool, dbsqlc.DigestReaderParams{
		UserID: user, MostGlobal: int32(most.LLM.Global), MostPersonal: int32(most.LLM.Personal),
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", fault.Errorf(fault.NotFound, "there is no conversation whose model could be asked")
	case err != nil:
		return "", pg.Classify(fmt.Errorf("look for a conversation whose model can be asked: %w", err))
	case !row.Free:
		return "", quota.Full(int32(digestPause.Milliseconds()))
	}
	return row.SessionKey, nil
}

// digestPause is when to ask again for a place that answers have now.
const digestPause = 10 * time.Second
