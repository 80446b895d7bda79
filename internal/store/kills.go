package store

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
)

// NoteKill writes down that a command is to be killed, before anybody tries: until KillSent, whoever reaches its runner
// does it.
func (s *Store) NoteKill(ctx context.Context, call chat.CallID, runner string) error {
	err := s.q.KillNote(ctx, s.pool, dbsqlc.KillNoteParams{CallID: string(call), Runner: runner})
	if err != nil {
		return classify(fmt.Errorf("note the kill of %s: %w", call, err))
	}
	return nil
}

// KillSent notes that a runner took a kill.
func (s *Store) KillSent(ctx context.Context, call chat.CallID) error {
	return classify(s.q.KillSent(ctx, s.pool, string(call)))
}

// OpenKills lists the kills that runners have not heard of, by runner, oldest first and at most a thousand. Kills that
// are older than any command can be are forgotten.
func (s *Store) OpenKills(ctx context.Context, runners []string) (map[string][]chat.CallID, error) {
	if err := s.q.KillPrune(ctx, s.pool); err != nil {
		return nil, classify(fmt.Errorf("forget old kills: %w", err))
	}
	rows, err := s.q.KillListOpen(ctx, s.pool, runners)
	if err != nil {
		return nil, classify(fmt.Errorf("list open kills: %w", err))
	}
	open := map[string][]chat.CallID{}
	for _, row := range rows {
		open[row.Runner] = append(open[row.Runner], chat.CallID(row.CallID))
	}
	return open, nil
}
