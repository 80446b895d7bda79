package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
)

// Runner is a runner as it can be listed.
type Runner struct {
	Name        string
	User        chat.UserID
	Connected   bool
	ConnectedAt *time.Time
}

// EnsureRunner makes a runner of a user, or gives the existing one a new token.
func (s *Store) EnsureRunner(ctx context.Context, user chat.UserID, name string, tokenHash []byte) (int64, error) {
	id, err := s.q.RunnerUpsert(ctx, s.pool, dbsqlc.RunnerUpsertParams{UserID: user, Name: name, TokenHash: tokenHash})
	if err != nil {
		return 0, classify(fmt.Errorf("write runner %s: %w", name, err))
	}
	return id, nil
}

// RunnerByToken finds the runner of a token; Denied if it is unknown or revoked.
func (s *Store) RunnerByToken(ctx context.Context, tokenHash []byte) (id int64, name string, user chat.UserID, err error) {
	row, err := s.q.RunnerByToken(ctx, s.pool, tokenHash)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, "", 0, fault.Errorf(fault.Denied, "this runner token is unknown or was revoked")
	}
	return row.ID, row.Name, row.UserID, classify(err)
}

// Runners lists all runners with whether they are connected.
func (s *Store) Runners(ctx context.Context) ([]Runner, error) {
	rows, err := s.q.RunnerList(ctx, s.pool)
	if err != nil {
		return nil, classify(fmt.Errorf("list runners: %w", err))
	}
	out := make([]Runner, len(rows))
	for i, r := range rows {
		out[i] = Runner{Name: r.Name, User: r.UserID, Connected: r.Connected != nil && *r.Connected, ConnectedAt: r.ConnectedAt}
	}
	return out, nil
}

// Connected notes that an ingress holds the socket of a runner now. The epoch grows with each connection.
func (s *Store) Connected(ctx context.Context, name, holder string) (int64, error) {
	epoch, err := s.q.ConnectionOpen(ctx, s.pool, dbsqlc.ConnectionOpenParams{Name: name, Holder: holder})
	return epoch, classify(err)
}

// Disconnected notes that a connection ended, unless a newer one has taken its place.
func (s *Store) Disconnected(ctx context.Context, name string, epoch int64) error {
	return classify(s.q.ConnectionClose(ctx, s.pool, dbsqlc.ConnectionCloseParams{Name: name, Epoch: epoch}))
}

// Holder returns which ingress holds the socket of a runner; ok is false if none does.
func (s *Store) Holder(ctx context.Context, name string) (holder string, epoch int64, ok bool, err error) {
	row, err := s.q.ConnectionHolder(ctx, s.pool, name)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", 0, false, nil
	}
	if err != nil {
		return "", 0, false, classify(fmt.Errorf("look up the holder of runner %s: %w", name, err))
	}
	return row.Holder, row.Epoch, row.Connected, nil
}
