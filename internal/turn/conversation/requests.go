package conversation

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/dbsqlc"
)

// StepWindow returns a step with the sources of its request, as they were then: later messages, records and rewinds are
// left out. Steps of other sessions than key are not found, nor are steps without a request, such as open ones.
func (s *Store) StepWindow(ctx context.Context, key chat.SessionKey, turn chat.TurnID, step int) (chat.SentStep, error) {
	row, err := dbsqlc.Q.StepRequest(ctx, s.db.Pool, dbsqlc.StepRequestParams{TurnID: turn, Step: int32(step)})
	if errors.Is(err, pgx.ErrNoRows) || err == nil && (row.SessionKey != key || row.RequestHash == nil) {
		return chat.SentStep{}, fault.Errorf(fault.NotFound, "there is no request of step %d of turn %s", step, turn)
	}
	if err != nil {
		return chat.SentStep{}, pg.Classify(fmt.Errorf("read request of step: %w", err))
	}
	out := chat.SentStep{
		Sent: chat.Sent{
			ControlUpto: chat.ControlID(row.ControlUpto), MessageUpto: chat.MessageID(row.MessageUpto), Reminder: row.Reminder, Fill: row.Fill, PrunedUpto: chat.MessageID(row.PrunedUpto), PicturesFrom: row.PicturesFrom, PicturesSkipped: int(row.PicturesSkipped),
			Hash: row.RequestHash, Bytes: int(row.RequestBytes), Tokens: int(row.EstimatedTokens),
		},
		System: row.System, Static: row.Static, Model: row.Model,
		Usage: chat.Usage{PromptTokens: int(row.PromptTokens), CachedTokens: int(row.CachedTokens), CompletionTokens: int(row.CompletionTokens)},
	}
	p := span{from: chat.MessageID(row.Upto), last: out.MessageUpto, newest: out.ControlUpto}
	if row.CompactionID != nil {
		out.Compaction = chat.ControlID(*row.CompactionID)
		p.compaction = &out.Compaction
	}
	if out.Window, err = s.window(ctx, key, p); err != nil {
		return out, pg.Classify(err)
	}
	out.Window.Pictures, err = attachments.Pictures(ctx, s.db.Pool, key, out.Window.PicturesOf(out.PicturesFrom, out.PicturesSkipped))
	return out, err
}
