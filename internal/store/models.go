package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
	"xbot/runner/wire"
)

// ModelWanted returns the user of a session and the runner it names, and whether the user may be answered by a runner's
// model: one that they can use offers one, and they did not ask for the server's.
func (s *Store) ModelWanted(ctx context.Context, key chat.SessionKey) (user chat.UserID, runner string, own bool, err error) {
	row, err := s.q.ModelWanted(ctx, s.pool, key)
	if err != nil {
		return 0, "", false, classify(fmt.Errorf("look up whose model answers in %s: %w", key, err))
	}
	return row.UserID, row.Runner, row.Own, nil
}

// ModelOffered returns the model that a runner offered when it last connected; nil if none.
func (s *Store) ModelOffered(ctx context.Context, user chat.UserID, runner string) (*wire.LLM, error) {
	said, err := s.q.ModelOffered(ctx, s.pool, dbsqlc.ModelOfferedParams{UserID: user, Name: runner})
	if errors.Is(err, pgx.ErrNoRows) || (err == nil && said == nil) {
		return nil, nil
	}
	if err != nil {
		return nil, classify(fmt.Errorf("look up the model of runner %s: %w", runner, err))
	}
	var info wire.Info
	if err := json.Unmarshal(said, &info); err != nil {
		return nil, fmt.Errorf("decode what runner %s said of itself: %w", runner, err)
	}
	return info.LLM, nil
}
