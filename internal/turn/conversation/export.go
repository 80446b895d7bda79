package conversation

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/transcript"
)

// Export returns all of a conversation: also messages before resets and compactions, whole results instead of
// their summaries, and the full text of the model where users see less. Messages that were taken back are not in it.
func (s *Store) Export(ctx context.Context, key chat.SessionKey) (transcript.Transcript, error) {
	session, _, err := s.Session(ctx, key)
	if err != nil {
		return transcript.Transcript{}, err
	}
	out := transcript.Transcript{ID: string(key), Title: session.Title, Cwd: session.Cwd, Created: session.CreatedAt}
	rows, err := dbsqlc.Q.ExportMessages(ctx, s.db.Pool, key)
	if err != nil {
		return out, pg.Classify(fmt.Errorf("read transcript: %w", err))
	}
	if out.Messages, err = s.WithCalls(ctx, rows); err != nil {
		return out, err
	}
	if err := s.wholeResults(ctx, key, out.Messages); err != nil {
		return out, err
	}
	for i := range rows {
		out.Messages[i].Content = rows[i].Content
	}
	controls, err := dbsqlc.Q.ExportControls(ctx, s.db.Pool, key)
	if err != nil {
		return out, pg.Classify(fmt.Errorf("read control records: %w", err))
	}
	for _, r := range controls {
		c, err := controlOf(dbsqlc.ControlByKeyRow(r))
		if err != nil {
			return out, err
		}
		out.Controls = append(out.Controls, c)
	}
	return out, nil
}

func (s *Store) wholeResults(ctx context.Context, key chat.SessionKey, messages []chat.Message) error {
	rows, err := dbsqlc.Q.ExportResults(ctx, s.db.Pool, key)
	if err != nil {
		return pg.Classify(fmt.Errorf("read whole results: %w", err))
	}
	whole := make(map[chat.CallID]string, len(rows))
	for _, r := range rows {
		whole[r.ID] = r.Body
	}
	for i := range messages {
		for j := range messages[i].ToolCalls {
			if body, ok := whole[messages[i].ToolCalls[j].ID]; ok {
				messages[i].ToolCalls[j].Result = body
			}
		}
	}
	return nil
}
