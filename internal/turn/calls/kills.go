package calls

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// NoteKill records that a command is to be killed, before the first attempt. Until KillSent, each process that reaches the
// runner tries it.
func (s *Store) NoteKill(ctx context.Context, call chat.CallID, runner string) error {
	err := dbsqlc.Q.KillNote(ctx, s.db.Pool, dbsqlc.KillNoteParams{CallID: string(call), Runner: runner})
	if err != nil {
		return pg.Classify(fmt.Errorf("note the kill of %s: %w", call, err))
	}
	return nil
}

// KillSent records that a runner has received a kill.
func (s *Store) KillSent(ctx context.Context, call chat.CallID) error {
	return pg.Classify(dbsqlc.Q.KillSent(ctx, s.db.Pool, string(call)))
}

// OpenKills lists the kills that runners have not received, by runner, oldest first and at most a thousand. Kills older
// than any command can be are deleted.
func (s *Store) OpenKills(ctx context.Context, runners []string) (map[string][]chat.CallID, error) {
	if err := dbsqlc.Q.KillPrune(ctx, s.db.Pool); err != nil {
		return nil, pg.Classify(fmt.Errorf("forget old kills: %w", err))
	}
	rows, err := dbsqlc.Q.KillListOpen(ctx, s.db.Pool, runners)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list open kills: %w", err))
	}
	open := map[string][]chat.CallID{}
	for _, row := range rows {
		open[row.Runner] = append(open[row.Runner], chat.CallID(row.CallID))
	}
	return open, nil
}
