package runners

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/sandbox/dbsqlc"
)

// LocalSandbox returns what an administrator chose for the server's own runner; ConfineAuto if none did.
func (s *Store) LocalSandbox(ctx context.Context) (chat.RunnerSandbox, error) {
	row, err := dbsqlc.Q.RunnerConfinement(ctx, s.db.Pool)
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.RunnerSandbox{Confine: chat.ConfineAuto}, nil
	}
	if err != nil {
		return chat.RunnerSandbox{}, pg.Classify(fmt.Errorf("read whether commands run in a sandbox: %w", err))
	}
	return chat.RunnerSandbox{Confine: row.Confine, ChangedBy: row.ChangedBy, ChangedAt: &row.ChangedAt}, nil
}

// SetLocalSandbox stores an administrator's choice: ConfineAuto or ConfineOff. The commit notifies the process that runs the runner.
func (s *Store) SetLocalSandbox(ctx context.Context, confine string, by chat.UserID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.RunnerConfinementSet(ctx, tx, dbsqlc.RunnerConfinementSetParams{Confine: confine, ChangedBy: new(int64(by))}); err != nil {
			return fmt.Errorf("write whether commands run in a sandbox: %w", err)
		}
		return tx.NotifyAccess(ctx)
	})
}
